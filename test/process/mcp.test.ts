/** `svc mcp` as a process: the official client, its streams and its end. */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/support/process.ts';
import { command, type Started, sharedHome, start, svc, until } from '../support/process.ts';
import { json, serve } from '../support/service.ts';
import { jsonLines, words } from '../support/svc.ts';

const home = await sharedHome();

const project = 'acme/rocket';

const [file = '', ...before] = command;

/** Connect the official client to a process. */
async function connect(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const transport = new StdioClientTransport({
    command: file,
    args: [...before, ...args],
    env: { ...home.env, ...env },
    cwd: home.path,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid as number };
}

test('the official client lists and calls tools, and closing it ends the process', async () => {
  const { client, pid } = await connect(['--sandbox', 'mcp', '--allow-writes', '--areas', 'jobs,variables']);
  expect(client.getServerVersion()?.name).toBe('svc');
  expect(client.getInstructions()).toMatch(/cursor/);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['jobs_list', 'variables_delete']));
  const jobs = await client.callTool({ name: 'jobs_list', arguments: { project, scope: ['failed'] } });
  const { rows } = jobs.structuredContent as { rows: { status: string }[] };
  expect(rows.length).toBe(19);
  await client.callTool({ name: 'variables_set', arguments: { project, key: 'BY_AGENT', value: 'shared' } });
  // Other commands use the same sandbox meanwhile.
  const read = await svc(home, words(`--sandbox variables get BY_AGENT -p ${project} --jq .value`));
  expect([read.code, read.out]).toEqual([0, '"shared"\n']);
  await client.close();
  await until('the process has ended', () => !isAlive(pid));
  const after = await svc(home, ['sandbox', 'status', '--jq', '.running']);
  expect(after.out).toBe('false\n');
});

const initialize =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}';
const called = (id: number, name: string, input: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input } });

test('standard output has only messages, whatever is printed otherwise', async () => {
  const url = await serve((_, response) => json(response, { id: 1, name: 'x' }));
  const stdin = [
    initialize,
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    'nonsense',
    called(2, 'epics_get', { group: 'acme', epic_iid: 1 }),
    called(3, 'jobs_list', { project }),
    called(4, 'variables_delete', { project, key: 'A', confirm: 'A' }),
    // The last line has no end.
    called(5, 'jobs_nope', {}),
  ].join('\n');
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'x'.repeat(20), NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const ended = await svc(home, ['mcp', '--allow-writes', '--verbose', '--trace'], { stdin, env });
  const all = jsonLines(ended.out);
  expect(all.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
  expect(all.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(ended.err).toContain('protocol error: ');
  const unknown = all.find(({ id }) => id === 5);
  expect(unknown.error).toEqual({
    code: -32602,
    message: expect.stringMatching(/^unknown tool "jobs_nope"/),
  });
  expect(ended.out).not.toContain('\r');
  expect(ended.err).toMatch(/deprecated/);
  expect(ended.err).not.toContain('x'.repeat(20));
  expect(ended.code).toBe(0);
});

describe('a request that the service does not answer', () => {
  /** A service that never responds, and the requests that it received. */
  async function silent() {
    const received: { url: string; closed: boolean }[] = [];
    const url = await serve((request: IncomingMessage) => {
      const entry = { url: request.url ?? '', closed: false };
      received.push(entry);
      request.socket.on('close', () => {
        entry.closed = true;
      });
    });
    return { received, env: { SVC_BASE_URL: url, SVC_TOKEN: 'x'.repeat(20) } };
  }

  test('is aborted when the client cancels the call, and other calls go on', async () => {
    const { received, env } = await silent();
    const { client } = await connect(['mcp', '--areas', 'jobs,branches'], env);
    const canceling = new AbortController();
    const first = client.callTool({ name: 'jobs_list', arguments: { project } }, undefined, {
      signal: canceling.signal,
    });
    const second = client.callTool({ name: 'branches_list', arguments: { project } });
    second.catch(() => {});
    await until('both requests arrive', () => received.length === 2);
    canceling.abort('enough');
    await expect(first).rejects.toThrow();
    const jobs = () => received.find(({ url }) => url.includes('/jobs'));
    await until('the request is aborted', () => jobs()?.closed === true);
    expect(received.find(({ url }) => url.includes('/repository'))?.closed).toBe(false);
    await client.ping();
  });

  test.each<[string, number, (started: Started) => unknown]>([
    ['the end of standard input', 0, ({ child }) => child.stdin?.end()],
    ['SIGTERM', 143, ({ child }) => child.kill('SIGTERM')],
    ['SIGINT', 130, ({ child }) => child.kill('SIGINT')],
  ])('is aborted by %s, with exit code %i', async (_, code, end) => {
    const { received, env } = await silent();
    const started = start(home, ['mcp', '--areas', 'jobs'], { env });
    started.child.stdin?.write(`${initialize}\n${called(2, 'jobs_list', { project })}\n`);
    await until('the request arrives', () => received.length === 1);
    end(started);
    const ended = await started.ended;
    expect([ended.code, jsonLines(ended.out).map(({ id }) => id)]).toEqual([code, [1]]);
    await until('the request is aborted', () => received[0]?.closed === true);
  });
});

test('a signal in the middle of a message ends the server', async () => {
  const child = spawn(file, [...before, 'mcp', '--quiet'], {
    ...{ cwd: home.path, env: home.env },
    stdio: [openSync('/dev/zero', 'r'), 'ignore', 'pipe'],
  });
  const messages = text(child.stderr as Readable);
  setTimeout(() => child.kill('SIGTERM'), 1000);
  expect((await messages).split('\n').at(-2)).toBe('error: terminated');
  expect(await messages).not.toContain('bug');
});

test('a call that is running when standard input ends is completed', async () => {
  const url = await serve((_, response) => void setTimeout(() => json(response, []), 300));
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'x'.repeat(20) };
  const stdin = `${initialize}\n${called(2, 'jobs_list', { project })}`;
  const ended = await svc(home, ['mcp', '--areas', 'jobs', '--quiet'], { stdin, env });
  expect(jsonLines(ended.out).at(-1)).toMatchObject({ id: 2, result: { structuredContent: { rows: [] } } });
  expect([ended.code, ended.err]).toEqual([0, '']);
});
