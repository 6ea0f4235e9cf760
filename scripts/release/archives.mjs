// The files of `npm run package`: their checksums, and the executable for this machine.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `svc-${version}-${system}-${process.arch}`;
  const sums = readSums(folder);
  const archive = [`${name}.tar.gz`, `${name}.zip`].find((file) => sums.has(file));
  if (!archive) throw new Error(`no archive for this machine: ${name}`);
  const place = mkdtempSync(join(tmpdir(), 'svc-release-'));
  try {
    const unpacked = spawnSync('tar', ['-xf', join(folder, archive), '-C', place], { encoding: 'utf8' });
    if (unpacked.status !== 0) throw new Error(`cannot unpack ${archive}: ${unpacked.stderr}`);
    const program = join(place, name, system === 'windows' ? 'svc.exe' : 'svc');
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
