/** `svc variables export`, `import`, `diff`, `copy` and `exec` against the sandbox (contract of tasks). */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { variablesFor } from '../../src/tasks/variables/scopes.ts';
import { expectCode, openStateWorld, type StateWorld, writes } from './engine/world.ts';

let world: StateWorld;
let cwd: string;
beforeEach(async () => {
  world = await openStateWorld();
  cwd = await mkdtemp(join(tmpdir(), 'svc-variables-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const rocket = '-p acme/rocket';

describe('the variables of a job', () => {
  const rows = [
    ['A', '*', 'any'],
    ['A', 'review/*', 'reviews'],
    ['A', 'review/b*', 'branches'],
    ['A', 'review/b1', 'exact'],
    ['B', 'production', 'only'],
  ].map(([key, environment_scope, value]) => ({ key, environment_scope, value }));

  test.each([
    [undefined, ['any']],
    ['staging', ['any']],
    ['review/x', ['reviews']],
    ['review/b2', ['branches']],
    ['review/b1', ['exact']],
    ['production', ['any', 'only']],
  ])('in %s: exact before long before short before *', (environment, values) => {
    expect(variablesFor(rows, environment).map((row) => row['value'])).toEqual(values);
  });
});

describe('export', () => {
  test('dotenv has the values of scope *, and notes what is hidden', async () => {
    const ran = await world.run(`variables export ${rocket} -o dotenv`);
    expectCode(ran, 0);
    expect(ran.out).toBe(
      "DEPLOY_USER=deployer\nAPI_TOKEN=not-a-real-token\nKUBECONFIG='apiVersion: v1\nkind: Config\ncurrent-context: staging\n'\n",
    );
    expect(ran.err).toContain('variable HIDDEN_KEY (scope *)');
  });

  test('dotenv resolves the scopes of an environment', async () => {
    const ran = await world.run(`variables export ${rocket} -o dotenv --environment production`);
    expect(ran.out).toContain('DATABASE_URL=postgres://db.production\n');
  });

  test('dotenv refuses values that it cannot express, and names their keys', async () => {
    await world.run(['variables', 'set', 'BAD', '\'"`#', '-p', 'acme/rocket']);
    const ran = await world.run(`variables export ${rocket} -o dotenv`);
    expectCode(ran, 2);
    expect(ran.out).toBe('');
    expect(ran.err).toContain('dotenv cannot express the values of BAD');
  });

  test('dotenv without values is refused before anything is read', async () => {
    const ran = await world.run(`variables export ${rocket} -o dotenv --no-secrets`);
    expectCode(ran, 2);
    expect([ran.out, ran.requests]).toEqual(['', []]);
  });

  test('--no-secrets leaves out every value', async () => {
    const ran = await world.run(`variables export ${rocket} --no-secrets`);
    expect(ran.out).not.toMatch(/value:|deployer|not-a-real-token/);
  });
});

describe('import and diff', () => {
  test.each([
    ['a state file', 'state.yaml', 'svc: 1\nvariables: [{ key: A, value: one }]\n'],
    [
      'the JSON of variables list',
      'list.json',
      '[{"key":"A","value":"one","description":null,"brand_new":1}]',
    ],
    ['a dotenv file', 'my.env', 'export A="one" # note\n'],
  ])('read %s', async (_, name, text) => {
    await writeFile(join(cwd, name), text);
    const compared = await world.run(`variables diff ${name} ${rocket}`, { cwd });
    expectCode(compared, 10);
    expect(compared.out).toContain('+ variable A (scope *)');
    const ran = await world.run(`variables import ${name} ${rocket} --yes`, { cwd });
    expectCode(ran, 0);
    expect(writes(ran)).toHaveLength(1);
    expectCode(await world.run(`variables diff ${name} ${rocket}`, { cwd }), 0);
  });

  test('import only the variables of a state file', async () => {
    await writeFile(
      join(cwd, 'a.yaml'),
      'svc: 1\nvariables: []\napprovals: { reset_approvals_on_push: false }\n',
    );
    const ran = await world.run(`variables import a.yaml ${rocket} --yes`, { cwd });
    expectCode(ran, 0);
    expect(writes(ran)).toEqual([]);
  });

  test('report a key that the service does not accept, with its position', async () => {
    await writeFile(join(cwd, 'a.env'), 'A.B=1\n');
    expectCode(await world.run(`variables import a.env ${rocket} --yes`, { cwd }), 2);
  });
});

describe('copy', () => {
  test('requires one source', async () => {
    const none = await world.run('variables copy --to acme/website');
    expect([none.code, none.err.split('\n')[0]]).toEqual([2, 'error: --from is missing']);
    const two = await world.run('variables copy --from a --from b --to acme/website');
    expect([two.code, two.err.split('\n')[0]]).toEqual([2, 'error: --from can be used only once']);
  });

  test('copies to several projects; hidden values are listed, exit 11; a second run sends nothing', async () => {
    const line = 'variables copy --from acme/rocket --to acme/website --to acme/labs/probe --yes';
    const ran = await world.run(line);
    expectCode(ran, 11);
    expect(writes(ran)).toHaveLength(10);
    expect(ran.err).toContain('not copied, because its value is hidden: variable HIDDEN_KEY (scope *)');
    const again = await world.run(line);
    expectCode(again, 11);
    expect(writes(again)).toEqual([]);
  });

  test('--prune deletes what the source does not have, but no hidden variable of the source', async () => {
    await world.run('variables create OTHER x -p acme/website');
    await world.run('variables create HIDDEN_KEY kept -p acme/website');
    const ran = await world.run('variables copy --from acme/rocket --to acme/website --prune --yes');
    expect(writes(ran).filter((one) => one.startsWith('DELETE'))).toEqual([
      'DELETE /projects/acme%2Fwebsite/variables/OTHER?filter%5Benvironment_scope%5D=%2A',
    ]);
  });

  test.each([
    'variables copy --to acme/website --yes',
    'variables copy --from acme/rocket --yes',
    'variables copy --from acme/rocket --to acme/rocket --yes',
  ])('%s is a usage error', async (line) => {
    expectCode(await world.run(line), 2);
  });
});

describe('exec', () => {
  test('variables of type file with names that differ in case only are separate files', async () => {
    for (const key of ['Cert', 'CERT', 'NUL'])
      expectCode(await world.run(`variables set ${key} "of ${key}" --variable-type file ${rocket}`), 0);
    const names =
      'for path in "$Cert" "$CERT" "$NUL"; do basename "$path"; done | tr A-Z a-z | sort -u | wc -l';
    for (const [line, expected] of [
      ['test "$(cat "$Cert")$(cat "$CERT")$(cat "$NUL")" = "of Certof CERTof NUL"', 0],
      [`test "$(${names})" -eq 3`, 0],
    ] as const)
      expectCode(
        await world.run(['variables', 'exec', '-p', 'acme/rocket', '--', 'sh', '-c', line], { cwd }),
        expected,
      );
  });

  test('gives a command the variables, and files that are removed afterwards; its exit code is returned', async () => {
    const script =
      'printf %s "$DATABASE_URL" > url; stat -c %a "$KUBECONFIG" > mode; echo "$KUBECONFIG" > path; cat "$KUBECONFIG" > content; exit 7';
    const ran = await world.run(
      ['variables', 'exec', '-p', 'acme/rocket', '--environment', 'production', '--', 'sh', '-c', script],
      { cwd, env: { PATH: process.env['PATH'] ?? '' } },
    );
    expectCode(ran, 7);
    const read = (name: string) => readFile(join(cwd, name), 'utf8');
    expect(await read('url')).toBe('postgres://db.production');
    expect(await read('mode')).toBe('600\n');
    expect(await read('content')).toBe('apiVersion: v1\nkind: Config\ncurrent-context: staging\n');
    expect(existsSync((await read('path')).trim())).toBe(false);
  });

  test('requires a command', async () => {
    expectCode(await world.run(`variables exec ${rocket}`), 2);
  });

  test('reports a command that does not exist', async () => {
    expectCode(await world.run(['variables', 'exec', '-p', 'acme/rocket', '--', '/nope'], { cwd }), 2);
  });
});
