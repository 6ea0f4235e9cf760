/** What the command of one target prints, until its turn comes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { createSync } from '../../support/atomic-write.ts';

/** Bytes of a target that are kept in memory. More are kept in a temporary file. */
const memoryLimit = 256 * 1024;

/** Open a temporary file without a name, so that it does not remain however the process ends. */
function openUnnamed(): number {
  const file = path.join(os.tmpdir(), `svc-each-${crypto.randomUUID()}`);
  const fd = createSync(file);
  // On Windows other programs can delay the removal.
  fs.rmSync(file, { maxRetries: 5 });
  return fd;
}

/** What the command of a target prints. */
export class Printed {
  /** What the data is: JSON, one JSON value per line, text, or requests of a dry run. */
  kind: 'json' | 'lines' | 'text' | 'requests';
  /** Notes and confirmations, in order. */
  readonly notes: (readonly [how: 'say' | 'done' | 'confirmed' | 'warn', text: string])[] = [];
  #data: Capture | undefined;
  #errors: Capture | undefined;

  constructor(kind: Printed['kind']) {
    this.kind = kind;
  }

  /** Standard output. */
  get data(): Capture {
    this.#data ??= new Capture();
    return this.#data;
  }

  /** Standard error of another program. Those of svc are notes. */
  get errors(): Capture {
    this.#errors ??= new Capture();
    return this.#errors;
  }

  get hasData(): boolean {
    return this.#data !== undefined;
  }

  get isEmpty(): boolean {
    return this.#data?.isEmpty ?? true;
  }

  get hasErrors(): boolean {
    return this.#errors !== undefined;
  }

  discard(): void {
    this.#data?.discard();
    this.#errors?.discard();
  }
}

export class Capture extends Writable {
  #chunks: Buffer[] = [];
  #inMemory = 0;
  #fd: number | undefined;

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#chunks.push(chunk);
    this.#inMemory += chunk.length;
    try {
      if (this.#inMemory > memoryLimit) this.#flush();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  get isEmpty(): boolean {
    return this.#inMemory === 0 && this.#fd === undefined;
  }

  #flush(): void {
    this.#fd ??= openUnnamed();
    fs.writeFileSync(this.#fd, Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#inMemory = 0;
  }

  /** Read everything once. */
  async *read(): AsyncGenerator<Uint8Array> {
    try {
      if (this.#fd !== undefined)
        yield* fs.createReadStream('', { fd: this.#fd, start: 0, autoClose: false });
      yield* this.#chunks;
    } finally {
      this.discard();
    }
  }

  discard(): void {
    this.#chunks = [];
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}
