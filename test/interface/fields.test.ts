import { describe, expect, test } from 'vitest';
import { flagsFor } from '../../src/cli/argv/flags.ts';
import type { Endpoint } from '../../src/spec/endpoint.ts';
import { plainRun } from '../support/catalogue.ts';
import { presented } from '../support/endpoints.ts';
import { folderWith } from '../support/folders.ts';
import { exampleFiles, openFastWorld } from '../support/sandbox.ts';
import { type Canned, svc, words } from '../support/svc.ts';
import { ask, refused, root } from './service.ts';

const users = { body: '[{"id":1,"username":"mia","vendor":{"rank":1},"empty":null}]' };
/** Exit code 2, and nothing on standard output. */
const rejected = async (line: string, body: string, ...says: (string | RegExp)[]) => {
  const ran = await ask(line, { body });
  expect([line, ran.code, ran.out]).toEqual([line, 2, '']);
  for (const one of says) expect(ran.err).toMatch(one);
};

/** A file that a task reads rows from. */
const usage = 'Date,Billable User Count\n2026-01-01,5\n';

const hasFields = (endpoint: Endpoint) => flagsFor([endpoint]).some(({ name }) => name === 'fields');
const commands = presented.filter(({ endpoint }) => hasFields(endpoint));

describe('every command rejects an unknown field and prints nothing', () => {
  test.each(commands)('$title', async ({ endpoint, reads }) => {
    const { returns } = endpoint;
    const run = plainRun(endpoint);
    const bodies = returns.kind === 'list' ? ['[{"id":1}]', '[]'] : ['{"id":1}'];
    for (const body of bodies)
      for (const format of ['table', 'json', 'csv']) {
        const cwd = await folderWith(exampleFiles);
        const argv = [...words(run), '--fields', 'no_such_field', '-o', format];
        const answer: Canned = { body: 'file' in returns ? usage : body, headers: [['x-service-size', '1']] };
        const env = { SVC_JOB_TOKEN: 'x', SVC_SOURCE_TOKEN: 'x' };
        const { code, out, err, requests } = await ask(argv, answer, { env, cwd });
        expect([run, body, code, out, err.includes('no_such_field')]).toEqual([run, body, 2, '', true]);
        // After a write, exit code 2 would wrongly say that nothing was sent.
        if (!reads) expect([run, requests.length]).toEqual([run, 0]);
      }
  });
});

test('--fields help lists each field with its type and description', async () => {
  const { out } = await svc('jobs list --fields help');
  expect(out).toMatch(/^allow_failure +bool .*without failing the pipeline$/m);
});

describe('a misspelled field', () => {
  test('is an error with a suggestion', async () => {
    const unknown = /--fields: unknown field "usrname"$/m;
    const says = [unknown, 'Did you mean username?', 'use --fields help for a list'];
    await rejected('users list --fields id,usrname', users.body, ...says);
  });
  test('is an error in every format, and before a jq program runs', async () => {
    for (const format of ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml'])
      await rejected(`users list --fields usrname -o ${format}`, users.body);
    await rejected("users list --fields usrname --jq '.[]'", users.body);
    await rejected("users list --fields usrname --jq 'map(.)'", users.body);
  });
  test.each([
    ['jobs list -p 1 --fields pipeline.ids', '[{"id":1,"pipeline":{"id":2}}]', 'Did you mean pipeline.id?'],
    ['jobs list -p 1 --fields name.first', '[{"id":1,"name":"x"}]', '"name.first"'],
    ['users get 1 --fields usrname', '{"id":1}', 'Did you mean username?'],
    ['approval-rules list -p 1 --fields users.usernme', '[{"users":[{"username":"x"}]}]', 'users.username'],
    ['epics list -g 1 --fields x,y', '[]', 'unknown fields "x", "y"'],
    ['users list --fields x', '["text"]', '"x"'],
  ])('%s', (line, body, says) => rejected(line, body, says));

  test('is an error of a write before it is sent', async () => {
    await refused('variables create KEY value -p 1 --fields kye', ['Did you mean key?']);
    await refused('variables set KEY value -p 1 --fields kye', ['Did you mean key?']);
  });
  test('is reported without the rows of later pages', async () => {
    const { code, out, requests } = await ask('users list --all --fields usrname', () => ({
      body: users.body,
      headers: [['link', `<${root}/users?page=2>; rel="next"`]],
    }));
    expect([code, out]).toEqual([2, '']);
    // One page may be requested in advance.
    expect(requests.length).toBeLessThanOrEqual(2);
  });
});

describe('a field is accepted', () => {
  test.each([
    ['if the catalogue has it and no row does', 'users list --fields website_url', '[{"id":1}]'],
    ['if one row of the first page has it', 'users list --fields vendor', '[{"id":1},{"vendor":2},{"id":3}]'],
    ['inside an object of the service', 'users list --fields vendor.rank', users.body],
    ['inside null, which says nothing about its content', 'users list --fields empty.rank', users.body],
    ['by the index of a list', 'jobs list -p 1 --fields tag_list.0', '[{"id":1}]'],
    ['inside the items of a list', 'approval-rules list -p 1 --fields users.username', '[{"users":[]}]'],
    ['in an object without documented keys', 'license get --fields add_ons.anything', '{"id":1}'],
    ['of an empty list of the catalogue', 'users list --fields username', '[]'],
    ['of an empty list of an unknown endpoint', 'api GET things --fields nope', '[]'],
  ])('%s', async (_, line, body) => {
    const { code, err } = await ask(line, { body });
    expect([code, err.replace(/^.*No .* found\.\n/, '')]).toEqual([0, '']);
  });
});

describe('svc api decides by the rows', () => {
  test('for an endpoint that is not in the catalogue', async () => {
    const { out } = await ask('api GET things --fields b --csv', { body: '[{"a":1},{"b":2}]' });
    expect(out).toBe('b\r\n""\r\n2\r\n');
    await rejected('api GET things --fields nme', '[{"name":1}]', 'Did you mean name?', 'fields: name');
    await rejected('api GET things --all --fields nme', '[{"name":1}]', 'Did you mean name?');
    await rejected('api GET thing --fields owner.nme', '{"owner":{"name":1}}', 'Did you mean owner.name?');
  });
  test('and only warns after a write', async () => {
    const { code, out, err } = await ask('api POST things --fields nme,id', { body: '{"id":1}' });
    expect([code, out]).toEqual([0, '{"nme":null,"id":1}\n']);
    expect(err).toMatch(/warning: --fields: unknown field "nme"/);
  });
});

test('a task that waits prints the result of a write, and warns about an unknown field', async () => {
  const world = await openFastWorld();
  const { code, out, err } = await world.run('dependency-exports create 1010 --wait --fields id,nope --csv');
  expect([code, out]).toEqual([0, expect.stringMatching(/^id,nope\r\n\d+,\r\n$/)]);
  expect(err).toMatch(/warning: --fields: unknown field "nope"/);
});

test('built-in commands reject an unknown field too', async () => {
  await rejected('config explain --fields sorce', '', 'Did you mean source?');
});

test('of an interrupted first page, nothing is printed without the field', async () => {
  const body = '[{"id":1},{"id":2}';
  const [one, other] = [
    await ask('users list --fields nope', { body }),
    await ask('users list --fields id', { body }),
  ];
  expect([one.code, one.out, other.code]).toEqual([2, '', 8]);
});

test('--fields and --sort-by are rejected with -o raw, which prints the response unchanged', async () => {
  await refused('users list --fields id -o raw', ['--fields and --output raw cannot be used together']);
  await refused('users list --sort-by id -o raw', ['--sort-by and --output raw cannot be used together']);
});
