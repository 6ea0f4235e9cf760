/** `--dry-run` and `--curl`. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { calls } from '../support/catalogue.ts';
import { exampleFiles } from '../support/sandbox.ts';
import { jsonLines, words } from '../support/svc.ts';
import { ask, bodyOf, folderWith, planned, plannedInClear, root, token } from './service.ts';

const update =
  'variables update KEY new-value -p acme/rocket --protected --filter environment_scope=prod --dry-run';
const url = `${root}/projects/acme%2Frocket/variables/KEY?filter%5Benvironment_scope%5D=prod`;

test('prints one JSON object, exits with 0 and sends nothing', async () => {
  const ran = await ask(update);
  expect([ran.code, ran.err, ran.requests.length]).toEqual([0, '', 0]);
  expect(ran.out.endsWith('\n')).toBe(true);
  expect(ran.out.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(ran.out)).toEqual({
    method: 'PUT',
    url,
    headers: { 'private-token': '***', 'content-type': 'application/json' },
    body: { value: '***', protected: true },
  });
});

const examples = calls
  .filter(({ endpoint: { returns } }) => returns.kind !== 'list' || 'unpaged' in returns)
  .flatMap(({ endpoint }) => endpoint.examples.map(({ run }) => run))
  .filter((run) => !/--(dry-run|output-file)/.test(run));

test('the printed request is the request that would be sent, for every example of the catalogue', async () => {
  const cwd = await folderWith(exampleFiles);
  const env = { SVC_JOB_TOKEN: 'svcjob-1234567' };
  expect(examples.length).toBeGreaterThan(80);
  for (const example of examples) {
    const argv = words(example);
    const shown = await ask([...argv, '--dry-run', '--show-secrets'], undefined, { cwd, env });
    const dry = JSON.parse(shown.out);
    const ran = await ask([...argv, '--retries', '0'], { body: '{}' }, { cwd, env });
    const [sent] = ran.requests;
    if (sent === undefined) {
      expect(ran.err, example).toMatch(/--confirm|--yes/);
      continue;
    }
    expect([dry.method, dry.url], example).toEqual([sent.method, sent.url]);
    if (sent.body && 'bytes' in sent.body) expect(dry.body, example).toEqual(bodyOf(sent));
    else expect(dry.body === undefined, example).toBe(sent.body === undefined);
    for (const [header, value] of Object.entries(dry.headers))
      if (header !== 'content-type') expect(sent.headers, example).toContainEqual([header, value]);
  }
});

test('the body is absent for a request without one; --show-secrets prints the token', async () => {
  for (const line of ['jobs list -p 1', 'branches delete x -p 1'])
    expect(Object.keys(await planned(line))).toEqual(['method', 'url', 'headers']);
  expect('body' in (await planned('client-keys create -p 1'))).toBe(false);
  expect((await plannedInClear('jobs list -p 1')).headers['private-token']).toBe(token);
});

test('prints one object per line for a command that makes several requests', async () => {
  const { out, err, code } = await ask('variables set KEY v -p 1 --dry-run');
  expect(err).toContain('sent only if the first returns 404');
  expect([code, jsonLines(out).map(({ method }) => method)]).toEqual([0, ['PUT', 'POST']]);
});

test('requires neither a confirmation nor a token, and still validates values', async () => {
  const env = { SVC_TOKEN: '' };
  expect((await ask('variables delete K -p 1 --dry-run', undefined, { env })).code).toBe(0);
  expect((await ask('variables delete A-B -p 1 --dry-run', undefined, { env })).code).toBe(2);
});

describe('--curl prints it as a curl command', () => {
  test('with the variable of the token that the endpoint accepts', async () => {
    const env = { SVC_JOB_TOKEN: 'svcjob-1234567' };
    const { out } = await ask('jobs current --curl', undefined, { env });
    expect(out).toContain('"job-token: $SVC_JOB_TOKEN"');
    const list = await ask('jobs list -p 1 --curl', undefined, { env });
    expect(list.out).toContain('"private-token: $SVC_TOKEN"');
  });
  test('with the token as $SVC_TOKEN', async () => {
    const { out, code, requests } = await ask(update.replace('--dry-run', '--curl'));
    expect([code, requests.length]).toEqual([0, 0]);
    expect(out).toMatch(/^curl /);
    expect(out).toMatch(/"private-token: \$SVC_TOKEN"/i);
    expect(out).toContain(url);
    expect(out).not.toContain(token);
    expect(out).not.toContain('new-value');
  });
  /** The words of a curl command as a shell reads it. */
  const wordsOf = (out: string) =>
    execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${out}`], { env: { SVC_TOKEN: 'T' } })
      .toString()
      .split('\n');

  test('quoted for a shell', async () => {
    const name = 'it\'s $HOME `x` "q" \\ !';
    const { out } = await ask(['snippets', 'update', '5', '-p', '1', '--title', name, '--curl']);
    const read = wordsOf(out);
    expect(read).toContain('private-token: T');
    expect(read).toContain(JSON.stringify({ title: name }));
    expect(read).toContain(`${root}/projects/1/snippets/5`);
    expect(read).toContain('PUT');
  });
  // The manual of curl on --form: names with , or ; are quoted, and " and \ are escaped in quotes.
  test.each([
    ['a;type=text/html.txt', '"a;type=text/html.txt"'],
    ['a,b.txt', '"a,b.txt"'],
    ['a "b" \\c.txt', '"a \\"b\\" \\\\c.txt"'],
    ['plain.txt', 'plain.txt'],
  ])('with the exact file name %s', async (name, quoted) => {
    const cwd = await folderWith({ [name.replaceAll('/', '-')]: 'x' });
    const file = name.replaceAll('/', '-');
    const { out } = await ask(['uploads', 'create', file, '-p', '1', '--curl'], undefined, { cwd });
    const [form = ''] = wordsOf(out).filter((word) => word.startsWith('file=@'));
    const shown = quoted.replaceAll('/', '-');
    expect(form.replaceAll(`${cwd}/`, '')).toBe(
      `file=@${shown};filename=${shown};type=application/octet-stream`,
    );
  });
});
