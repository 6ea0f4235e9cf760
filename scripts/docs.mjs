// npm run docs: builds the documentation site in docs/.vitepress/dist. Arguments are passed to `vitepress build`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const site = join(import.meta.dirname, '../docs');

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: site, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(site, 'node_modules/vitepress'))) run('npm', ['ci', '--ignore-scripts']);
run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', ...process.argv.slice(2)]);
