// npm test: the unit tier. In CI and in `npm cit`: every tier, with 10,000 cases per property.
// With arguments, vitest decides: npm test -- --project process, npm test -- test/http.
import { spawnSync } from 'node:child_process';

const { env } = process;
const given = process.argv.slice(2);
const everything = Boolean(env.CI) || env.npm_command === 'install-ci-test';
const chosen = given.length > 0 || everything ? given : ['--project', 'unit'];
const { status } = spawnSync('vitest', ['run', ...chosen], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: everything ? { ...env, CI: env.CI || 'true' } : env,
});
process.exitCode = status ?? 1;
