// npm run package [-- platform...]: writes the files of a release to release/: an archive for each platform (default: all), Debian
// packages, the npm package, a bill of materials and checksums. Two runs write the same bytes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildExecutable } from './executable.mjs';
import { releaseDate } from './identity.mjs';
import { notices, packagesOf, union } from './notices.mjs';
import { debArchitectures, debianPackage } from './package/deb.mjs';
import { platforms, runtimeNotices } from './package/runtime.mjs';
import { billOfMaterials } from './package/sbom.mjs';
import { tarball } from './package/tar.mjs';

const chosen = process.argv.slice(2).length > 0 ? process.argv.slice(2) : platforms;
const unknown = chosen.find((platform) => !platforms.includes(platform));
if (unknown) {
  console.error(`unknown platform: ${unknown}; known: ${platforms.join(', ')}`);
  process.exit(2);
}

const read = (path) => readFileSync(path, 'utf8');
const filesIn = (folder) =>
  new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name))]),
  );

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`${script} failed`);
}

run('scripts/build.mjs');
const { name, version, license } = JSON.parse(read('package.json'));
const changelog = read('CHANGELOG.md');
// Seconds since 1970, as reproducible-builds.org defines it.
const epoch = process.env.SOURCE_DATE_EPOCH;
const time = epoch ? new Date(Number(epoch) * 1000) : new Date(`${releaseDate(changelog)}T00:00:00Z`);
const man = filesIn('man');
const completions = filesIn('completions');
const own = read('LICENSE');
const noticesFor = (packages, form) => `${notices(packages)}\n${'-'.repeat(80)}\n\n${runtimeNotices(form)}\n`;
/** The packages of the npm package. Executables are bundled by another program, which can keep parts of more packages. */
let packages = JSON.parse(read('dist/packages.json'));

/** The license that Debian contains, which packages must not repeat. */
const apache = /^ *Apache License\s+Version 2\.0[\s\S]*?END OF TERMS AND CONDITIONS.*$/gm;

const folder = mkdtempSync(join(tmpdir(), 'svc-release-'));
const draft = resolve('release.draft');
rmSync(draft, { recursive: true, force: true });
mkdirSync(draft);
try {
  for (const platform of chosen) await packPlatform(platform);
  run('scripts/pack.mjs', draft);
  const bom = billOfMaterials({
    name,
    version,
    license,
    time,
    packages,
    locked: JSON.parse(read('package-lock.json')).packages,
  });
  writeFileSync(join(draft, `svc-${version}.cdx.json`), `${JSON.stringify(bom, null, 2)}\n`);
  const sums = [...filesIn(draft)].map(
    ([file, content]) => `${createHash('sha256').update(content).digest('hex')}  ${file}\n`,
  );
  writeFileSync(join(draft, 'SHA256SUMS'), sums.join(''));
  rmSync('release', { recursive: true, force: true });
  renameSync(draft, 'release');
  process.stdout.write(sums.join(''));
} finally {
  rmSync(draft, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Write the archive of a platform and, for Debian's architectures, the package. */
async function packPlatform(platform) {
  const top = `svc-${version}-${platform}`;
  const program = platform.startsWith('windows') ? 'svc.exe' : 'svc';
  const file = join(folder, platform, program);
  const bundled = packagesOf(await buildExecutable({ platform, file }));
  packages = union(packages, bundled);
  const executable = readFileSync(file);
  const text = (path, content) => ({ name: `${top}/${path}`, content: Buffer.from(content) });
  const archive = await tarball(
    [
      { name: `${top}/${program}`, content: executable, executable: true },
      text('LICENSE', own),
      text('LICENSES.txt', noticesFor(bundled, 'full')),
      ...[...completions].map(([path, content]) => text(`completions/${path}`, content)),
      ...[...man].map(([path, content]) => text(`man/man${path.at(-1)}/${path}`, content)),
    ],
    { time },
  );
  writeFileSync(join(draft, `${top}.tar.gz`), archive);
  const architecture = debArchitectures[platform];
  if (!architecture) return;
  const deb = await debianPackage({
    version,
    architecture,
    description: 'command-line client for a project-hosting and CI/CD API',
    time,
    executable,
    man,
    completions,
    copyright: `${own}\n${noticesFor(bundled, 'debian').replace(apache, 'See /usr/share/common-licenses/Apache-2.0')}`,
    changelog,
  });
  writeFileSync(join(draft, `svc_${version}_${architecture}.deb`), deb);
}
