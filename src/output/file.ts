import fs from 'node:fs';

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
 * Write all pieces to a file. Node's stream does not notice partial writes on a full disk.
 * @param write for tests: writes a part and returns its length
 * @throws the system error: ENOSPC, EIO
 */
export function writeToFile(
  fd: number,
  pieces: readonly (Uint8Array | string)[],
  write: (fd: number, bytes: Uint8Array) => number = fs.writeSync,
): void {
  for (const piece of pieces) {
    let rest = typeof piece === 'string' ? Buffer.from(piece) : piece;
    while (rest.length > 0) rest = rest.subarray(write(fd, rest));
  }
}
