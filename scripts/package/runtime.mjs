// The runtime that an executable contains: Bun, from the npm registry. `npm ci` does not install it, because it takes 100 MB.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { unpack } from './tar.mjs';

const texts = join(import.meta.dirname, '../licenses/texts');

export const runtime = JSON.parse(readFileSync(join(import.meta.dirname, 'runtime.json'), 'utf8'));

/** All platforms, such as `linux-x64-musl`. */
export const platforms = Object.keys(runtime.platforms);

/** The platform of this machine; undefined if there is no executable for it. */
export function ownPlatform() {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const isMusl = system === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  const name = `${system}-${process.arch}${isMusl ? '-musl' : ''}`;
  return platforms.find((platform) => platform === name);
}

const cache = resolve('node_modules/.cache/svc/runtime', runtime.version);
const binary = (platform) => join(cache, platform, platform.startsWith('windows') ? 'bun.exe' : 'bun');

/** Whether the runtime of a platform was downloaded before. */
export const isCached = (platform) => existsSync(binary(platform));

/** Return the path of the runtime for a platform, downloaded on first use. @throws Error if its content is not the pinned one */
export async function runtimeFor(platform) {
  const path = binary(platform);
  if (existsSync(path)) return path;
  const { package: name, integrity } = runtime.platforms[platform];
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'download-'));
  try {
    const args = ['pack', `${name}@${runtime.version}`, '--json', '--pack-destination', folder];
    const { status, stdout, stderr } = spawnSync('npm', args, {
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
    const tarball = readFileSync(join(folder, JSON.parse(stdout)[0].filename));
    const hash = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    if (hash !== integrity) throw new Error(`${name}@${runtime.version} is not the pinned package: ${hash}`);
    const target = join(folder, platform);
    await unpack(tarball, target, (entry) => /^package\/bin\/(bun(?:\.exe)?)$/.exec(entry)?.[1]);
    const file = join(target, platform.startsWith('windows') ? 'bun.exe' : 'bun');
    chmodSync(file, 0o755);
    mkdirSync(dirname(path), { recursive: true });
    renameSync(file, path);
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The text of a library: its copyright and its license. Others have a license whose text is in `common`. */
const textFile = (name) => join(texts, 'runtime', `${name}.txt`);
const common = ['LGPL-2.1', 'Apache-2.0'];

/** What is linked, with a license whose text is not in the notices. Neither Node.js nor Debian 12 has these texts. */
export const withoutText = [runtime, ...runtime.libraries]
  .filter(
    ({ name, license }) => !existsSync(textFile(name)) && !common.some((one) => license.startsWith(one)),
  )
  .map(({ name }) => name);

/** @param {'full' | 'debian'} form Debian packages refer to the texts that Debian contains */
export function runtimeNotices(form) {
  const libraries = runtime.libraries.map(({ name, license, source }) => `- ${name}: ${license} (${source})`);
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  const notice = [
    `Bun ${runtime.version}: ${runtime.license} (${runtime.source})`,
    '',
    'The executable contains the runtime Bun as published in the npm registry. Bun is linked with these libraries. Its',
    'source, and instructions for building it with a changed JavaScriptCore, are in its repository.',
    '',
    ...libraries,
    '',
    'The texts below are those of Node.js 26.10.0 and of the Debian packages of these libraries, whose versions can differ.',
    'Texts that are not included are in the repositories above:',
    `${withoutText.join(', ')}.`,
  ].join('\n');
  const own = runtime.libraries
    .filter(({ name }) => existsSync(textFile(name)))
    .map(({ name }) => `${name}\n\n${readFileSync(textFile(name), 'utf8').trim()}`);
  const shared = common.map((name) =>
    form === 'debian'
      ? `${name}: see /usr/share/common-licenses/${name}`
      : `${name}\n\n${readFileSync(join(texts, `${name}.txt`), 'utf8').trim()}`,
  );
  return [notice, ...own, ...shared].join(line);
}
