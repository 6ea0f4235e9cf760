// npm run docs: builds the documentation site in docs/.vitepress/dist. Arguments are passed to `vitepress build`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const site = join(import.meta.dirname, '../docs');

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: site, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Return whether the packages in the lock file are installed. */
function isInstalled() {
  const packagesOf = (path) => JSON.parse(readFileSync(join(site, path), 'utf8')).packages;
  try {
    const installed = packagesOf('node_modules/.package-lock.json');
    return Object.entries(packagesOf('package-lock.json')).every(
      ([name, { version, optional }]) => name === '' || optional || installed[name]?.version === version,
    );
  } catch {
    return false;
  }
}

if (!isInstalled()) run('npm', ['ci', '--ignore-scripts']);
run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', ...process.argv.slice(2)]);
