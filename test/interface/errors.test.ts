import { describe, expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { type Canned, canned, svc } from '../support/svc.ts';
import { ask, host, refusal, refused, root, token, workProfile } from './service.ts';

const response = (status: number, body: unknown, headers: NonNullable<Canned['headers']> = []): Canned => ({
  status,
  body: JSON.stringify(body),
  headers,
});
const get = 'variables get KEY -p acme/rocket';
const url = `${root}/projects/acme%2Frocket/variables/KEY`;

describe('on standard error, one `error: ` line', () => {
  test.each([
    ['message', { message: 'The branch is gone' }],
    ['error', { error: 'The branch is gone' }],
    ['error_description', { error: 'invalid', error_description: 'The branch is gone' }],
    ['message.error', { message: { error: 'The branch is gone' } }],
  ])('with the message of the service: %s', async (_, body) => {
    const { err } = await ask(get, response(404, body));
    const [first = '', ...more] = err.split('\n');
    expect(first).toMatch(/^error: /);
    expect(err).toContain('The branch is gone');
    expect(more.filter((line) => line.startsWith('error:'))).toEqual([]);
    expect(err).toContain(`GET ${url}`);
  });
  test('for an unexpected response', async () => {
    for (const body of ['<html></html>', 'nonsense', '{"a":']) {
      expect((await ask(get, { body })).err, body).toContain(`GET ${url} -> 200`);
      const { error } = JSON.parse((await ask('jobs list -p 1 --json', { body })).err);
      expect(error, body).toMatchObject({ kind: 'server_error', method: 'GET', status: 200 });
      expect(error.url, body).toContain('/projects/1/jobs');
    }
  });
  describe('a 404 that comes from a proxy in between (specification section 7)', () => {
    const page = { status: 404, headers: [['content-type', 'text/html']], body: '<html>no</html>' } as const;
    const text = { status: 404, headers: [], body: '404 page not found' } as const;

    test.each([page, text])('suggests a numeric id instead of an encoded slash', async (answer) => {
      const { code, err } = await ask(get, answer);
      expect(code).toBe(5);
      expect(err).toMatch(/hint: .*encoded slash \(%2F\).*proxies.*numeric id of the project/);
      const api = await ask('api GET projects/acme%2Frocket/x', answer);
      expect(api.err).toMatch(/encoded slash.*numeric id/);
    });
    test('has no such hint without a slash, or for a response of the service', async () => {
      expect((await ask('variables get KEY -p 1', page)).err).not.toMatch(/encoded slash/);
      expect((await ask(get, response(404, { message: '404 Not found' }))).err).not.toMatch(/encoded slash/);
    });
  });
  test('with the request id of the service', async () => {
    const { err } = await ask(get, response(422, { message: 'no' }, [['x-request-id', 'req-7f']]));
    expect(err).toContain('req-7f');
  });
  test('without the full text of a body that is not JSON', async () => {
    const { err } = await ask(get, { status: 404, body: `<html>${'x'.repeat(5000)}</html>` });
    expect(err.length).toBeLessThan(1500);
  });
});

describe('hints', () => {
  test('suggests a scope filter if several variables match', async () => {
    const message =
      'There are multiple variables with provided parameters. Please use filter[environment_scope]';
    expect((await ask(get, response(409, { message }))).err).toMatch(/--environment-scope <scope>/);
    const world = await openWorld();
    const ran = await world.run('variables get DATABASE_URL -p acme/rocket');
    expect([ran.code, ran.err.includes('--environment-scope')]).toEqual([6, true]);
  });
  test('names the source of a rejected token that a login would not replace', async () => {
    const rejected = response(401, { message: '401 Unauthorized' });
    expect((await ask(get, rejected)).err).toContain(
      'hint: check the token from SVC_TOKEN with svc whoami; replace it, or remove it and use svc login',
    );
    const work = await workProfile({ base_url: host, token: 'x' });
    const stored = await ask(get, rejected, { env: { ...work, SVC_TOKEN: '' } });
    expect(stored.err).toContain('with svc whoami; replace it with svc login --profile work');
  });
  test('names the command that changes a variable that already exists', async () => {
    const taken = response(400, { message: { key: ['(K) has already been taken'] } });
    const { code, err } = await ask('variables create K v -p acme/rocket', taken);
    expect([code, err.includes('hint: to change it, use svc variables set <key>')]).toEqual([6, true]);
    expect((await ask('variables set K v -p acme/rocket', taken)).err).not.toContain('to change it');
  });
  test.each([
    ['variables create K short --masked', 400, { value: ['is invalid'] }, 'at least 8 characters'],
    ['variables update K short', 422, { value: ['is invalid'] }, 'without white space'],
    ['branches protect release/*', 409, 'no', 'svc branches change-protection <branch>'],
    ['files create "a b.md" --content x --branch main -m x', 400, 'no', 'svc files update <file-path>'],
  ])('gives the next step after %s', async (line, status, message, step) => {
    const { code, err } = await ask(`${line} -p 1`, response(status, { message }));
    const hints = err.split('\n').filter((one) => one.startsWith('hint: '));
    expect([code, hints]).toEqual([6, [expect.stringContaining(step)]]);
  });
  test.each([
    ['dependency-exports download 1', 404, /may not be ready yet: .*\n(?:.*\n)*.*also reported as not found/],
    ['jobs cancel 1 -p 1', 403, /does not allow this: .*\n(?:.*\n)*.*the token is from SVC_TOKEN/],
  ])('gives the next step before the other reasons after %s', async (line, status, steps) => {
    expect((await ask(line, response(status, { message: 'no' }))).err).toMatch(steps);
  });
  test('does not explain the rule of a value that the service did not name, or that follows it', async () => {
    const rejected = response(400, { message: { key: ['is too long'] } });
    expect((await ask('variables create K short -p 1', rejected)).err).not.toContain('hint: ');
    const other = response(400, { message: { value: ['is invalid'] } });
    expect((await ask('variables create K long-enough -p 1', other)).err).not.toContain('hint: ');
  });
  test.each([
    [200, 0, ''],
    [500, 9, 'error: the receiver of event 402 responded with status 500'],
    [0, 9, 'error: the receiver of event 402 did not respond'],
  ])('a resent event with response %i exits with %i', async (response_status, exit, message) => {
    const body = JSON.stringify({ response_status });
    const ran = await ask('hooks resend 301 402 -g acme', { status: 201, body });
    expect([ran.code, ran.err.includes(message)]).toEqual([exit, true]);
  });
  test('explains a 404', async () => {
    const hinted = async (message: string) => (await ask(get, response(404, { message }))).err;
    expect(await hinted('404 Not Found')).toMatch(/check the project acme.rocket and <key>; .*cannot access/);
    expect(await hinted('404 Project Not Found')).toMatch(/check the project acme\/rocket; .*cannot access/);
    expect(await hinted('404 Variable Not Found')).toMatch(/check <key>; .*cannot access/);
  });
  describe('for a 403', () => {
    const denied = response(403, { message: '403 Forbidden' });
    const hintsOf = (err: string) => err.split('\n').filter((line) => line.startsWith('hint: '));

    test('names the role and the project, and the source of the token', async () => {
      const { err } = await ask('uploads delete 7 -p acme/rocket --yes', denied);
      expect(hintsOf(err)).toEqual([
        'hint: requires the role maintainer in project acme/rocket',
        'hint: the token is from SVC_TOKEN; svc whoami shows its user',
      ]);
    });
    test('names the user and the scopes that were stored at login', async () => {
      const stored = { token: 'x', user: 'kai (user 4)', scopes: 'read_api,read_repository' };
      const env = { ...(await workProfile({ base_url: host, ...stored })), SVC_TOKEN: '' };
      const { err } = await ask('uploads delete 7 -p acme/rocket --yes', denied, { env });
      expect(hintsOf(err)).toEqual([
        'hint: requires the role maintainer in project acme/rocket',
        'hint: requires a token with the scope api; yours has read_api, read_repository',
        'hint: you are kai (user 4), with the token from profile "work"',
      ]);
      const read = await ask('uploads list -p acme/rocket', denied, { env });
      expect(read.err).not.toContain('requires a token with the scope');
      const gone = await ask(get, response(404, { message: '404 Not Found' }), { env });
      expect(gone.err).toContain('a resource that kai (user 4) cannot access is also reported as not found');
    });
    const scope = { error: 'insufficient_scope', error_description: 'Too few privileges.', scope: 'api' };
    const createdAt = 'epics create -g acme --title x --created-at 2026-01-01T00:00:00Z';
    test.each([
      ['the role of a parameter', createdAt, denied, '--created-at requires the role owner'],
      [
        'the tier',
        'epics list -g acme',
        denied,
        'requires the tier premium or ultimate of the service, and a sufficient role in group acme',
      ],
      ['the scope', 'uploads list -p 1', response(403, scope), 'the token needs one of these scopes: api'],
    ])('names %s', async (_, line, answer, hint) => {
      expect(hintsOf((await ask(line, answer)).err)).toContain(`hint: ${hint}`);
    });
  });
  test('names every parameter that may be the cause of a 404', async () => {
    const missing = response(404, { message: '404 Commit Not Found' });
    const { err } = await ask('files get README.md --ref nope -p acme/rocket', missing);
    expect(err).toMatch(/^hint: check <file-path> and --ref; /m);
  });
  test.each([
    [500, /^hint: the service may have .*: check before .*\nhint: try again later; .* request id req-7f$/m],
    [502, /^hint: the service may have executed the request: check before you try again$/m],
    [503, /503 .*\nhint: try again later; /m],
  ])('a %i has a hint', async (status, hint) => {
    const answer = response(status, { message: 'no' }, [['x-request-id', 'req-7f']]);
    expect((await ask('variables create K v -p 1 --retries 0', answer)).err).toMatch(hint);
  });
  test('mentions a job token that the endpoint does not accept', async () => {
    const env = { SVC_TOKEN: '', SVC_JOB_TOKEN: 'svcjob-123456', SVC_AUTH: 'job' };
    const { err } = await ask('appearance get', response(403, { message: '403 Forbidden' }), { env });
    expect(err).toMatch(/job token/);
    const access = await ask('appearance get', response(403, { message: '403 Forbidden' }));
    expect(access.err).not.toMatch(/job token/);
  });
  test('mentions a missing job token', async () => {
    const { err } = await ask('jobs current', undefined, { env: { SVC_TOKEN: '' } });
    expect(err).toMatch(/set SVC_JOB_TOKEN/);
  });
  test('names the source of a rejected job token', async () => {
    const env = { SVC_TOKEN: '', SVC_JOB_TOKEN: 'svcjob-123456' };
    const { err } = await ask('jobs current', response(401, { message: '401 Unauthorized' }), { env });
    expect(err).toContain('hint: the job token from SVC_JOB_TOKEN is valid only while its job runs');
  });
});

describe('with --json, or -o json|ndjson, the error is one JSON object on standard error', () => {
  test.each(['--json', '-o json', '-o ndjson', '--output json', '--output=json', '-o=json', '-ojson'])(
    '%s',
    async (flags) => {
      const body = { message: { key: ['is bad'] } };
      const { err, out } = await ask(`${get} ${flags}`, response(400, body, [['x-request-id', 'req-7f']]));
      expect(out).toBe('');
      expect(err.trim().split('\n')).toHaveLength(1);
      const { error, ...rest } = JSON.parse(err);
      expect(rest).toEqual({});
      expect(Object.keys(error)).toEqual(
        expect.arrayContaining(['kind', 'message', 'status', 'method', 'url', 'body', 'request_id', 'hint']),
      );
      const request = { method: 'GET', url, request_id: 'req-7f' };
      expect(error).toMatchObject({ kind: 'rejected', status: 400, body, ...request });
    },
  );
  test('for an invalid command line', async () => {
    const { error } = JSON.parse((await ask('jobs list --json --scope x -p 1')).err);
    expect(error).toMatchObject({ kind: 'usage', status: null, method: null, url: null, body: null });
    expect(error.message).toContain('--scope');
  });
  test('for a command line that cannot be parsed', async () => {
    expect(JSON.parse((await ask('nothing at all --json')).err).error.kind).toBe('usage');
    expect(JSON.parse((await ask('jobs list --nonsense -o json')).err).error.kind).toBe('usage');
  });
  test('for a bug', async () => {
    const transport = canned(() => {
      throw new TypeError('oops');
    });
    const ran = await svc(`${get} --json`, { transport, env: { SVC_BASE_URL: host, SVC_TOKEN: token } });
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.err).error.message).toContain('oops');
  });
});

describe('on a terminal', () => {
  const answer = response(404, { message: '404 Not found' });
  const on = (env = {}) => ({ terminal: 80, env: { NO_COLOR: '1', ...env } });

  test.each(['--json', '-o ndjson'])(
    'the error is text with %s too, and JSON with SVC_ERRORS=json',
    async (flag) => {
      const ran = await ask(`${get} ${flag}`, answer, on());
      expect(ran.err).toMatch(/^error: 404 Not found\n/);
      const json = await ask(`${get} ${flag}`, answer, on({ SVC_ERRORS: 'json' }));
      expect(JSON.parse(json.err).error).toMatchObject({ kind: 'not_found', status: 404 });
    },
  );
  test('the prefixes are colored, unless color is off', async () => {
    const colored = await ask(get, answer, { terminal: 80 });
    expect(colored.err).toMatch(/^\u001b\[31;1merror:\u001b\[0m 404 Not found\n/);
    expect(colored.err).toMatch(/^\u001b\[36mhint:\u001b\[0m /m);
    const never = await ask(`${get} --color never`, answer, { terminal: 80 });
    expect(never.err).not.toContain('\u001b');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { CLICOLOR: '0' }] as Record<string, string>[])
      expect((await ask(get, answer, { terminal: 80, env })).err).not.toContain('\u001b');
    expect((await ask(`${get} --color=always`, answer)).err).toContain('\u001b[31;1merror:');
    expect((await ask(get, answer)).err).not.toContain('\u001b');
  });
  test.each([40, 60, 80, 120])('lines are wrapped between words at %i columns', async (columns) => {
    const long = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    const wide = response(400, { message: { key: [long] } });
    const { err } = await ask(get, wide, { terminal: columns, env: { NO_COLOR: '1' } });
    const lines = err.split('\n').filter((line) => !line.includes('https://'));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(long);
    expect((await ask(get, wide)).err).toContain(`  key: ${long}\n`);
  });
});

describe('a mistake on the command line', () => {
  test.each([
    [
      'branches get main -p 1 --limit 3',
      'svc branches get does not accept --limit',
      'svc branches get --help',
    ],
    ['branches get main -p 1 --all', 'svc branches get does not accept --all', 'see svc branches get --help'],
    ['jobs list -p 1 --output-file x', 'svc jobs list does not accept --output-file', 'svc jobs list --help'],
    ['jobs list -p 1 --scope x', '--scope: unknown value "x"', 'values: created, pending,'],
    ['profiles set colr x', 'unknown setting "colr"', 'settings: base_url,'],
    ['profiles set projct x', 'unknown setting "projct"', 'Did you mean project?'],
  ])('%s', async (line, message, hint) => {
    const [first, ...more] = (await refusal(line)).split('\n');
    expect(first).toBe(`error: ${message}`);
    expect(more.filter((text) => text.startsWith('hint: ')).join('\n')).toContain(hint);
  });
  test.each(['--base-url https://elsewhere.example', '--profile work'])(
    '--sandbox with %s is rejected instead of ignoring the server',
    (flag) =>
      refused(`--sandbox ${flag} jobs list -p acme/rocket`, [
        /^error: --sandbox and --\S+ cannot be used together\nhint: /,
      ]),
  );
});

describe('SVC_OUTPUT=json and SVC_ERRORS', () => {
  const bad = 'jobs list --nonsense -p 1';
  test('SVC_OUTPUT=json counts like -o json, unless a flag chooses another format', async () => {
    const env = { SVC_OUTPUT: 'json' };
    expect(JSON.parse((await ask(bad, undefined, { env })).err).error.kind).toBe('usage');
    expect((await ask(`${bad} -o table`, undefined, { env })).err).toMatch(/^error: /);
    expect((await ask(`${bad} --csv`, undefined, { env })).err).toMatch(/^error: /);
  });
  test('SVC_ERRORS chooses JSON or text for every format', async () => {
    const json = await ask(bad, undefined, { env: { SVC_ERRORS: 'json' } });
    expect(JSON.parse(json.err).error.kind).toBe('usage');
    expect((await ask(`${bad} --json`, undefined, { env: { SVC_ERRORS: 'text' } })).err).toMatch(/^error: /);
  });
});

describe('a secret never appears', () => {
  test('if it is of the service: a value in an error body, a token in a page URL', async () => {
    const body = JSON.stringify({
      message: 'locked',
      value: 'hunter22-of-the-service',
      token: 'hunter22-too',
    });
    const ran = await ask(`${get} --json`, { status: 409, body });
    expect(ran.err).not.toContain('hunter22');
    expect(JSON.parse(ran.err).error.body).toEqual({ message: 'locked', value: '***', token: '***' });
    const link = ['link', `<${root}/x?private_token=hunter22-in-a-link>; rel="next"`] as const;
    const list = await ask('jobs list -p 1 --all --retries 0 --verbose', (_, nth) =>
      nth === 0 ? { body: '[{"id":1}]', headers: [link] } : response(500, { message: 'no' }),
    );
    expect([list.code, list.err.includes('hunter22')]).toEqual([8, false]);
    expect(list.err).toContain('private_token=***');
    const to = [['location', `${root}/x?access_token=hunter22-in-a-location`]] as const;
    for (const line of ['jobs list -p 1', 'variables create K v -p 1']) {
      const circle = await ask(line, () => ({ status: 302, headers: to }));
      expect([circle.code, circle.err.includes('hunter22')]).toEqual([8, false]);
    }
  });
});

test('removes control sequences from the messages of the service as a whole', async () => {
  const text = 'a \u001b[31mred\u009b0m\u001b]0;owned\u0007\r\nline';
  const shown = 'a red line';
  const body = JSON.stringify({ message: text, errors: { [text]: [text] } });
  const { err } = await ask('jobs list -p 1', { status: 400, body });
  expect(err).toMatch(new RegExp(`^error: ${shown}\\n {2}${shown}: ${shown}\\n`));
  const plain = await ask('jobs list -p 1 -o json', { status: 400, body: text });
  expect(JSON.parse(plain.err).error.message).toBe(shown);
});
