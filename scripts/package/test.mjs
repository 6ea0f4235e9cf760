// npm run test:executable: compiles the executable for this machine, runs the tests that start the program with it, and the tests of
// connections in its runtime. SVC_BIN selects another executable. Arguments select tests.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { buildExecutable } from '../executable.mjs';
import { ownPlatform, runtimeFor } from './runtime.mjs';

const startsProgram = [
  'test/process',
  'test/docs/recipes.test.ts',
  'test/readme.test.ts',
  'test/sandbox/job-changes.test.ts',
  'test/tasks/each/exec.test.ts',
];
const vitest = 'node_modules/vitest/vitest.mjs';
const chosen = process.argv.slice(2);

function run(command, args, env) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exitCode = 1;
}

let executable = process.env.SVC_BIN;
if (!executable) {
  executable = resolve('node_modules/.cache/svc/bin', process.platform === 'win32' ? 'svc.exe' : 'svc');
  await buildExecutable({ platform: ownPlatform(), file: executable });
}
console.log(`testing ${executable}`);
run(process.execPath, [vitest, 'run', ...(chosen.length > 0 ? chosen : startsProgram)], {
  SVC_BIN: executable,
});
if (chosen.length === 0) run(await runtimeFor(ownPlatform()), ['--bun', vitest, 'run', 'test/http'], {});
