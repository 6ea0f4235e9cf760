/** What the command of one target prints, until its turn comes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';

/** Bytes of a target that are kept in memory. More are kept in a temporary file. */
const memoryLimit = 256 * 1024;

/** A folder for temporary files, created for the first. */
export class Spool {
  #folder: string | undefined;
  #files = 0;

  file(): string {
    this.#folder ??= fs.mkdtempSync(path.join(os.tmpdir(), 'svc-each-'));
    this.#files += 1;
    return path.join(this.#folder, String(this.#files));
  }

  remove(): void {
    if (this.#folder !== undefined) fs.rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}

/** What the command of a target prints. */
export class Printed {
  /** What the data is: JSON, one JSON value per line, text, or requests of a dry run. */
  kind: 'json' | 'lines' | 'text' | 'requests';
  /** Notes and confirmations, in order. */
  readonly notes: (readonly [how: 'say' | 'done' | 'confirmed' | 'warn', text: string])[] = [];
  readonly #spool: Spool;
  #data: Capture | undefined;
  #errors: Capture | undefined;

  constructor(spool: Spool, kind: Printed['kind']) {
    this.#spool = spool;
    this.kind = kind;
  }

  /** Standard output. */
  get data(): Capture {
    this.#data ??= new Capture(this.#spool);
    return this.#data;
  }

  /** Standard error of another program. Those of svc are notes. */
  get errors(): Capture {
    this.#errors ??= new Capture(this.#spool);
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
  readonly #spool: Spool;
  #chunks: Buffer[] = [];
  #inMemory = 0;
  #file: { readonly path: string; readonly fd: number } | undefined;

  constructor(spool: Spool) {
    super();
    this.#spool = spool;
  }

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
    return this.#inMemory === 0 && this.#file === undefined;
  }

  #flush(): void {
    if (!this.#file) {
      const file = this.#spool.file();
      this.#file = { path: file, fd: fs.openSync(file, 'wx', 0o600) };
    }
    fs.writeFileSync(this.#file.fd, Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#inMemory = 0;
  }

  /** Read everything once. */
  async *read(): AsyncGenerator<Uint8Array> {
    try {
      if (this.#file) yield* fs.createReadStream(this.#file.path);
      yield* this.#chunks;
    } finally {
      this.discard();
    }
  }

  discard(): void {
    this.#chunks = [];
    if (!this.#file) return;
    fs.closeSync(this.#file.fd);
    fs.rmSync(this.#file.path, { force: true });
    this.#file = undefined;
  }
}
