/** `multipart/form-data` (RFC 7578), streamed from disk with its length known ahead. */
import { createReadStream, statSync } from 'node:fs';
import { usage } from '../../errors.ts';
import { errnoText } from '../../support/errno.ts';
import type { Body } from '../transport.ts';

/** A file to send. */
export interface UploadFile {
  /** Path, or what the source is called where `stream` is given. */
  readonly file: string;
  /** The name told to the service. */
  readonly filename: string;
  /** Bytes, where known. A file on disk is asked. */
  readonly size?: number;
  /** Gives the bytes in place of the file on disk: standard input. Can be read once only. */
  readonly stream?: () => AsyncIterable<Uint8Array>;
}

export interface FormPart {
  readonly name: string;
  readonly value: string | UploadFile;
}

interface Piece {
  readonly head: Buffer;
  readonly size: number | undefined;
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly once?: true;
}

/**
 * A form with files as a request's body.
 * @returns the value of `Content-Type`, and a body whose length is known where that of every part is
 * @throws Failure `usage` for a file that can't be read; nothing is sent then
 */
export function multipartBody(parts: readonly FormPart[]): {
  readonly contentType: string;
  readonly body: Body;
} {
  const boundary = `svc-${process.getBuiltinModule('node:crypto').randomBytes(18).toString('hex')}`;
  const pieces = parts.map((part) => pieceOf(part, boundary));
  const tail = Buffer.from(`--${boundary}--\r\n`);
  const length = pieces.reduce<number | undefined>(
    (sum, { head, size }) =>
      sum === undefined || size === undefined ? undefined : sum + head.length + size + 2,
    tail.length,
  );
  async function* open() {
    for (const piece of pieces) {
      yield piece.head;
      yield* piece.open();
      yield Buffer.from('\r\n');
    }
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      open,
      ...(length === undefined ? {} : { length }),
      ...(pieces.some((piece) => piece.once) ? { once: true } : {}),
    },
  };
}

function pieceOf({ name, value }: FormPart, boundary: string): Piece {
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    const open = async function* () {
      yield bytes;
    };
    return { head: Buffer.from(`${start}\r\n\r\n`), size: bytes.length, open };
  }
  const head = `${start}; filename="${quoted(value.filename)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return { head: Buffer.from(head), ...source(value) };
}

/** Escaped as the HTML standard has browsers do it (section 4.10.21.8, multipart/form-data). */
function quoted(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|\r|\n/g, '%0D%0A')
    .replaceAll('"', '%22');
}

function source({ file, size, stream }: UploadFile): Omit<Piece, 'head'> {
  if (stream) return { size, open: once(file, () => bounded(file, stream())), once: true };
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(file);
  } catch (error) {
    throw unreadable(file, error);
  }
  if (stats.isDirectory()) throw usage(`${file} is a folder, not a file`);
  const open = async function* () {
    try {
      yield* createReadStream(file, { highWaterMark: 256 * 1024 });
    } catch (error) {
      throw unreadable(file, error);
    }
  };
  // A pipe or a device has no size that means anything.
  return stats.isFile()
    ? { size: stats.size, open }
    : { size: undefined, open: once(file, () => bounded(file, open())), once: true };
}

/** Bytes of a pipe or a device, which may not end. */
const endlessLimit = 1024 ** 3;

async function* bounded(file: string, source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let length = 0;
  for await (const chunk of source) {
    length += chunk.byteLength;
    if (length > endlessLimit)
      throw usage(`${file} gives more than 1 GiB`, 'upload a file instead of a pipe or a device');
    yield chunk;
  }
}

/** A source that is gone once it was read: a retry must not send half of it. */
function once(file: string, open: () => AsyncIterable<Uint8Array>): () => AsyncIterable<Uint8Array> {
  let used = false;
  return () => {
    if (used) throw usage(`the request can't be repeated: ${file} can be read once only`, 'give a file');
    used = true;
    return open();
  };
}

function unreadable(file: string, error: unknown) {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return usage(`no such file: ${file}`);
  if (code === 'EACCES' || code === 'EPERM') return usage(`may not read ${file}`);
  return usage(`can't read ${file}: ${errnoText(error)}`);
}
