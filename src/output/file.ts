/** Writes some pieces at once. @returns bytes written, which may be fewer than there were */
export type WritePieces = (fd: number, pieces: readonly Uint8Array[]) => number;

/**
 * The descriptor behind a stream to a file, or to a device that is no terminal; undefined for a pipe, a terminal, or a stream of
 * another kind.
 */
export function fileBehind(out: object): number | undefined {
  if (!('fd' in out) || typeof out.fd !== 'number' || ('isTTY' in out && out.isTTY)) return undefined;
  const stat = process.getBuiltinModule('node:fs').fstatSync(out.fd);
  return stat.isFile() || stat.isCharacterDevice() ? out.fd : undefined;
}

/**
 * Write all of the pieces to a file. Node's own stream makes a call of the system for each, and takes it for whole also where the disk
 * had room for a part of it only.
 * @param write for tests
 * @throws the error of the system: ENOSPC, EIO
 */
export function writeToFile(fd: number, pieces: readonly (Uint8Array | string)[], write?: WritePieces): void {
  const put = write ?? process.getBuiltinModule('node:fs').writevSync;
  let rest = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  let left = rest.reduce((sum, { length }) => sum + length, 0);
  while (left > 0) {
    const written = put(fd, rest);
    left -= written;
    if (left > 0) rest = behind(rest, written);
  }
}

/** What of the pieces stands behind this many bytes. */
function behind(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  let at = 0;
  while (at < pieces.length && left >= pieces[at]!.length) left -= pieces[at++]!.length;
  const rest = pieces.slice(at);
  if (left > 0) rest[0] = rest[0]!.subarray(left);
  return rest;
}
