// npm run test:nodes: runs the process tests with each supported version of Node, installed from the npm registry.
// Arguments: major versions (default: 20 22 24 26), for example `npm run test:nodes -- 24`.
import { spawnSync } from 'node:child_process';
import { nodeBinary } from './node-binary.mjs';

const majors = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['20', '22', '24', '26'];
const run = (command, args, options = {}) =>
  spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32', ...options });

const failed = [];
for (const major of majors) {
  const node = nodeBinary(major);
  console.log(
    `\n== ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? `node ${major}: not available`}`,
  );
  const { status } = run(
    'npx',
    ['vitest', 'run', 'test/process', 'test/architecture', 'test/readme.test.ts'],
    { env: { ...process.env, SVC_TEST_NODE: node } },
  );
  if (status !== 0) failed.push(major);
}
console.log(
  failed.length > 0
    ? `\nfailed with Node ${failed.join(', ')}`
    : `\nall passed with Node ${majors.join(', ')}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
