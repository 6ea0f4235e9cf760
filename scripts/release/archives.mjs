// The files of `npm run package`: their checksums, and the executable for this machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPlatform } from '../package/runtime.mjs';

/** Read `SHA256SUMS`. @returns {Map<string, string>} the checksum of each file */
export function readSums(folder) {
  const lines = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [, hash, name] = /^([0-9a-f]{64}) [ *]([\w.+-]+)$/.exec(line) ?? [];
      if (!name) throw new Error(`SHA256SUMS: invalid line: ${line}`);
      return [name, hash];
    }),
  );
}

/** @returns {string[]} files that differ from their checksum, are missing, or have no checksum */
export function wrongFiles(folder) {
  const sums = readSums(folder);
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  const missing = [...sums.keys()]
    .filter((name) => !names.includes(name))
    .map((name) => `${name} is missing`);
  const wrong = names.flatMap((name) => {
    if (!sums.has(name)) return [`${name} has no checksum`];
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return hash === sums.get(name) ? [] : [`${name} differs from its checksum`];
  });
  return [...missing, ...wrong];
}

/** Unpack the archive for this machine, and run its executable with an empty PATH. @returns {string} what `--version` prints */
export function versionOfExecutable(folder, version) {
  const platform = ownPlatform();
  const name = `svc-${version}-${platform}`;
  const archive = `${name}.tar.gz`;
  if (!platform || !readSums(folder).has(archive)) throw new Error(`no archive for this machine: ${archive}`);
  const place = mkdtempSync(join(tmpdir(), 'svc-release-'));
  try {
    const unpacked = spawnSync('tar', ['-xf', join(folder, archive), '-C', place], { encoding: 'utf8' });
    if (unpacked.status !== 0) throw new Error(`cannot unpack ${archive}: ${unpacked.stderr}`);
    const program = join(place, name, platform.startsWith('windows') ? 'svc.exe' : 'svc');
    const { status, stdout, stderr, error } = spawnSync(program, ['--version'], {
      encoding: 'utf8',
      env: { PATH: '', HOME: place },
    });
    if (status !== 0) throw new Error(`svc --version of ${archive} failed: ${error?.message ?? stderr}`);
    return stdout.trim();
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Read package.json in a tarball of npm. */
export function manifestOf(tarball) {
  return JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }));
}
