// npm run test:nodes: runs the process tests with each supported version of Node, installed from the npm registry.
// Arguments: major versions (default: 20 22 24 26), for example `npm run test:nodes -- 24`.
import { spawnSync } from 'node:child_process';
import { nodeBinary } from './node-binary.mjs';

const majors = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['20', '22', '24', '26'];
const tests = ['test/process', 'test/architecture', 'test/readme.test.ts'];

const failed = majors.filter((major) => {
  const node = nodeBinary(major);
  console.log(`\n== Node ${major}: ${node}`);
  const { status } = spawnSync('npx', ['vitest', 'run', ...tests], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, SVC_TEST_NODE: node },
  });
  return status !== 0;
});
console.log(failed.length > 0 ? `\nfailed with Node ${failed.join(', ')}` : '\nall passed');
process.exitCode = failed.length > 0 ? 1 : 0;
