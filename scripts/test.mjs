// npm test: the unit tier, which does not need the built program. With CI set, and in `npm cit`: every tier, with 1,000 cases per property.
// With arguments, vitest decides: npm test -- --project process, npm test -- test/http.
import { spawnSync } from 'node:child_process';

const { env, argv } = process;
const cit = env.npm_command === 'install-ci-test';
const everything = Boolean(env.CI) || cit;
const isUnit = argv.length === 2 && !everything;
const selection = isUnit ? ['--project', 'unit'] : argv.slice(2);
const options = {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: everything ? { ...env, CI: env.CI || 'true' } : env,
};

// `npm cit` has built already: installing runs the script `prepare`.
const built = cit || isUnit || spawnSync('npm', ['run', 'build'], options).status === 0;
const { status } = built ? spawnSync('vitest', ['run', ...selection], options) : { status: 1 };
process.exitCode = status ?? 1;
