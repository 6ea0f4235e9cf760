// No output contains a secret, in any form in which the service sends it back.
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { sharedFolder } from '../support/folders.ts';
import { bodyText, type Canned, canned, svc, words } from '../support/svc.ts';
import { exited } from '../tasks/engine/world.ts';

const token = 'svcpat-9QmX4kTzR2';
const jobToken = 'svcjob-77LpWq0aB';
/** A secret with characters that JSON, URLs, shells and messages encode differently. */
const secret = 'sesame "0815"\n&=/?% ünïcode $HOME';
/** Forms in which a service could send it back. */
const spellings = (text: string): readonly string[] => [
  text,
  encodeURIComponent(text),
  JSON.stringify(text).slice(1, -1),
  text.replace(/\s+/g, ' '),
];

const folder = sharedFolder();
beforeAll(async () => {
  await writeFile(join(folder, 'secret'), secret);
  await writeFile(join(folder, 'source'), `${secret.replaceAll('\n', '')}\n`);
  await writeFile(join(folder, 'rows.json'), JSON.stringify([{ key: 'X-Key', value: secret }]));
});

/** Commands with a secret, in each way to pass it. */
const commands: Readonly<Record<string, readonly string[]>> = {
  'a variable, as an argument': ['variables', 'create', 'KEY', secret, '-p', '1'],
  'a variable, as a file': ['variables', 'create', 'KEY', '@secret', '-p', '1'],
  'a variable, updated': ['variables', 'update', 'KEY', secret, '-p', '1'],
  'a variable, set': ['variables', 'set', 'KEY', secret, '-p', '1'],
  'a variable, in --data': [...words('variables create KEY -p 1 --data'), JSON.stringify({ value: secret })],
  "a hook's token": ['hooks', 'create', '--url', 'http://127.0.0.1:9/x', '-g', '1', '--token', secret],
  "a hook's headers": words('hooks create --url http://127.0.0.1:9/x -g 1 --custom-headers @rows.json'),
  'a license': ['license', 'add', '--license', '@secret'],
  'any call': ['api', 'POST', 'projects/1/variables', '-f', 'key=KEY', '-f', `value=${secret}`],
};

const base = ['--base-url', 'https://host.example', '--retries', '0'];
const env = { SVC_TOKEN: token, SVC_JOB_TOKEN: jobToken };
const text = (request: Request): string => `${request.url}${bodyText(request)}`;

/** A response that repeats the request in every part. */
function echo(status: number): (request: Request) => Canned {
  return (request) => {
    const sent = new Map(request.headers);
    const heard = [...spellings(secret), sent.get('private-token') ?? sent.get('job-token') ?? ''];
    const long = `${'x'.repeat(296)}${token}`;
    return {
      status,
      headers: [
        ['x-request-id', token],
        ['x-vendor-echo', `got ${encodeURIComponent(secret)} and ${token}`],
        ['set-cookie', 'session=abcdef'],
        ['link', `<https://host.example/api/v4/x?private_token=${token}&page=2>; rel="next"`],
      ],
      body: JSON.stringify({
        message: { base: heard, key: [long, `${long.slice(0, 280)}${secret}`], [token]: [secret] },
        error: `no: ${secret} ${token}`,
        error_description: `the value ${secret} is not for ${token}`,
        deep: { er: [{ token, value: secret }, text(request)] },
      }),
    };
  };
}

/** Text that must not be visible, in whole or in part. */
function expectNone(seen: string): void {
  for (const one of [token, jobToken]) {
    expect(seen).not.toContain(one);
    expect(seen).not.toContain(one.slice(0, 12));
  }
  for (const one of spellings(secret)) expect(seen).not.toContain(one);
  expect(seen).not.toContain('0815');
  expect(seen).not.toContain('session=abcdef');
}

const run = (argv: readonly string[], answer: (request: Request) => Canned = () => ({})) =>
  svc([...argv, ...base], { env, cwd: folder, transport: canned(answer) });

describe('a secret number', () => {
  const numbers = ['987654321012', '98765432101298765432', '-987654321012'];
  it.each(numbers)('%s is masked where the service repeats it', async (number) => {
    const argv = words(`api POST projects/1/variables -f key=KEY -F value=${number} --trace`);
    const body = `{"message":"not ${number}","error":{"of":[7, ${number}]}}`;
    const { out, err } = await exited(
      6,
      run(argv, () => ({ status: 400, body })),
    );
    // JSON.parse changes long numbers.
    expect(err).not.toContain(number.slice(0, 12));
    expect(err).toContain('not ***');
    expect(out + err).not.toContain(number);
  });
});

describe.each(Object.entries(commands))('%s', (_, argv) => {
  it.each([
    ['an error', []],
    ['an error as JSON', ['-o', 'ndjson']],
    ['--verbose', ['--verbose']],
    ['--trace', ['--trace']],
    ['--trace with errors as JSON', ['--trace', '--json']],
  ])('%s shows no secret that the service echoes', async (_, flags) => {
    for (const status of [400, 401, 404, 500]) {
      const { code, out, err, requests } = await run([...argv, ...flags], echo(status));
      expect({ code, err }).toEqual({ code: expect.toSatisfy((one: number) => one > 3), err });
      // The command did send the secret.
      expect(requests.map(text).join('')).toContain('0815');
      expectNone(out + err);
    }
  });

  it.each([['--trace'], ['--verbose']])('%s shows no secret of a successful response', async (flag) => {
    const answer = echo(200);
    const { err } = await exited(0, run([...argv, flag, '-o', 'json'], answer));
    expect(err).toContain('host.example');
    expectNone(err);
  });

  it.each([['--dry-run'], ['--curl']])('%s shows no secret and sends nothing', async (flag) => {
    const { out, err, requests } = await exited(0, run([...argv, flag]));
    expect(out).toContain(flag === '--curl' ? '"$SECRET_' : '***');
    expect(requests).toEqual([]);
    expectNone(out + err);
  });
});

describe('--show-secrets', () => {
  it('shows secrets in a dry run', async () => {
    const { out } = await run(words('variables create KEY sesame-0815 -p 1 --dry-run --show-secrets'));
    const clear = { body: { value: 'sesame-0815' }, headers: { 'private-token': token } };
    expect(JSON.parse(out)).toMatchObject(clear);
  });
});

describe('the token', () => {
  const list = ['jobs', 'list', '-p', '1'];

  const [location, link] = [
    `https://else.example/?t=${token}`,
    `<https://else.example/${token}>; rel="next"`,
  ];

  it.each<[string, Canned]>([
    ['a redirect that contains it', { status: 302, headers: [['location', location]] }],
    ['a link that contains it', { headers: [['link', link]], body: '[]' }],
    ['a 429 that contains it', { status: 429, body: `Retry later, ${token}` }],
    ['an HTML page that contains it', { status: 502, body: `<html>${token}</html>` }],
    ['an unusual status', { status: 418, body: token }],
    ['broken JSON that contains it', { body: `{"x": ${token}` }],
    ['a response of the wrong type', { body: `{"message":"${token}"}` }],
  ])('does not appear in a message about %s', async (_, answer) => {
    for (const flags of [[], ['--trace'], ['--json']]) {
      const { out, err } = await run([...list, '--all', ...flags], () => answer);
      expect(err).not.toBe('');
      expect(err + out).not.toContain(token);
    }
  });

  it('does not appear in a message if it cannot be sent', async () => {
    for (const bad of [`${token}\n${token}`, `${token}\u0000`, `${token}€`]) {
      const { out, err } = await exited(2, svc([...list, ...base], { env: { SVC_TOKEN: bad } }));
      expect(out + err).not.toContain(token);
    }
  });

  it('is rejected as a flag without printing it', async () => {
    for (const argv of [
      [...list, `--token=${token}`],
      [...list, '--token', token],
      ['migrations', 'create', `--access-token=${token}`],
      ['variables', 'create', 'KEY', `--valeu=${token}`, '-p', '1'],
      ['variables', 'create', 'KEY', `--valeu=${token}\nmore`, '-p', '1'],
      ['variables', 'create', 'KEY', '-p', '1', '--data', `{"value": "${token}`],
      ['hooks', 'create', '--url', 'http://127.0.0.1:9', '-g', '1', '--custom-headers', token],
      ['profiles', 'set', 'token', token],
      ['profiles', 'set', `token=${token}`],
    ]) {
      const { code, out, err } = await run(argv);
      expect({ argv, code }).toEqual({ argv, code: 2 });
      expect({ argv, seen: (out + err).includes(token) }).toEqual({ argv, seen: false });
    }
  });

  it('is masked in config explain and profiles', async () => {
    const config = join(folder, 'stored');
    await mkdir(config);
    const profile = { base_url: 'https://host.example', token };
    const data = { current: 'work', profiles: { work: profile } };
    await writeFile(join(config, 'profiles.json'), JSON.stringify(data), { mode: 0o600 });
    for (const line of ['config explain', 'profiles show', 'profiles list'])
      for (const format of ['table', 'json', 'csv', 'yaml'])
        for (const more of [{}, { ...env, CI_JOB_TOKEN: jobToken }]) {
          const setting = { env: { ...more, SVC_CONFIG_DIR: config } };
          const { out, err } = await exited(0, svc(`${line} -o ${format}`, setting));
          expectNone(out + err);
        }
  });

  const proxies = ['//u:', 'u:', 'http:u:', 'http://u:80/', ' http://u:'].map(
    (start) => `${start}sesame-1@h`,
  );
  it.each(proxies)('config explain masks the password of the proxy %j', async (proxy) => {
    const setting = { env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, SVC_BASE_URL: proxy } };
    const { out } = await exited(0, svc('config explain --json', setting));
    expect(out).toContain('***@h');
    expect(out).not.toContain('sesame');
  });

  it.each([
    ['base_url', '//u:sesame-1@h'],
    ['base_url', 'https://u:sesame-1@h'],
    ['base_url', 'ftp://u:sesame/1@h'],
    ['//u:sesame-1@h', 'x'],
  ])('profiles set %s %s rejects a password without printing it', async (key, url) => {
    const setting = { env: { SVC_CONFIG_DIR: join(folder, 'config') } };
    const { out, err } = await exited(2, svc(['profiles', 'set', key, url], setting));
    expect(out + err).not.toContain('sesame');
  });

  it.each(['hooks create', 'jobs get', 'jobs', ''])('svc %s <url> names no password', async (line) => {
    const { err } = await exited(2, svc(`${line} https://u:sesame-1@h/x -p 1`));
    expect(err).not.toContain('sesame');
  });

  it.each<[string, (text: string) => string]>([
    ['unchanged', (text) => text],
    ['in Base64', (text) => Buffer.from(`user:${text}`).toString('base64')],
    ['percent-encoded', (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
  ])('is masked if the service sends it back %s', async (_, form) => {
    const message = `no: ${form(token)}`;
    for (const flags of [[], ['--trace'], ['--json']]) {
      const { out, err } = await run([...list, ...flags], () => ({
        status: 400,
        headers: [['x-echo', form(token).replace(/[^ -~]/g, '')]],
        body: JSON.stringify({ message, [message]: [message] }),
      }));
      const seen = (out + err).replace(/[^ -~]/g, '').replace(/\\u[0-9a-f]{4}/g, '');
      expect(seen).toContain('***');
      for (const shape of [form(token), form(token).replace(/[^ -~]/g, '')])
        expect(seen).not.toContain(shape);
      expect(seen.toLowerCase()).not.toContain(token.toLowerCase());
    }
  });

  it('of a migration source is sent and never printed', async () => {
    const source = secret.replaceAll('\n', '');
    const entity = 'source_type=group_entity,source_full_path=a,destination_slug=b,destination_namespace=c';
    const flags = '--configuration url=https://source.example --source-token-file source';
    const argv = words(`migrations create ${flags} --entities ${entity}`);
    for (const flag of ['--trace', '--json', '--dry-run', '--curl']) {
      const { out, err } = await run([...argv, flag], (request) => ({
        status: 422,
        body: JSON.stringify({ message: `no: ${source}`, sent: text(request) }),
      }));
      expect(out + err).not.toContain('0815');
      expect(out + err).not.toBe('');
    }
    const { requests } = await run(argv, () => ({ body: '{}' }));
    expect(requests.map(text).join('')).toContain('0815');
  });
});

describe('svc api --trace', () => {
  const value = 'postgres://sesame@db';
  const hook = 'sesame-0815-hook';
  it.each([
    ['GET', 'projects/1/variables/KEY'],
    ['GET', '/api/v4/projects/acme%2Frocket/variables/KEY?filter%5Benvironment_scope%5D=*'],
    ['GET', 'https://host.example/api/v4/projects/1/variables/KEY'],
    ['GET', 'projects/1/v%61riables/KEY'],
    ['GET', 'projects//1/variables/KEY/'],
    ['GET', 'projects/{project}/variables/KEY'],
    ['POST', 'projects/1/variables/KEY'],
    ['PATCH', 'projects/1/variables/KEY'],
  ])('masks the same secrets as the command for %s %s', async (method, path) => {
    const body = JSON.stringify({ key: 'KEY', value, description: 'seen' });
    const { err } = await exited(
      0,
      run(['api', method, path, '-p', '1', '--trace'], () => ({ body })),
    );
    expect(err).toContain('seen');
    expect(err).not.toContain(value);
  });

  it('masks with --dry-run and a method that is not in the catalogue', async () => {
    const { out } = await run(words(`api PATCH projects/1/variables/KEY -f value=${value} --dry-run`));
    expect(out).toContain('"value":"***"');
  });

  it.each([
    ['projects/1/variables', { key: 'KEY', value }],
    ['groups/1/hooks', { id: 1, token: hook, custom_headers: [{ key: 'A', value: hook }] }],
  ])('masks secrets in each row of %s', async (path, row) => {
    const body = JSON.stringify([row]);
    const { err } = await run(['api', 'GET', path, '--all', '--trace'], () => ({ body }));
    expect(err).not.toMatch(/sesame/);
  });
});

const variable = { key: 'A', value: 'sesame-value-1', environment_scope: '*' };

test.each(['find nothing --projects - --in variables', 'variables unreferenced -p 1'])(
  'the trace of %s masks secrets of the calls that the task sends',
  async (line) => {
    const answer = ({ url }: Request) => ({
      body: JSON.stringify(url.includes('variables') ? [variable] : []),
    });
    const ran = svc([...words(line), '--trace', ...base], { env, stdin: '1\n', transport: canned(answer) });
    const { err } = await exited(0, ran);
    expect(err).toContain('"key":"A"');
    expect(err).not.toContain('sesame');
  },
);

describe('headers of deliveries', () => {
  const sesame = { key: 'sesame-key-1', auth: 'sesame-auth-2', odd: 'sesame-odd-3', answer: 'sesame-4' };
  const event = {
    id: 402,
    trigger: 'push_hooks',
    response_status: '200',
    request_headers: {
      'X-Api-Key': sesame.key,
      Authorization: `Basic ${sesame.auth}`,
      'x-odd-name': [sesame.odd],
      'Content-Type': 'application/json',
      'User-Agent': 'service/1',
      'X-Service-Event': 'Push Hook',
      'Idempotency-Key': 'idem-1',
    },
    request_data: { object_kind: 'push' },
    response_headers: { 'X-Trace': sesame.answer, Date: 'Sun, 22 Nov 2026 10:00:00 GMT' },
  };
  const log = JSON.stringify([event]);
  const harmless = ['service/1', 'Push Hook', 'idem-1'];
  const flags = ['--trace', '--har', 'run.har'];

  it.each([
    ['hooks', 'events', '1', '-g', '1', '-o', 'table'],
    ['api', 'GET', 'groups/1/hooks/1/events', '--jq', 'length'],
    ['hooks', 'replay', '1', '-g', '1', '--dry-run'],
    ['hooks', 'forward', '1', '-g', '1', '--once', '--since', '7d', '--to', 'https://receiver.example/'],
  ])('are masked in the trace and the archive of %s %s', async (...argv) => {
    const cwd = await mkdtemp(join(folder, 'run-'));
    const { code, out, err, requests } = await svc([...argv, ...flags, ...base], {
      env: { ...env, XDG_STATE_HOME: join(cwd, 'state'), HOME: cwd },
      cwd,
      now: () => Date.parse('2026-11-23T10:00:00Z'),
      transport: canned(({ method, headers }) =>
        method === 'GET' ? { body: log } : { body: JSON.stringify({ got: Object.fromEntries(headers) }) },
      ),
    });
    expect(code, err).toBe(0);
    const archive = await readFile(join(cwd, 'run.har'), 'utf8');
    for (const text of harmless) expect([text, (err + archive).includes(text)]).toEqual([text, true]);
    for (const text of [out, err, archive])
      for (const one of [sesame.auth, sesame.odd, sesame.answer]) expect(text).not.toContain(one);
    for (const text of [out, err, archive]) expect(text).not.toMatch(/x-api-key["',: value]+sesame/i);
    if (argv[1] !== 'forward') return;
    const post = requests.find(({ method }) => method === 'POST');
    // The receiver gets them.
    expect(post?.headers).toContainEqual(['x-api-key', sesame.key]);
    expect(archive + err + out).not.toContain(sesame.key);
  });

  it('are exact in the data of hooks events; that svc api sends are masked in its trace', async () => {
    const { out } = await run(['hooks', 'events', '1', '-g', '1', '--json'], () => ({ body: log }));
    expect(JSON.parse(out)).toEqual([event]);
    const argv = ['api', 'GET', 'projects', '-H', `X-Api-Key: ${sesame.key}`, '--trace'];
    const { err } = await run(argv, () => ({ body: '[]', headers: [['x-session', sesame.answer]] }));
    expect(err).toContain('x-api-key: ***');
    expect(err).not.toMatch(/sesame/);
  });
});

describe('a secret that is a list or an object', () => {
  const values = [['sesame-1'], { deep: { er: 'sesame-2' } }, [[{ a: 'sesame-3' }]], 8151623];
  const commands = [
    ['variables', 'get', 'KEY', '-p', '1', '-o', 'table', '--fields', 'key'],
    ['variables', 'list', '-p', '1', '--fields', 'key'],
    ['api', 'GET', 'projects/1/variables', '--jq', 'length'],
    ['variables', 'set', 'KEY', 'v', '-p', '1', '-o', 'json'],
    ['variables', 'update', 'KEY', 'v', '-p', '1', '-o', 'json'],
  ];
  it.each(commands)('is masked as a whole in the trace of %s %s %s %s', async (...argv) => {
    for (const value of values) {
      const other = argv.includes('json') ? {} : { access_token: value };
      const body = JSON.stringify({ key: 'KEY', value, other });
      const list = argv[1] === 'list' || argv[0] === 'api';
      const { out, err } = await run([...argv, '--trace'], () => ({ body: list ? `[${body}]` : body }));
      expect(err).toContain('"value":"***"');
      expect(out + err).not.toMatch(/sesame|8151623/);
    }
  });

  it('is masked in a dry run', async () => {
    const data = JSON.stringify({ key: 'KEY', value: 'x', more: { private_token: { a: ['sesame-1'] } } });
    for (const flag of ['--dry-run', '--curl']) {
      const ran = await svc(['api', 'POST', 'x', '--input', '-', flag, ...base], { env, stdin: data });
      expect(ran.out).not.toContain('sesame');
      expect(ran.out).toContain(flag === '--curl' ? '$SECRET_PRIVATE_TOKEN' : '***');
    }
  });
});
