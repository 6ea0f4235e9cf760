// npm run pack [-- folder]: builds, and writes the tarball to publish to a folder (default: the current one). The published manifest
// has neither scripts nor development dependencies, so that installing it never builds. The manifest of the checkout is private, so
// that npm publish only accepts the tarball.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const destination = resolve(process.argv[2] ?? '.');

function npm(args, cwd) {
  const options = { cwd, encoding: 'utf8', shell: process.platform === 'win32' };
  const { status, stdout, stderr } = spawnSync('npm', args, options);
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}

if (!existsSync('dist/start.js')) npm(['run', 'build'], '.');
const [{ files }] = JSON.parse(npm(['pack', '--ignore-scripts', '--dry-run', '--json'], '.'));
const folder = mkdtempSync(join(tmpdir(), 'svc-pack-'));
try {
  for (const { path } of files) cpSync(path, join(folder, path), { recursive: true });
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const key of ['private', 'scripts', 'devDependencies', 'files']) delete manifest[key];
  // Only a CI/CD service can create provenance, so npm publish works nowhere else.
  manifest.publishConfig = { access: 'public', provenance: true };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', destination], folder));
  console.log(join(destination, filename));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
