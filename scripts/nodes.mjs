// npm run test:nodes: the process tests under each Node that is supported, taken from the npm registry.
// Options: majors to run (default: 20 22 24 26), e.g. `npm run test:nodes -- 24`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const system = process.platform === 'win32' ? 'win' : process.platform;
const name = `node-${system}-${process.arch}`;
const majors = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['20', '22', '24', '26'];
const run = (command, args, options = {}) =>
  spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32', ...options });

/** The binary of a major version, installed once. */
function binary(major) {
  const folder = resolve('node_modules/.cache/svc/nodes', major);
  const path = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    run('npm', ['install', '--no-save', '--no-package-lock', '--ignore-scripts', `${name}@${major}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return path;
}

const failed = [];
for (const major of majors) {
  const node = binary(major);
  console.log(
    `\n== ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? `node ${major}: not to be had`}`,
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
    ? `\nfailed under Node ${failed.join(', ')}`
    : `\nall passed under Node ${majors.join(', ')}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
