// Ad-hoc code signatures of Mach-O files (64 bits, little-endian). macOS can end a program whose signature does not match its bytes, and
// Bun leaves the signature of its own executable in those that it compiles for darwin-x64.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const signatureCommand = 0x1d;
const segmentCommand = 0x19;
const signatureMagic = 0xfade0cc0;
const pageSize = 4096;
const hashSize = 32;
/** The size of a CodeDirectory of version 2.4.0 without its texts and hashes. */
const directorySize = 88;
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

/** Return the offset of the first load command of a kind that matches. */
function findCommand(file, kind, matches = () => true) {
  const count = file.readUInt32LE(16);
  for (let at = 32, index = 0; index < count; index += 1, at += file.readUInt32LE(at + 4))
    if (file.readUInt32LE(at) === kind && matches(at)) return at;
  return undefined;
}

/** The name and the part of the file of a segment. */
const nameOf = (file, at) => file.toString('latin1', at + 8, at + 24).replace(/\0.*$/s, '');
const segment = (file, name) => findCommand(file, segmentCommand, (at) => nameOf(file, at) === name);

/** Hash each page. The last one can be shorter. */
function pageHashes(code) {
  const count = Math.ceil(code.length / pageSize);
  return Array.from({ length: count }, (_, page) =>
    sha256(code.subarray(page * pageSize, (page + 1) * pageSize)),
  );
}

function directoryFor(code, identifier, { executableSize }) {
  const hashes = pageHashes(code);
  const name = Buffer.from(`${identifier}\0`);
  const head = Buffer.alloc(directorySize);
  const hashOffset = directorySize + name.length;
  const adHoc = 0x2;
  const [sha256Type, mainBinary] = [2, 1n];
  head.writeUInt32BE(0xfade0c02, 0);
  head.writeUInt32BE(hashOffset + hashes.length * hashSize, 4);
  head.writeUInt32BE(0x20400, 8);
  head.writeUInt32BE(adHoc, 12);
  head.writeUInt32BE(hashOffset, 16);
  head.writeUInt32BE(directorySize, 20);
  head.writeUInt32BE(hashes.length, 28);
  head.writeUInt32BE(code.length, 32);
  head.writeUInt8(hashSize, 36);
  head.writeUInt8(sha256Type, 37);
  head.writeUInt8(Math.log2(pageSize), 39);
  // The executable segment starts at 0.
  head.writeBigUInt64BE(BigInt(executableSize), 72);
  head.writeBigUInt64BE(mainBinary, 80);
  return Buffer.concat([head, name, ...hashes]);
}

/** A signature with one blob: the directory. */
function signatureWith(directory) {
  const head = Buffer.alloc(20);
  head.writeUInt32BE(signatureMagic, 0);
  head.writeUInt32BE(head.length + directory.length, 4);
  head.writeUInt32BE(1, 8);
  head.writeUInt32BE(head.length, 16);
  return Buffer.concat([head, directory]);
}

/** Replace the signature of a file by an ad-hoc signature of all its bytes. @throws Error if it has no place for one */
export function sign(path, identifier) {
  const file = readFileSync(path);
  const command = findCommand(file, signatureCommand);
  const [linkedit, text] = [segment(file, '__LINKEDIT'), segment(file, '__TEXT')];
  if (command === undefined || linkedit === undefined || text === undefined)
    throw new Error(`${path} has no signature to replace`);
  const start = file.readUInt32LE(command + 8);
  const executableSize = file.readBigUInt64LE(text + 48);
  const size = signatureWith(directoryFor(file.subarray(0, start), identifier, { executableSize })).length;
  // The sizes are part of the signed bytes. The signature ends the last segment, which has whole pages in memory.
  file.writeUInt32LE(size, command + 12);
  const linked = start + size - Number(file.readBigUInt64LE(linkedit + 40));
  file.writeBigUInt64LE(BigInt(linked), linkedit + 48);
  file.writeBigUInt64LE(BigInt(Math.ceil(linked / pageSize) * pageSize), linkedit + 32);
  const code = file.subarray(0, start);
  writeFileSync(
    path,
    Buffer.concat([code, signatureWith(directoryFor(code, identifier, { executableSize }))]),
  );
}

/** Whether the signature of a file covers all bytes before it, and has the hash of each page. */
export function isSigned(path) {
  const file = readFileSync(path);
  const command = findCommand(file, signatureCommand);
  if (command === undefined) return false;
  const start = file.readUInt32LE(command + 8);
  const signature = file.subarray(start, start + file.readUInt32LE(command + 12));
  if (signature.length < 20 || signature.readUInt32BE(0) !== signatureMagic) return false;
  const directory = signature.subarray(signature.readUInt32BE(16));
  const hashOffset = directory.readUInt32BE(16);
  return (
    directory.readUInt32BE(32) === start &&
    pageHashes(file.subarray(0, start)).every((hash, page) =>
      hash.equals(directory.subarray(hashOffset + page * hashSize, hashOffset + (page + 1) * hashSize)),
    )
  );
}
