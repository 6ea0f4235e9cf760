/** The transport of the protocol: one JSON-RPC message per line. Why not that of the SDK: docs/decisions/0015. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Numbers, parseWhole } from '../../../output/json/values.ts';
import { decode } from '../../../support/bytes.ts';
import { isRecord } from '../../../support/record.ts';
import type { Context } from '../../context.ts';

/** An error of the protocol. `McpError` of the SDK would add a prefix, which clients add again. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Split a stream into lines. The last one may lack its end. */
async function* linesOf(input: Context['stdin']): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  for await (const chunk of input) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield Buffer.concat([...held, rest.subarray(0, end)]);
      held = [];
      rest = rest.subarray(end + 1);
    }
    held.push(rest);
  }
  yield Buffer.concat(held);
}

export class StdioTransport implements Transport {
  // The SDK sets these properties to undefined, too.
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** Resolves at the end of the input. */
  readonly ended: Promise<void>;

  readonly #streams: Pick<Context, 'stdin' | 'stdout'>;
  readonly #numbers = new Numbers();
  #end: () => void = () => {};
  #isClosed = false;

  constructor(streams: Pick<Context, 'stdin' | 'stdout'>) {
    this.#streams = streams;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async start(): Promise<void> {
    await this.#numbers.load();
    void this.#read()
      .catch((error: Error) => this.onerror?.(error))
      .finally(this.#end);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#end();
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isClosed) this.#streams.stdout.write(`${this.#numbers.stringify(message)}\n`);
  }

  async #read(): Promise<void> {
    for await (const line of linesOf(this.#streams.stdin)) {
      if (this.#isClosed) return;
      const text = decode(line);
      if (text?.trim() === '') continue;
      const { value, problem } = await parse(text);
      if (!problem) this.onmessage?.(value as JSONRPCMessage);
      else await this.#reject(problem, value);
    }
  }

  /** Respond to a message that cannot be handled (JSON-RPC 2.0 section 5). A notification gets no response (section 4.1). */
  async #reject(error: Problem, value: unknown): Promise<void> {
    const { id = null } = isRecord(value) ? value : {};
    if (id === null && error.code === ErrorCode.InvalidParams)
      return this.onerror?.(new Error(error.message));
    const isId = typeof id === 'string' || Number.isInteger(id);
    // The types of the SDK do not allow null.
    await this.send({ jsonrpc: '2.0', id: (isId ? id : null) as string, error });
  }
}

/** Parse a message. @param text undefined for bytes that are not UTF-8 */
async function parse(text = ''): Promise<{ value?: unknown; problem?: Problem | undefined }> {
  try {
    const value: unknown = /\d{16}/.test(text) ? await parseWhole(text) : JSON.parse(text);
    return { value, problem: problemOf(value) };
  } catch {
    return { problem: { code: ErrorCode.ParseError, message: 'the message is not valid JSON' } };
  }
}

/** The messages with parameters that the server handles. */
const handled = [
  InitializeRequestSchema,
  PingRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  CancelledNotificationSchema,
];

/**
 * Find the reason why the SDK cannot handle a message. It reports parameters that do not agree with their schema as internal errors
 * (-32603), in JSON for programmers. The specification of JSON-RPC requires -32602.
 */
function problemOf(value: unknown): Problem | undefined {
  const { params: _, ...rest } = isRecord(value) ? value : {};
  if (!JSONRPCMessageSchema.safeParse(rest).success)
    return { code: ErrorCode.InvalidRequest, message: 'the message is not a JSON-RPC 2.0 message' };
  const { method } = rest;
  // A response.
  if (method === undefined) return undefined;
  const envelope = 'id' in rest ? JSONRPCRequestSchema : JSONRPCNotificationSchema;
  const known = handled.find(({ shape }) => shape.method.value === method);
  const issue = [envelope, known].flatMap((schema) => schema?.safeParse(value).error?.issues ?? [])[0];
  if (!issue) return undefined;
  // The schemas call an object with any names a record.
  const type = issue.code === 'invalid_type' ? issue.expected.replace('record', 'object') : undefined;
  const what = type === undefined ? 'is not valid' : `must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
  return {
    code: ErrorCode.InvalidParams,
    message: `invalid parameters of ${method}: ${issue.path.join('.')} ${what}`,
  };
}
