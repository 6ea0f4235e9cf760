// Other versions of Node, installed from the npm registry on first use.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const system = process.platform === 'win32' ? 'win' : process.platform;
const name = `node-${system}-${process.arch}`;

/** Return the path of the latest Node of a major version. */
export function nodeBinary(major) {
  const folder = resolve('node_modules/.cache/svc/nodes', major);
  const path = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts'];
    execFileSync('npm', ['install', ...flags, `${name}@${major}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
  }
  return path;
}
