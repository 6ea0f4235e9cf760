/**
 * The output of one target, until its turn comes. A result reads its response while it is printed, so it cannot wait itself: it is
 * printed as JSON, in memory or in a temporary file.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { Failure } from '../../errors.ts';
import { sizes } from '../../output/json/rows.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Note, Result } from '../../spec/result.ts';
import { collect, decode } from '../../support/bytes.ts';
import { showSize } from '../../support/number.ts';
import type { Format } from '../../support/text/formats.ts';
import type { PlanPart } from '../../tasks/engine/plan-text.ts';
import type { Options } from '../argv/flags.ts';
import { requestsOutput } from '../call/print.ts';
import type { Session } from '../session/model.ts';
import { noProgress } from '../terminal/progress.ts';

/** Bytes of a target that are kept in memory. More are kept in a temporary file. */
const memoryLimit = 256 * 1024;

/** Open a temporary file without a name, so that it does not remain however the process ends. */
function openUnnamed(): number {
  const file = path.join(os.tmpdir(), `svc-each-${crypto.randomUUID()}`);
  const fd = fs.openSync(file, 'wx+', 0o600);
  // On Windows other programs can delay the removal.
  fs.rmSync(file, { maxRetries: 5 });
  return fd;
}

/** The output of one target: data, the standard error of another program, and notes in order. */
export class Output {
  /** The kind of the data: JSON, the steps of a plan, the results of a jq program (one per line), text, or the requests of a dry run. */
  kind: 'json' | 'lines' | 'steps' | 'text' | 'requests' = 'text';
  isUnchanged = false;
  /** Whether the text is a document of YAML. */
  isDocument = false;
  /** Describes the data. With some flags, a task prints other rows than usually. */
  endpoint: Endpoint | undefined;
  readonly notes: Note[] = [];
  /** Plans, which a table shows together with those of other targets. */
  readonly plans: PlanPart[] = [];
  readonly data = new Spool();
  readonly errors = new Spool();

  get isEmpty(): boolean {
    return this.data.isEmpty && this.notes.length === 0;
  }

  async *json(): AsyncGenerator<Uint8Array> {
    // A jq program without a result is a list of none. Its result can be null.
    if (this.data.isEmpty) return yield Buffer.from(this.kind === 'lines' ? '[]' : 'null');
    if (this.kind === 'json' || this.kind === 'steps') return yield* this.data.read();
    const text = await this.data.text();
    const lines = text.split('\n').filter((line) => line !== '');
    // A single result of a jq program is not in a list.
    const results = lines.length === 1 ? text : `[${lines.join(',')}]`;
    yield Buffer.from(this.kind === 'lines' ? results : JSON.stringify(text));
  }

  keepKind(result: Result, { options, settings }: Session): void {
    this.isUnchanged = result.isUnchanged === true;
    if ('endpoint' in result) this.endpoint = result.endpoint;
    if (result.kind === 'requests') this.kind = 'requests';
    if (result.heading !== undefined) return;
    if (!['rows', 'object', 'written'].includes(result.kind) || settings.output.value === 'raw') return;
    this.isDocument = result.kind === 'object' && result.format === 'yaml';
    if (this.isDocument) return;
    if (options.jq === undefined) this.kind = result.areSteps ? 'steps' : 'json';
    else if (options.rawStrings !== true) this.kind = 'lines';
  }
}

/** Bytes that are written, and then read once. */
export class Spool extends Writable {
  size = 0;
  #chunks: Buffer[] = [];
  #inMemory = 0;
  #fd: number | undefined;

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#chunks.push(chunk);
    this.size += chunk.length;
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

  /** UTF-8 text, or other bytes in base64. */
  async text(): Promise<string> {
    const bytes = await collect(this.read());
    return decode(bytes) ?? bytes.toString('base64');
  }

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
    this.size = 0;
    this.#inMemory = 0;
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Returns a function that opens the session of a target. Sessions share everything but their options and their output. */
export function sessionOpener(session: Session) {
  const { screen: _, ...terminal } = session.terminal;
  const isList = isSlurped(session);
  const isTable = isList || (isTabular(formatOf(session)) && session.options.jq === undefined);
  // These options apply to the table, or to the list, of all targets.
  const ofAll = new Set([
    ...(isTable ? ['wrap', 'noHeader', 'csvSafe', 'time', 'fields', 'allFields'] : []),
    ...(isList ? ['jq', 'rawStrings', 'sortBy'] : []),
  ]);
  const { output } = session.settings;
  // A table drops the options that request the response of a write.
  const source = requestsOutput(session) ? 'flag' : output.source;
  return (options: Options, { data, errors, notes, plans }: Output): Session => {
    const keep = (how: Note['how']) => (text: string) => void notes.push({ how, text });
    const own = Object.entries(options).filter(([name]) => !ofAll.has(name));
    const value = options.raw === true ? 'raw' : 'json';
    return {
      ...session,
      options: Object.fromEntries(own) as Options,
      settings: { ...session.settings, output: { ...output, source, value } },
      terminal: { ...terminal, color: false, progress: 'none' },
      progress: noProgress,
      isOneOfSeveral: true,
      ...(isTable ? {} : { omitsIncomplete: true }),
      ...(isTable && !isList ? { plans } : {}),
      // The streams of the program are getters.
      context: Object.create(session.context, {
        stdout: { value: data },
        stderr: { value: errors },
        stdin: { value: undefined },
        isCaptured: { value: true },
      }),
      notes: {
        ...session.notes,
        say: keep('say'),
        sayOnce: keep('say'),
        done: keep('done'),
        confirmed: keep('confirmed'),
        warn: keep('warn'),
      },
    };
  };
}

export const isSlurped = ({ options }: Session): boolean => 'slurp' in options;

/** The format of the results. Those of a jq program need not be objects, which a table requires. */
export function formatOf({ settings, options }: Session): Format {
  const { value, source } = settings.output;
  return options.jq !== undefined && source === 'default' ? 'ndjson' : value;
}

/** Bytes of a record besides its data. */
const envelope = 64 * 1024;

/** @throws Failure `unsuccessful` for data that does not fit in the record of a target */
export function checkSize(session: Session, { kind, data }: Output): void {
  const limit = sizes.value - envelope;
  if (data.size <= limit || kind === 'requests' || isSlurped(session) || isTabular(formatOf(session))) return;
  data.discard();
  throw new Failure('unsuccessful', `the result has more than ${showSize(limit)}, too much for one record`, {
    hint: 'print its rows with -o csv, or fewer of its fields with --fields',
  });
}

export const isTabular = (format: Format): boolean => ['table', 'csv', 'tsv', 'raw'].includes(format);
