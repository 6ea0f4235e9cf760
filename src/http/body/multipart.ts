/** `multipart/form-data` (RFC 7578), streamed from disk with a known length. */
import { randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { type Failure, usage } from '../../errors.ts';
import { once } from '../../support/bytes.ts';
import { errnoText } from '../../support/errno.ts';
import type { Body, StreamBody } from '../transport.ts';

interface UploadFile {
  /** Path of a file on disk. */
  readonly file: string;
  readonly filename: string;
  /** Number of bytes of `stream`, if known. */
  readonly size?: number;
  /** Returns the bytes in place of a file on disk, for example standard input. Can be read only once. */
  readonly stream?: () => AsyncIterable<Uint8Array>;
}

interface FormPart {
  readonly name: string;
  readonly value: string | UploadFile;
}

/**
 * Encode a form with files as a request body.
 * @returns the value of `Content-Type`, and a body whose length is known if the length of every part is
 * @throws Failure `usage` for an unreadable file, before anything is sent
 */
export function multipartBody(parts: readonly FormPart[]): {
  readonly contentType: string;
  readonly body: Body;
} {
  const boundary = `svc-${randomBytes(18).toString('hex')}`;
  const encoded = parts.map((part) => encodePart(part, boundary));
  const tail = Buffer.from(`--${boundary}--\r\n`);
  const length = encoded.reduce<number | undefined>(
    (sum, { head, size }) =>
      sum === undefined || size === undefined ? undefined : sum + head.length + size + 2,
    tail.length,
  );
  async function* open() {
    for (const part of encoded) {
      yield part.head;
      yield* part.open();
      yield Buffer.from('\r\n');
    }
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      open,
      ...(length === undefined ? {} : { length }),
      ...(encoded.some((part) => 'once' in part) ? { once: true } : {}),
    },
  };
}

function encodePart({ name, value }: FormPart, boundary: string) {
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return { head: Buffer.from(`${start}\r\n\r\n`), size: bytes.length, open: () => once(bytes) };
  }
  const head = `${start}; filename="${quoted(value.filename)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return { head: Buffer.from(head), ...source(value) };
}

/** Escape a name as browsers do (HTML standard, section 4.10.21.8). */
function quoted(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|\r|\n/g, '%0D%0A')
    .replaceAll('"', '%22');
}

function source({ file, size, stream }: UploadFile): {
  size: number | undefined;
  open: StreamBody['open'];
  once?: true;
} {
  if (stream) return { size, open: stream, once: true };
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
  // The size of a pipe or a device is meaningless.
  return stats.isFile() ? { size: stats.size, open } : { size: undefined, open, once: true };
}

function unreadable(file: string, error: unknown): Failure {
  return usage(`cannot read ${file}: ${errnoText(error)}`);
}
