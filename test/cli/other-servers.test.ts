/** Posts of tasks to servers that are not the service obey read-only mode and are recorded like every write. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderWith } from '../interface/service.ts';
import { openWorld, transportTo, type World } from '../support/sandbox.ts';
import { canned } from '../support/svc.ts';

const secrets = { token: 'hook-s3cret', query: 'query-s3cret', dsn: 'abc123s3cret' };
const host = 'https://receiver.example';

interface Command {
  readonly line: string;
  readonly command: string;
  readonly url: string;
  /** The header that carries the secret, which the server repeats. */
  readonly header: string;
  readonly repeats: string;
  readonly path: string;
}

const commands: readonly Command[] = [
  {
    line: `hooks trigger push --to ${host}/hook?key=${secrets.query} --token @token`,
    command: 'hooks trigger',
    url: `${host}/hook?key=***`,
    path: '/hook',
    header: 'x-service-token',
    repeats: secrets.token,
  },
  {
    line: `hooks forward 301 --group acme --to ${host}/hook?${secrets.query} --token @token --since 7d --once`,
    command: 'hooks forward',
    url: `${host}/hook?***`,
    path: '/hook',
    header: 'x-service-token',
    repeats: secrets.token,
  },
  {
    line: 'errors send --dsn @dsn --message x',
    command: 'error-tracking send',
    url: `${host}/prefix/api/7/envelope/`,
    path: '/prefix/api/7/envelope/',
    header: 'x-sentry-auth',
    repeats: secrets.dsn,
  },
];
const cases = commands.map((one) => [one.command, one] as const);

let world: World;
let cwd: string;
beforeEach(async () => {
  world = await openWorld();
  cwd = await folderWith({
    token: secrets.token,
    dsn: `${host.replace('//', `//${secrets.dsn}@`)}/prefix/7`,
  });
});

/** Requests to the sandbox stay in this process. */
function run(
  line: string,
  env: Readonly<Record<string, string>> = {},
  response: { readonly status?: number; readonly body?: string } = {},
) {
  const other = canned(() => response);
  return world.run(line, {
    cwd,
    env: { HOME: cwd, XDG_STATE_HOME: join(cwd, 'state'), ...env },
    transport: (origin, options) =>
      origin === host ? other(origin, options) : transportTo(world.sandbox)(origin, options),
  });
}

describe.each(cases)('%s', (_, { line, command, url, path, header, repeats }) => {
  const body = JSON.stringify({ message: `got ${repeats}` });

  test('is refused in read-only mode, with nothing sent and nothing saved', async () => {
    for (const [flag, env] of [
      ['', { SVC_READ_ONLY: '1' }],
      [' --read-only', {}],
    ] as const) {
      const ran = await run(`${line}${flag}`, env);
      expect([ran.code, ran.requests], ran.err).toEqual([2, []]);
      expect(ran.err).toContain('read-only mode: a POST request is not allowed');
      expect(existsSync(join(cwd, 'state'))).toBe(false);
    }
  });

  test('has an intent and a result in the audit log, without secrets', async () => {
    const ran = await run(line, { SVC_AUDIT_LOG: 'audit.log' }, { body });
    expect(ran.code, ran.err).toBe(0);
    const text = await readFile(join(cwd, 'audit.log'), 'utf8');
    const lines = text.trimEnd().split('\n');
    const [intent, result] = lines.map((one) => JSON.parse(one) as Record<string, unknown>);
    const common = { command, method: 'POST', url, target: `${host}${path}`, id: intent?.['id'] };
    expect(intent).toMatchObject({ ...common, phase: 'intent' });
    expect(result).toMatchObject({ ...common, phase: 'result', status: 200 });
    const posts = ran.requests.filter(({ method }) => method === 'POST');
    expect(lines).toHaveLength(2 * posts.length);
    expect(text).not.toContain('s3cret');
  });

  test('is not sent if the audit log cannot be written', async () => {
    const ran = await run(line, { SVC_AUDIT_LOG: '/dev/full' });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('SVC_AUDIT_LOG: cannot write the audit log /dev/full: the disk is full');
    expect(ran.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('is in the HTTP archive, without secrets', async () => {
    const ran = await run(`${line} --har run.har`, {}, { body });
    expect(ran.code, ran.err).toBe(0);
    const text = await readFile(join(cwd, 'run.har'), 'utf8');
    const { log } = JSON.parse(text) as {
      log: { entries: { request: { method: string; url: string; headers: { name: string }[] } }[] };
    };
    expect(log.entries).toHaveLength(ran.requests.length);
    const post = log.entries.find(({ request }) => request.method === 'POST')?.request;
    expect(post?.url).toBe(url);
    expect(post?.headers).toContainEqual({ name: header, value: expect.stringContaining('***') });
    expect(text).not.toContain('s3cret');
  });

  test('shows no secret in a trace or a failure', async () => {
    const ran = await run(`${line} --trace`, {}, { status: 500, body });
    expect(ran.code).not.toBe(0);
    expect(ran.err + ran.out).not.toContain('s3cret');
    expect(ran.err).toMatch(/^< [^(]/m);
    expect(ran.err).not.toContain('(first ');
  });
});

test('a trigger needs no base URL to be recorded', async () => {
  const ran = await run(`hooks trigger push --to ${host}/`, { SVC_AUDIT_LOG: 'audit.log', SVC_BASE_URL: '' });
  expect(ran.code, ran.err).toBe(0);
  expect(existsSync(join(cwd, 'audit.log'))).toBe(true);
});
