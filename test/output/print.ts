/** Helpers that print text through an output. */
import { Writable } from 'node:stream';
import { createOutput } from '../../src/output/index.ts';
import { sizes } from '../../src/output/json/rows.ts';
import type { Output, OutputOptions } from '../../src/output/model.ts';

export const defaults: OutputOptions = {
  format: 'json',
  columns: [],
  header: true,
  csvSafe: false,
  color: false,
  time: 'iso',
  now: () => Date.parse('2026-05-01T13:30:00Z'),
};

export const terminal = { width: 80, color: false, accessible: false, unicode: true } as const;

/** Split bytes into chunks of one size. */
export async function* chunked(text: string | Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export interface Printed {
  readonly output: Output;
  /** Text written so far. */
  readonly text: () => string;
  /** Bytes written so far. */
  readonly size: () => number;
}

export function open(options: Partial<OutputOptions>, { keep } = { keep: true }): Printed {
  const chunks: Buffer[] = [];
  let size = 0;
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (keep) chunks.push(chunk);
      size += chunk.length;
      done();
    },
  });
  return {
    output: createOutput({ ...defaults, ...options }, out),
    size: () => size,
    text: () => Buffer.concat(chunks).toString(),
  };
}

/** Print a list of pages. */
export async function list(
  options: Partial<OutputOptions>,
  pages: readonly string[],
  size?: number,
): Promise<string> {
  const { output, text } = open(options);
  for (const page of pages) await output.page(chunked(page, size));
  await output.endList();
  return text();
}

/** Print one object. */
export async function object(options: Partial<OutputOptions>, body: string, size?: number): Promise<string> {
  const { output, text } = open(options);
  await output.object(chunked(body, size));
  return text();
}

/** Parse pieces, and process pages in parts, of a few bytes. @returns a function that ends it */
export function setPartSize(piece: number, batch = piece): () => void {
  const before = { ...sizes };
  Object.assign(sizes, { piece, batch });
  return () => void Object.assign(sizes, before);
}
