/**
 * The transport of the protocol: one JSON-RPC message per line. Why not that of the SDK: docs/decisions/0015.
 */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { Numbers, parseWhole } from '../../../output/json/values.ts';
import { decode } from '../../../support/bytes.ts';
import { isRecord } from '../../../support/record.ts';
import type { Context } from '../../context.ts';
import { type Problem, problemOf } from './check.ts';

/** Bytes of one message. */
export const messageLimit = 64 * 1024 * 1024;

const lineFeed = 0x0a;

export class StdioTransport implements Transport {
  // The SDK sets these properties to undefined, too.
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** Resolves at the end of the input. */
  readonly ended: Promise<void>;

  readonly #input: Context['stdin'];
  readonly #output: Context['stdout'];
  readonly #numbers = new Numbers();
  #line: Uint8Array[] = [];
  #length = 0;
  #end: () => void = () => {};
  #isClosed = false;

  constructor({ stdin, stdout }: Pick<Context, 'stdin' | 'stdout'>) {
    this.#input = stdin;
    this.#output = stdout;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async start(): Promise<void> {
    await this.#numbers.load();
    void this.#read();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#end();
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isClosed) this.#output.write(`${this.#numbers.stringify(message)}\n`);
  }

  async #read(): Promise<void> {
    try {
      for await (const chunk of this.#input) {
        if (this.#isClosed) return;
        await this.#add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      }
      // The last line may lack its end.
      await this.#endLine();
    } catch (error) {
      this.onerror?.(error as Error);
    }
    this.#end();
  }

  async #add(chunk: Uint8Array): Promise<void> {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, at));
      from = at + 1;
      await this.#endLine();
    }
    this.#keep(chunk.subarray(from));
  }

  /** A line beyond the limit is read to its end, but not kept. */
  #keep(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length > messageLimit) this.#line = [];
    else if (bytes.length > 0) this.#line.push(bytes);
  }

  async #endLine(): Promise<void> {
    const bytes = Buffer.concat(this.#line);
    const length = this.#length;
    this.#line = [];
    this.#length = 0;
    if (length > messageLimit) {
      const message = `the message is larger than ${messageLimit} bytes`;
      return this.#reject({ code: ErrorCode.InvalidRequest, message });
    }
    const text = decode(bytes);
    if (text?.trim() === '') return;
    let value: unknown;
    try {
      if (text === undefined) throw new SyntaxError('not UTF-8');
      value = /\d{16}/.test(text) ? await parseWhole(text) : JSON.parse(text);
    } catch {
      return this.#reject({ code: ErrorCode.ParseError, message: 'the message is not valid JSON' });
    }
    const problem = problemOf(value);
    if (problem) await this.#reject(problem, value);
    else this.onmessage?.(value as JSONRPCMessage);
  }

  /**
   * Respond to a message that cannot be handled, with its id if it has one (JSON-RPC 2.0 section 5). A notification gets no response
   * (section 4.1).
   */
  async #reject(error: Problem, value?: unknown): Promise<void> {
    const { id = null } = isRecord(value) ? value : {};
    if (id === null && error.code === ErrorCode.InvalidParams)
      return this.onerror?.(new Error(error.message));
    const isId = typeof id === 'string' || Number.isInteger(id);
    // The types of the SDK do not allow null.
    await this.send({ jsonrpc: '2.0', id: (isId ? id : null) as string, error });
  }
}
