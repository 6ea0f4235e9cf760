/**
 * Check messages before the SDK handles them: it reports parameters that do not agree with their schema as internal errors (-32603),
 * in JSON for programmers. The specification of JSON-RPC requires -32602.
 */
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isRecord } from '../../../support/record.ts';

/** An error of the protocol. `McpError` of the SDK would add a prefix, which clients add again. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The messages with parameters that the server handles. */
const handled = [
  InitializeRequestSchema,
  PingRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  CancelledNotificationSchema,
];

/** Find the reason why a message cannot be handled. */
export function problemOf(value: unknown): Problem | undefined {
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
  const what = issue.code === 'invalid_type' ? `must be ${article(issue.expected)}` : 'is not valid';
  return {
    code: ErrorCode.InvalidParams,
    message: `invalid parameters of ${method}: ${issue.path.join('.')} ${what}`,
  };
}

/** `an object`; the schemas call an object with any names a record. */
function article(type: string): string {
  const name = type === 'record' ? 'object' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}
