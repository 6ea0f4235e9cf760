import { describe, expect, test } from 'vitest';
import type { Header, TransportOptions } from '../../src/http/transport.ts';
import { bodyText, type Canned, canned, svc } from '../support/svc.ts';
import { ask, headerOf, host, root, token } from './service.ts';

const get = 'appearance get --max-wait 0';
const list = 'jobs list -p 1 --max-wait 0';
const create = 'variables create K v -p 1 --max-wait 0';
const env = { SVC_BASE_URL: host, SVC_TOKEN: token };

/** Respond with this status a number of times, then succeed. */
const failing =
  (times: number, status: number, headers: readonly Header[] = []) =>
  (_: unknown, nth: number): Canned =>
    nth < times ? { status, headers, body: '{"message":"no"}' } : { body: '{"id":1}' };

describe('retries', () => {
  test('stops after --retries attempts, 5 by default', async () => {
    const ran = await ask(get, failing(99, 503));
    expect([ran.code, ran.requests.length]).toEqual([8, 6]);
    expect((await ask(`${get} --retries 2`, failing(99, 429))).requests).toHaveLength(3);
    expect((await ask(`${get} --retries 0`, failing(99, 429))).requests).toHaveLength(1);
  });
  test('waits for Retry-After in seconds or as a date, and reports each wait', async () => {
    const second = [['retry-after', '0']] as const;
    expect((await ask(get, failing(1, 429, second))).err).toMatch(/429.*retrying in 0/m);
    const now = () => Date.parse('2026-01-01T00:00:00Z');
    const date = [['retry-after', 'Thu, 01 Jan 2026 01:00:00 GMT']] as const;
    const ran = await ask('appearance get --max-wait 5', failing(1, 429, date), { now });
    expect([ran.code, ran.requests.length]).toEqual([7, 1]);
    expect(ran.err).toMatch(/1h[\s\S]*hint: use --max-wait 3600 to wait that long/);
    // Longer than --max-wait supports: no hint.
    const never = await ask(get, failing(1, 429, [['retry-after', '99999999999']]));
    expect([never.code, never.requests.length, never.err.includes('--max-wait')]).toEqual([7, 1, false]);
  });
  test('sends a body that can be read only once without retries', async () => {
    const line = 'uploads create - --filename x -p 1 --max-wait 0';
    for (const status of [503, 429]) {
      const ran = await ask(line, failing(1, status), { stdin: 'bytes' });
      expect([ran.code, ran.requests.length]).toEqual([status === 429 ? 7 : 8, 1]);
    }
  });
  test('repeats the complete body of a write', async () => {
    const ran = await ask(create, failing(2, 503));
    expect(ran.requests.map(bodyText)).toEqual(Array(3).fill('{"key":"K","value":"v"}'));
  });
});

test('--timeout and SVC_TIMEOUT set the timeout of the transport', async () => {
  const seen: (number | undefined)[] = [];
  const inner = canned(() => ({ body: '{}' }));
  const transport = (origin: string, options: TransportOptions) => {
    seen.push(options.timeout);
    return inner(origin, options);
  };
  await svc('appearance get --timeout 2.5', { env, transport });
  await svc('appearance get', { env: { ...env, SVC_TIMEOUT: '7' }, transport });
  expect(seen).toEqual([2500, 7000]);
});

describe('redirects', () => {
  const moved = (status: number, to: string): Canned => ({ status, headers: [['location', to]] });
  const once = (status: number) => (request: { url: string }) =>
    request.url.endsWith('/new') ? { body: '{"id":1}' } : moved(status, `${root}/new`);

  test.each([307, 308])('%i is not followed for an upload from standard input', async (status) => {
    const ran = await ask('uploads create - --filename a.txt -p 1', once(status), { stdin: 'bytes' });
    expect([ran.code, ran.requests.length]).toEqual([8, 1]);
    expect(ran.err).toMatch(/redirect of a POST request not followed: its body can be read only once/);
  });
  describe('301 for a write: exit code 6', () => {
    const to = (path: string) => (): Canned => moved(301, `${root}${path}`);

    test.each([
      ['variables create K v', 'POST', '/variables'],
      ['variables update K v', 'PUT', '/variables/K'],
      ['variables delete K --yes', 'DELETE', '/variables/K'],
    ])('%s reports the new project and the command to repeat', async (line, method, path) => {
      const ran = await ask(`${line} -p acme/rocket`, to(`/projects/acme%2Fnew%20rocket${path}`));
      expect([ran.code, ran.out, ran.requests.length]).toEqual([6, '', 1]);
      const [first, ...more] = ran.err.trimEnd().split('\n');
      expect(first).toBe('error: the project acme/rocket has moved to acme/new rocket');
      expect(more).toContain(`  ${method} requests are not redirected`);
      expect(more).toContain(`  new URL: ${root}/projects/acme%2Fnew%20rocket${path}`);
      expect(more).toContain("hint: repeat the command with --project 'acme/new rocket'");
    });
    test.each([
      ['badges delete 3 --yes -g old', '/groups/42/badges/3', 'the group old has moved to 42'],
      ['badges delete 3 --yes -g old', '/groups/42/badges/3', 'hint: repeat the command with --group 42'],
      ['wikis update old --content x -g1', '/groups/1/wikis/new%2Fhome', 'api PUT groups/1/wikis/new%2Fhome'],
      [create, '/elsewhere', `new URL: ${root}/elsewhere`],
      [create, '/elsewhere', 'hint: repeat the request with the new path: svc api POST elsewhere'],
      ['api PATCH projects/a%2Fb/x -f a=1', '/projects/7/x', 'with the new path: svc api PATCH projects/7/x'],
    ])('%s to %s: %s', async (line, path, says) => {
      const ran = await ask(line, to(path));
      expect([ran.code, ran.requests.length]).toEqual([6, 1]);
      expect(ran.err).toContain(says);
    });
    test('prints the error as JSON', async () => {
      const ran = await ask(`${create} --json`, to('/projects/2/variables'));
      const { error } = JSON.parse(ran.err);
      expect(error).toMatchObject({ status: 301, method: 'POST', url: `${root}/projects/1/variables` });
      expect(error.hint).toBe('repeat the command with --project 2');
    });
  });
  test('a 301 after a rename is followed and reported once', async () => {
    const ran = await ask('jobs list -p old --all --json', ({ url }, nth) =>
      url.includes('/old/')
        ? moved(301, url.replace('/old/', '/new/'))
        : {
            body: '[{"id":1}]',
            headers: nth < 3 ? [['link', `<${root}/projects/old/jobs?page=${nth + 2}>; rel="next"`]] : [],
          },
    );
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err.match(/moved/g)).toHaveLength(1);
    expect(ran.err).toContain('/projects/new/jobs');
  });
});

describe('--verbose and --trace', () => {
  test('--verbose prints a line per request', async () => {
    const ran = await ask('appearance get --verbose --max-wait 0', failing(1, 503));
    expect(ran.err.match(/^> GET https:\/\/host\.example\/api\/v4\/application\/appearance$/gm)).toHaveLength(
      2,
    );
    expect(ran.err).toMatch(/^< 503 /m);
    expect(ran.err).toMatch(/^< 200 /m);
    expect(ran.err).not.toMatch(/private-token/i);
  });
  test('--trace prints the headers and bodies', async () => {
    const headers: readonly Header[] = Object.entries({ 'x-request-id': 'id-1', 'x-seen': 'yes' });
    const answer = { status: 201, headers, body: '{"name":"x"}' };
    const ran = await ask('branches create x --ref main -p 1 --trace', answer);
    expect(ran.err).toMatch(/^> POST /m);
    expect(ran.err).toMatch(/^> content-type: application\/json$/m);
    expect(ran.err).toMatch(/^> private-token: \*\*\*$/m);
    expect(ran.err).toContain('"branch":"x"');
    expect(ran.err).toMatch(/^< x-request-id: id-1$/m);
    // It may be a secret.
    expect(ran.err).toMatch(/^< x-seen: \*\*\*$/m);
    expect(ran.err).toContain('"name":"x"');
    expect(ran.out).not.toMatch(/POST/);
  });
});

test('requests have User-Agent and Accept headers', async () => {
  const [request] = (await ask(list, { body: '[]' })).requests;
  expect(headerOf(request, 'user-agent')).toMatch(/^svc\/\d/);
  expect(headerOf(request, 'accept')).toMatch(/json/);
});
