// Code signatures of Mach-O files (64 bits, little-endian). The layout is that of <mach-o/loader.h>.
import { readFileSync, writeFileSync } from 'node:fs';

const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const firstCommand = 32;

/**
 * Remove the signature of an executable for macOS on Intel. Bun leaves the one of its own executable there, which does not match the
 * bytes, so that macOS can end the program. Unlike ARM64, Intel runs programs without a signature.
 * @returns whether there was one
 */
export function removeSignature(path) {
  const file = readFileSync(path);
  const [count, size] = [file.readUInt32LE(16), file.readUInt32LE(20)];
  let signature;
  let linkedit;
  for (let at = firstCommand; at < firstCommand + size; at += file.readUInt32LE(at + 4)) {
    const kind = file.readUInt32LE(at);
    if (kind === signatureCommand) signature = at;
    if (kind === segmentCommand && file.toString('latin1', at + 8, at + 18) === '__LINKEDIT') linkedit = at;
  }
  if (signature === undefined || linkedit === undefined) return false;
  const [length, start] = [file.readUInt32LE(signature + 4), file.readUInt32LE(signature + 8)];
  // The signature ends the file and the last segment.
  file.writeBigUInt64LE(BigInt(start) - file.readBigUInt64LE(linkedit + 40), linkedit + 48);
  file.copyWithin(signature, signature + length, firstCommand + size);
  file.fill(0, firstCommand + size - length, firstCommand + size);
  file.writeUInt32LE(count - 1, 16);
  file.writeUInt32LE(size - length, 20);
  writeFileSync(path, file.subarray(0, start));
  return true;
}
