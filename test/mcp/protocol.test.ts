/** Messages of JSON-RPC 2.0 and of the Model Context Protocol, as they are on the streams of `svc mcp`. */
import { CancelledNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { jsonLines } from '../support/svc.ts';

interface Message {
  readonly jsonrpc: string;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const world = await openWorld();

const initialize =
  '{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}';
const ping = '{"jsonrpc":"2.0","id":"end","method":"ping"}';

/** The responses to a line, and diagnostics. A request before and after it must succeed. */
async function responsesTo(line: string) {
  const ran = await world.run(['mcp', '--areas', 'jobs,branches'], {
    stdin: [initialize, line, ping].join('\n'),
  });
  expect(ran.code).toBe(0);
  const all: Message[] = jsonLines(ran.out);
  const others = all.filter(({ id }) => id !== 'start' && id !== 'end');
  expect(all.length - others.length).toBe(2);
  expect(all.every(({ jsonrpc, error }) => jsonrpc === '2.0' && error?.code !== -32603)).toBe(true);
  return { responses: others, err: ran.err };
}

const request = (method: string, params?: unknown, id: unknown = 7) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** The codes of JSON-RPC 2.0 section 5.1. */
const [methodNotFound, invalidParams] = [-32601, -32602];

test.each([
  ['an unknown method', request('tools/nope'), methodNotFound, /^Method not found$/],
  ['a method of a missing capability', request('resources/list'), methodNotFound, /^Method not found$/],
  ['tools/call without params', request('tools/call'), invalidParams, / tools\/call: params$/],
  ['a name that is a number', request('tools/call', { name: 7 }), invalidParams, /: params\.name$/],
  [
    'arguments that are a list',
    request('tools/call', { name: 'jobs_list', arguments: [1] }),
    invalidParams,
    /: params\.arguments$/,
  ],
  ['a cursor of tools/list', request('tools/list', { cursor: 'x' }), invalidParams, /cursor is not valid/],
] as const)('%s is an error in a sentence, and the server continues', async (_, line, code, message) => {
  const { responses } = await responsesTo(line);
  expect(responses).toEqual([
    { jsonrpc: '2.0', id: 7, error: { code, message: expect.stringMatching(message) } },
  ]);
});

test.each([
  ['cut-off JSON', '{"jsonrpc":"2.0","id":7'],
  ['text', 'nonsense'],
  ['a batch, which version 2025-06-18 removed', `[${ping}]`],
  ['no version', '{"id":7,"method":"ping"}'],
  ['an id that is null', request('ping', {}, null)],
])('reports %s, which is not a message, on standard error and continues', async (_, line) => {
  const { responses, err } = await responsesTo(line);
  expect(responses).toEqual([]);
  expect(err).toMatch(/^protocol error: [^[]/m);
});

const cancel = CancelledNotificationSchema.shape.method.value;
const notification = (method: string, params?: unknown) => JSON.stringify({ jsonrpc: '2.0', method, params });

test.each([
  ['an unknown method', notification('notifications/nope'), /^Serving.*\n$/],
  ['parameters that are not valid', notification(cancel, { requestId: {} }), /protocol error: /],
  ['the id of no request', notification(cancel, { requestId: 99 }), /^Serving.*\n$/],
])('a notification with %s gets no response', async (_, line, diagnostics) => {
  const { responses, err } = await responsesTo(line);
  expect(responses).toEqual([]);
  expect(err).toMatch(diagnostics);
});

test('a request with other members in its parameters is handled', async () => {
  const { responses } = await responsesTo(
    request('tools/list', { _meta: { progressToken: 1, 'a/b': {} }, more: 1 }),
  );
  expect(responses).toEqual([{ jsonrpc: '2.0', id: 7, result: { tools: expect.any(Array) } }]);
});
