import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { ask, folderWith, host, refusal, refused, root } from '../interface/service.ts';
import { openWorld } from '../support/sandbox.ts';
import { bodyText as bodyOf, type Canned } from '../support/svc.ts';

const world = await openWorld();

test.each([
  ['projects', `${root}/projects`],
  ['/projects', `${root}/projects`],
  ['api/v4/projects', `${root}/projects`],
  ['/api/v4/projects?a=1', `${root}/projects?a=1`],
  [`${root}/projects?page=2`, `${root}/projects?page=2`],
  ['https://HOST.example:443/api/v4/projects', `${root}/projects`],
  ['https://host.example/-/health', `${host}/-/health`],
  ['projects/a%2Fb/x y', `${root}/projects/a%2Fb/x%20y`],
  ['projects/a%2F%2e%2e%2Fb', `${root}/projects/a%2F%2e%2e%2Fb`],
  ['api/v4', root],
])('resolves the path %j to %s', async (path, url) => {
  const { code, requests } = await ask(['api', 'GET', path]);
  expect(code).toBe(0);
  expect(requests.map((request) => request.url)).toEqual([url]);
});

test('accepts a path with or without the prefix of the base URL', async () => {
  const env = { SVC_BASE_URL: `${host}/forge` };
  for (const path of ['projects', '/forge/api/v4/projects', `${host}/forge/api/v4/projects`]) {
    const { requests } = await ask(['api', 'GET', path], undefined, { env });
    expect(requests[0]?.url).toBe(`${host}/forge/api/v4/projects`);
  }
});

test.each([
  [
    'https://other.example/api/v4/projects',
    /https:\/\/other\.example is not the origin of the API, https:\/\/host\.example/,
  ],
  ['http://host.example/api/v4/projects', /http:\/\/host\.example is not/],
  ['https://host.example:8443/x', /:8443 is not/],
  ['https://user:pw@host.example/api/v4/x', /contains a user name or password/],
  ['projects/../users', /segment "\.\."/],
  ['projects/%2e%2E/users', /segment "%2e%2E"/],
  ['projects/./users', /segment "\."/],
  ['projects/1#x', /contains #/],
  ['projects/{unknown}/jobs', /unknown placeholder \{unknown\}/],
  ['projects/{project}/jobs', /no value for \{project\}/],
  ['', /the path is empty/],
  [' ', /the path is empty/],
  ['/?a=1', /the path is empty/],
])('rejects the path %s before sending', (path, says) => refused(['api', 'GET', path], [says]));

test('fills {project} and {group} from flags, then from settings, encoded', async () => {
  const env = { SVC_PROJECT: 'acme/rocket', SVC_GROUP: 'acme' };
  const path = 'x/{project}/{group}';
  const set = await ask(['api', 'GET', path], undefined, { env });
  expect(set.requests[0]?.url).toBe(`${root}/x/acme%2Frocket/acme`);
  const flagged = await ask(['api', 'GET', path, '-p', 'a/b', '--group', '7'], undefined, { env });
  expect(flagged.requests[0]?.url).toBe(`${root}/x/a%2Fb/7`);
});

test('converts values of -F but not of -f, and nests names', async () => {
  const { code, requests } = await ask(
    'api post projects -F yes=true -F no=false -F none=null -F n=-7 -F big=9007199254740993 ' +
      '-F text=07 -f raw=true -f at=@x -f eq=a=b -f empty= ' +
      '-F a[b][]=1 -f a[b][]=2 -F a[c]=null -f __proto__=x ' +
      '-F rows[][x]=1 -f rows[][y]=2 -F rows[][x]=3 -F rows[][l][]=4 -F rows[][l][]=5',
  );
  expect(code).toBe(0);
  const [request] = requests as [Request];
  expect([request.method, request.url]).toEqual(['POST', `${root}/projects`]);
  expect(request.headers).toContainEqual(['content-type', 'application/json']);
  expect(bodyOf(request)).toBe(
    '{"yes":true,"no":false,"none":null,"n":-7,"big":9007199254740993,' +
      '"text":"07","raw":"true","at":"@x","eq":"a=b","empty":"",' +
      '"a":{"b":[1,"2"],"c":null},"__proto__":"x",' +
      '"rows":[{"x":1,"y":"2"},{"x":3,"l":[4,5]}]}',
  );
});

test('reads -F @file and -F @- byte for byte', async () => {
  const cwd = await folderWith({ 'note.txt': 'hello\n' });
  const { requests } = await ask('api POST x -F a=@note.txt -F b=@- -F c=@@x', undefined, {
    cwd,
    stdin: 'in\r\n',
  });
  expect(JSON.parse(bodyOf(requests[0] as Request))).toEqual({ a: 'hello\n', b: 'in\r\n', c: '@x' });
});

test('removes the line terminator of a secret of one line from -F @file', async () => {
  const cwd = await folderWith({ 'secret.txt': 'hello\n' });
  const sent = async (words: string) => {
    const { requests } = await ask(words, undefined, { cwd });
    return JSON.parse(bodyOf(requests[0] as Request));
  };
  expect(await sent('api POST projects/1/variables -F key=@secret.txt -F value=@secret.txt')).toEqual({
    key: 'hello\n',
    value: 'hello',
  });
  expect(
    await sent('api PUT groups/1/hooks/2 -F token=@secret.txt -F custom_headers[][value]=@secret.txt'),
  ).toEqual({ token: 'hello', custom_headers: [{ value: 'hello' }] });
});

test.each([
  [['-f', 'a=1', '-f', 'a=2'], /a is given twice/],
  [['-f', 'a=1', '-f', 'a[b]=2'], /different types/],
  [['-f', 'a[]=1', '-f', 'a[b]=2'], /different types/],
  [['-f', 'novalue'], /must be key=value/],
  [['-f', 'a[b=1'], /invalid field name/],
  [['-F', 'a=@missing.txt'], /no such file/],
])('rejects the fields %j', (flags, says) => refused(['api', 'POST', 'x', ...flags], [says]));

test.each(['GET', 'HEAD', 'DELETE'])('sends the fields of %s in the query', async (method) => {
  const { requests } = await ask(['api', method, 'x?a=1', '-f', 'b c=é&', '-F', 'l[]=1', '-F', 'l[]=2']);
  expect(requests[0]?.url).toBe(`${root}/x?a=1&b%20c=%C3%A9%26&l%5B%5D=1&l%5B%5D=2`);
  expect(requests[0]?.body).toBeUndefined();
});

test('sends --input byte for byte, with fields in the query', async () => {
  const bytes = Uint8Array.from([0xff, 0, 0x0a]);
  const cwd = await folderWith({ 'body.bin': bytes });
  const { requests } = await ask(
    ['api', 'PUT', 'x', '--input', 'body.bin', '-f', 'a=1', '-H', 'Content-Type: image/png'],
    undefined,
    { cwd },
  );
  const [request] = requests as [Request];
  expect(request.url).toBe(`${root}/x?a=1`);
  expect(request.headers.filter(([name]) => name === 'content-type')).toEqual([
    ['content-type', 'image/png'],
  ]);
  expect(request.body && 'bytes' in request.body && [...request.body.bytes]).toEqual([...bytes]);
  const piped = await ask('api POST x --input -', undefined, { stdin: '{"a":1.0}' });
  expect(bodyOf(piped.requests[0] as Request)).toBe('{"a":1.0}');
});

test.each([
  'Private-Token: x',
  'job-token: x',
  'Authorization: Bearer x',
  'Cookie: a=b',
  'Host: x',
  'Content-Length: 1',
])('rejects -H %j without repeating its value', async (header) => {
  const err = await refusal(['api', 'GET', 'x', '-H', header], [/--header cannot set/]);
  expect(err).not.toContain(header.split(': ')[1] === 'x' ? ': x' : header.split(': ')[1]);
});

test.each([
  ['-X DELETE projects/1/variables/KEY', 'DELETE'],
  ['-XPOST projects/1/variables -f key=KEY', 'POST'],
  ['projects/1/variables --method put', 'PUT'],
])('api %s sends %s', async (line, method) => {
  const { code, requests } = await ask(`api ${line}`);
  expect([code, requests[0]?.method]).toEqual([0, method]);
});

test('sends other headers; prints other content types byte for byte', async () => {
  const { requests } = await ask(['api', 'GET', 'x', '-H', 'X-Custom:  a b ']);
  expect(requests[0]?.headers).toContainEqual(['x-custom', 'a b']);
  const { out, code } = await world.run('api GET projects/100/repository/files/assets%2Flogo.png/raw');
  expect([code, out.slice(1, 4)]).toEqual([0, 'PNG']);
});

test.each([
  ['--jq .name', '--jq'],
  ['--fields name', '--fields'],
  ['--csv', '--output csv'],
])('rejects a response that is not JSON with %s', async (flags, named) => {
  const { code, out, err } = await world.run(`api GET projects/100/repository/files/README.md/raw ${flags}`);
  expect([code, out]).toEqual([8, '']);
  expect(err).toContain(`the response is not JSON but text/plain`);
  expect(err).toContain(`hint: without ${named}, the response is printed unchanged`);
});

test('reports further pages, and prints all of them as one array with --all', async () => {
  const pages = ({ url }: Request): Canned => {
    const page = Number(new URL(url).searchParams.get('page') ?? 1);
    const next = new URL(url);
    next.searchParams.set('page', String(page + 1));
    return {
      body: JSON.stringify([{ id: page * 2 }, { id: page * 2 + 1 }]),
      ...(page < 3 ? { headers: [['link', `<${next.href}>; rel="next"`]] } : {}),
    };
  };
  const one = await ask('api GET things', pages);
  expect(JSON.parse(one.out)).toHaveLength(2);
  expect(one.err).toMatch(/Showing 2 results of a longer list\. Use --all or --limit N for more\./);
  const raw = await ask('api GET things -o raw', pages);
  expect(raw.err).toBe('One page of a longer list. Use --all or --limit N for more.\n');
  const link = ['link', `<${root}/things?page=2>; rel="next"`] as const;
  const total = await ask('api GET things', { headers: [['x-total', '6'], link], body: '[1,2]' });
  expect(total.err).toBe('Showing 2 of 6 results. Use --all or --limit N for more.\n');
  const all = await ask('api GET things --all', pages);
  expect(JSON.parse(all.out).map(({ id }: { id: number }) => id)).toEqual([2, 3, 4, 5, 6, 7]);
  expect([all.requests[0]?.url, all.err]).toEqual([`${root}/things?per_page=100`, '']);
  const some = await ask('api GET things --limit 3', pages);
  expect(JSON.parse(some.out)).toHaveLength(3);
  const rest = await ask(['api', 'GET', `${root}/things?per_page=2&page=2`, '--all'], pages);
  expect(rest.requests[0]?.url).toBe(`${root}/things?per_page=2&page=2`);
  expect(JSON.parse(rest.out).map(({ id }: { id: number }) => id)).toEqual([4, 5, 6, 7]);
});

test('prints a single object also with --all and --limit', async () => {
  const body = '{"a":1}';
  for (const line of ['api x --all', 'api version --limit 5', 'api GET version --all -o json'])
    expect(await ask(line, { body })).toMatchObject({ code: 0, out: `${body}\n`, err: '' });
  // A list stays a list: the second page is an object.
  const pages = ({ url }: Request): Canned =>
    url.includes('page=2')
      ? { body }
      : { body: '[1]', headers: [['link', `<${root}/x?page=2>; rel="next"`]] };
  const broken = await ask('api x --all', pages);
  expect([broken.code, broken.out]).toEqual([8, '[\n1']);
  expect((await ask('api projects/1/jobs --all', { body })).code).toBe(8);
});

test('rejects --all and --limit with a write or --include, and a method that is given twice', async () => {
  for (const line of ['api POST x --all', 'api GET x --all --include', 'api GET x --limit 2 --all'])
    await refused(line);
  await refused('api -X POST GET version');
});

test('prints status and headers first with --include, secrets masked', async () => {
  const { out } = await ask('api GET x --include', {
    status: 201,
    headers: [
      ['x-request-id', 'r1'],
      ['set-cookie', 'sid=1'],
    ],
    body: '{}',
  });
  expect(out).toBe(
    'HTTP/1.1 201 Created\ncontent-type: application/json\nx-request-id: r1\nset-cookie: ***\n\n{}\n',
  );
});

test('prints the headers for HEAD; prints nothing for 204; rejects a 304', async () => {
  const { out, code } = await world.run("api HEAD 'projects/100/repository/files/README.md?ref=main'");
  expect(code).toBe(0);
  expect(out).toMatch(/^HTTP\/1\.1 200 OK\n(.+\n)*x-service-blob-id: [0-9a-f]{40}\n/);
  expect(await ask('api DELETE x', { status: 204 })).toMatchObject({ code: 0, out: '', err: '' });
  expect((await ask('api GET projects', { status: 304 })).code).toBe(8);
});

test('shows a repeated header as one list with --dry-run', async () => {
  const { out } = await ask(['api', 'x', '-H', 'X-A: 1', '-H', 'X-B: 2', '-H', 'X-A: 3', '--dry-run']);
  expect(JSON.parse(out).headers).toMatchObject({ 'x-a': '1, 3', 'x-b': '2' });
});

test('saves bytes with --output-file', async () => {
  const cwd = await folderWith({ other: '' });
  const line = 'api GET projects/100/repository/files/README.md/raw --output-file readme.md';
  const { code, out } = await world.run(line, { cwd });
  expect([code, out]).toEqual([0, '']);
  expect(await readFile(join(cwd, 'readme.md'), 'utf8')).toMatch(/^# Rocket/);
});

test.each([
  ['--all', '--all'],
  ['--limit 2', '--limit'],
  ['--jq .name -r', '--jq'],
  ['--fields name', '--fields'],
  ['--csv', '--output csv'],
])('--output-file and %s cannot be used together', async (flags, named) => {
  const cwd = await folderWith({ other: '' });
  const says = `--output-file and ${named} cannot be used together`;
  await refused(`api GET x --output-file new ${flags}`, [says], { cwd });
  await expect(readFile(join(cwd, 'new'))).rejects.toThrow('ENOENT');
});
