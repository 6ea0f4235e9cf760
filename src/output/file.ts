import fs from 'node:fs';

/** Writes several pieces. @returns the number of bytes written, which may be less than their total */
export type WritePieces = (fd: number, pieces: readonly Uint8Array[]) => number;

/**
 * Return the descriptor of a stream to a file, or to a device other than a terminal; undefined for a pipe, a terminal or
 * any other stream.
 */
export function fileBehind(out: object): number | undefined {
  if (!('fd' in out) || typeof out.fd !== 'number' || ('isTTY' in out && out.isTTY)) return undefined;
  const stat = fs.fstatSync(out.fd);
  return stat.isFile() || stat.isCharacterDevice() ? out.fd : undefined;
}

/**
 * Write all pieces to a file. Node's stream makes one system call for each piece, and does not notice partial writes on a
 * full disk.
 * @param write for tests
 * @throws the system error: ENOSPC, EIO
 */
export function writeToFile(fd: number, pieces: readonly (Uint8Array | string)[], write?: WritePieces): void {
  const put = write ?? fs.writevSync;
  let rest = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  let left = rest.reduce((sum, { length }) => sum + length, 0);
  while (left > 0) {
    const written = put(fd, rest);
    left -= written;
    if (left > 0) rest = after(rest, written);
  }
}

/** Return the pieces without their first bytes. */
function after(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  return pieces.flatMap((piece) => {
    const skipped = Math.min(left, piece.length);
    left -= skipped;
    return skipped === piece.length ? [] : [piece.subarray(skipped)];
  });
}
