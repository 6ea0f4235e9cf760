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
import { parseWhole } from '../../../output/json/values.ts';
import { decode } from '../../../support/bytes.ts';
import { jsonText } from '../../../support/json.ts';
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

/** A transport over standard input and output. `ended` resolves at the end of the input, or when it is closed. */
export function openStdio({
  stdin,
  stdout,
}: Pick<Context, 'stdin' | 'stdout'>): Transport & { readonly ended: Promise<void> } {
  let isClosed = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const read = async () => {
    for await (const line of linesOf(stdin)) {
      if (isClosed) return;
      const text = decode(line);
      if (text?.trim() === '') continue;
      const { value, problem } = await parse(text);
      if (!problem) transport.onmessage?.(value as JSONRPCMessage);
      else await reject(problem, value);
    }
  };
  // A message that cannot be handled gets a response (JSON-RPC 2.0 section 5), but not a notification (section 4.1).
  const reject = async (error: Problem, value: unknown) => {
    const { id = null } = isRecord(value) ? value : {};
    if (id === null && error.code === ErrorCode.InvalidParams)
      return transport.onerror?.(new Error(error.message));
    const isId = typeof id === 'string' || Number.isInteger(id);
    // The types of the SDK do not allow null.
    await transport.send({ jsonrpc: '2.0', id: (isId ? id : null) as string, error });
  };
  const transport: Transport & { readonly ended: Promise<void> } = {
    ended,
    async start() {
      void read()
        .catch((error: Error) => transport.onerror?.(error))
        .finally(end);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      end();
      transport.onclose?.();
    },
    async send(message) {
      if (!isClosed) stdout.write(`${jsonText(message)}\n`);
    },
  };
  return transport;
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
