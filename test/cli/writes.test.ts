/** Writes: the confirmation, the response on request, and secrets that are never printed. */
import { describe, expect, test } from 'vitest';
import { ask, folderWith, refused } from '../interface/service.ts';
import { calls } from '../support/catalogue.ts';
import { openWorld } from '../support/sandbox.ts';
import type { Canned } from '../support/svc.ts';

const create = 'variables create KEY s3cret-word --project acme/rocket';
const made: Canned = {
  status: 201,
  body: '{"key":"KEY","value":"s3cret-word","masked":false,"environment_scope":"*","n":12345678901234567890}',
};

describe('a write', () => {
  test('prints one line on standard error, and nothing on standard output', async () => {
    const ran = await ask(create, made);
    expect([ran.code, ran.out, ran.err]).toEqual([0, '', 'Created variable KEY in acme/rocket\n']);
    expect((await ask(`${create} --quiet`, made)).err).toBe('');
  });

  test.each([
    ['snippets update 51 --project acme/rocket', 'Nothing was changed: the update has no fields\n'],
    ['appearance update', 'Nothing was changed: the update has no fields\n'],
    ['snippets update 51 --project acme/rocket --title Hello', 'Updated snippet 51 (Hello) in acme/rocket\n'],
  ])('reports an update only if it has fields: %s', async (line, note) => {
    const ran = await ask(line, { body: '{"id":51,"title":"Hello"}' });
    expect([ran.code, ran.err, ran.requests.length]).toEqual([0, note, 1]);
  });

  test.each([
    [{ terminal: 80, env: { NO_COLOR: '1' } }, '✓ Created'],
    [{ terminal: 80, env: { NO_COLOR: '1', LC_ALL: 'C' } }, 'Created'],
    [{ terminal: 80, env: { NO_COLOR: '1', LC_ALL: 'en_US.UTF-8' } }, '✓ Created'],
    [{ terminal: 80, env: { NO_COLOR: '1', LANG: 'zh-cn.utf8' } }, '✓ Created'],
    [{ terminal: 80, env: { NO_COLOR: '1', SVC_ACCESSIBLE: '1' } }, 'Created'],
  ])('shows a check mark only where the terminal can: %j', async (setting, start) => {
    const { err } = await ask(create, made, setting);
    expect(err).toBe(`${start} variable KEY in acme/rocket\n`);
  });

  test.each([
    ['-o table', {}, 'KEY'],
    ['--json', {}, '12345678901234567890'],
    ['--csv', {}, 'KEY'],
    ['--fields key,value', {}, 'KEY'],
    ['--jq .value', {}, '***'],
    ['-o yaml', {}, '12345678901234567890'],
    ['', { SVC_OUTPUT: 'json' }, '12345678901234567890'],
  ])('prints the response with %s %j, without the secret', async (flags, env, part) => {
    const ran = await ask(`${create} ${flags}`, made, { env });
    expect(ran.out).toContain(part);
    expect(ran.out + ran.err).not.toContain('s3cret');
    expect(ran.err).toBe('Created variable KEY in acme/rocket\n');
  });

  test.each(['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'])(
    'never prints the secret that it set: -o %s',
    async (format) => {
      const cwd = await folderWith({ value: 's3cret-word' });
      for (const verb of ['create', 'update', 'set'])
        for (const value of ['s3cret-word', '@value', '-']) {
          const argv = ['variables', verb, 'KEY', value, '-p', 'acme/rocket', '-o', format];
          const ran = await ask(argv, made, { cwd, stdin: 's3cret-word\n' });
          expect(ran.code, argv.join(' ')).toBe(0);
          expect(ran.out + ran.err, argv.join(' ')).not.toContain('s3cret');
        }
    },
  );

  test('prints a generated value without a flag', async () => {
    const generating = calls.filter(({ endpoint }) => endpoint.generates).map(({ title }) => title);
    const commands = ['wikis attach (group)', 'uploads create (project)', 'client-keys create (project)'];
    expect(generating).toEqual(commands);
    const body = '{"id":7,"active":true,"public_key":"k","tracker_dsn":"https://k@host.example/7"}';
    const { out, err } = await ask('client-keys create -p acme/rocket', { status: 201, body });
    expect(out).toContain('https://k@host.example/7');
    expect(err).toBe('Created client key 7 in acme/rocket\n');
  });

  test('says that it was done if the response cannot be printed; names a scope other than the default', async () => {
    const ran = await ask(`${create} --quiet --jq .key.x`, made);
    expect(ran.code).not.toBe(0);
    const hint = 'hint: the service carried out the request: created variable KEY in acme/rocket\n';
    expect(ran.err).toContain(hint);
    const table = await ask(`${create} --quiet --jq .key --csv`, made);
    expect([table.code, table.err]).toEqual([1, expect.stringContaining(hint)]);
    const body = '{"key":"KEY","environment_scope":"prod"}';
    const { err } = await ask(`${create} --environment-scope prod`, { status: 201, body });
    expect(err).toBe('Created variable KEY (scope prod) in acme/rocket\n');
  });

  test('masks the value in what the service returned, not in the key that the user typed', async () => {
    const line = 'variables create PRODUCTION_URL production --environment-scope production -p acme/rocket';
    const returned = (key: string) => {
      return { status: 201, body: JSON.stringify({ key, environment_scope: 'production' }) };
    };
    const { err } = await ask(line, returned('PRODUCTION_URL'));
    expect(err).toBe('Created variable PRODUCTION_URL (scope production) in acme/rocket\n');
    const other = await ask(line, returned('a production'));
    expect(other.err).toBe('Created variable a *** (scope production) in acme/rocket\n');
  });

  test('removes control characters and line breaks of the service from the confirmation; confirms a 204', async () => {
    const body = JSON.stringify({ id: 7, name: 'a\u001b[2J\nerror: b' });
    const line = 'badges create -p 1 --link-url https://a.example --image-url https://a.example';
    const { err } = await ask(line, { status: 201, body }, { terminal: 80, env: { NO_COLOR: '1' } });
    expect(err).toBe('✓ Created badge 7 (a error: b) in project 1\n');
    expect((await ask(create, { status: 204 })).err).toBe('Created variable KEY in acme/rocket\n');
  });
});

describe('variables set --masked-and-hidden', () => {
  const set = 'variables set KEY s3cret-word --project acme/rocket --masked-and-hidden';

  test('creates the variable, and then only updates its value', async () => {
    const world = await openWorld();
    const first = await world.run(set);
    expect([first.code, first.err]).toEqual([0, 'Created variable KEY in acme/rocket\n']);
    const again = await world.run(`${set} --json`);
    expect([again.code, again.err]).toEqual([0, 'Updated variable KEY in acme/rocket\n']);
    expect(JSON.parse(again.out)).toMatchObject({ hidden: true, masked: true });
    const found = (await world.json('variables list -p acme/rocket')) as { key: string }[];
    expect(found.filter(({ key }) => key === 'KEY')).toHaveLength(1);
  });

  test('changes nothing if the variable exists and is readable', async () => {
    const world = await openWorld();
    await world.run('variables set KEY other-value --project acme/rocket');
    const ran = await world.run(set);
    expect([ran.code, ran.out]).toEqual([6, '']);
    expect(ran.err).toMatch(/^error: variable KEY exists and is not hidden\nhint: .*delete this one first/);
    expect((await world.json('variables get KEY -p acme/rocket')).value).toBe('other-value');
  });
});

describe('--curl', () => {
  test('holds secrets in variables of the shell', async () => {
    const { execFileSync } = await import('node:child_process');
    const { out, err } = await ask(
      'variables create KEY s3cret-word -p 1 --description "it\'s @here" --curl',
    );
    expect(out).not.toContain('s3cret');
    expect(err).toBe('Set SECRET_VALUE first, with the characters escaped as in JSON.\n');
    const script = `curl() { printf '%s\\n' "$@"; }; ${out}`;
    const env = { SVC_TOKEN: 'T', SECRET_VALUE: 'a b' };
    const read = execFileSync('sh', ['-c', script], { env }).toString().split('\n');
    expect(read).toContain('{"key":"KEY","value":"a b","description":"it\'s @here"}');
  });

  test('numbers several secrets with the same name, also of several commands', async () => {
    const headers = '--custom-header key=A,value=one1 --custom-header key=B,value=two2';
    const { out, err } = await ask(`hooks update 1 -g acme ${headers} --curl`);
    expect(out).toMatch(/"\$SECRET_VALUE"'.*"\$SECRET_VALUE_2"'/);
    expect(err).toContain('Set SECRET_VALUE and SECRET_VALUE_2 first');
    expect(out).not.toMatch(/one1|two2/);
    const rows = ['one1', 'two2', 'one1'].map((value, at) => ({ key: `K${at}`, value }));
    const list = { stdin: JSON.stringify(rows) };
    const plan = await ask('variables import - -p 1 --curl', { body: '[]' }, list);
    expect(plan.out.match(/\$SECRET_\w+/g)).toEqual(['$SECRET_VALUE', '$SECRET_VALUE_2', '$SECRET_VALUE']);
    expect(plan.err).toContain('Set SECRET_VALUE and SECRET_VALUE_2 first');
  });
});

describe('a value that is missing by mistake', () => {
  test('standard input that is empty is rejected', async () => {
    const says = [/<value>: standard input is empty/, /use <value> ""/];
    await refused('variables set KEY - -p 1', says, { stdin: '' });
    // `false | svc files update` must not empty the file.
    const update = 'files update a.txt -p 1 --branch main -m x --content -';
    await refused(update, [/--content: standard input is empty/, /use --content ""/], { stdin: '' });
    expect((await ask(['variables', 'set', 'KEY', '', '-p', '1'], { body: '{}' })).code).toBe(0);
  });
  test.each([
    ['variables create K v -p 1 --environment-scope ""', /--environment-scope cannot be empty/],
    ['files raw a -p 1 --output-file ""', /--output-file requires a path/],
    ['jobs list -p 1 --har -', /--har requires a path, not "-"/],
    ['jobs timeline 1 -p 1 --svg -', /--svg requires a path/],
    ['apply -f x --save-plan -', /--save-plan requires a path/],
    ['each --in-group a --journal - -- jobs list', /--journal requires a path/],
    ['each --in-group a --resume "" -- jobs list', /--resume requires a path/],
    ['hooks listen --save -', /--save requires a path/],
    ['sandbox start --data ""', /--data requires a path/],
  ])('%s is rejected', (line, says) => refused(line, [says]));
});
