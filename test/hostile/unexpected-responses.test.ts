// Built-in commands with responses that no service of this API sends. Other tests cover the API commands.
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { canned, svc, words } from '../support/svc.ts';

const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'svcpat-Zq81LmPw', SVC_PROJECT: 'a/b' };

const bodies: readonly (readonly [body: string, type: string])[] = [
  ['<html>Sign in</html>', 'text/html'],
  ...[
    'nope',
    '['.repeat(30_000) + ']'.repeat(30_000),
    '',
    '[1,2',
    'null',
    '{}',
    '[]',
    '[null]',
    '[[1]]',
    '"x"',
    '5',
    '{"id":null,"username":[],"status":{},"has_failures":"x","has_finished":1,"scopes":1,"version":{},"expires_at":7}',
    '[{"id":{"a":[1]},"key":5}]',
    '{"__proto__":{"x":1},"constructor":1,"toString":2}',
  ].map((body) => [body, 'application/json'] as const),
];

describe.each([
  'auth status',
  'auth status --json',
  'doctor',
  'doctor --json',
  'api GET /x',
  'api GET /x --all',
  'api GET /x -i',
  'api GET /x --jq .',
  'api POST /x -F a=1',
  'migrations get 1 --wait --wait-timeout 0.05',
  'license refresh 1 --wait --wait-timeout 0.05',
  'dependency-exports create 1 --wait --wait-timeout 0.05',
  'variables set K v',
  'jobs list --jq .[0].id',
])('%s', (line) => {
  test.each([200, 404, 500])(
    'never reports a bug for an unexpected response with status %i',
    async (status) => {
      for (const [body, type] of status === 200 ? bodies : bodies.slice(0, 6)) {
        const ran = await svc(words(line), {
          env: { ...env, SVC_RETRIES: '0' },
          transport: canned(() => ({ status, body, headers: [['content-type', type]] })),
        });
        const printed = `${body}\n${ran.code}\n${ran.out}\n${ran.err}`;
        expect(Object.values(exitCodes).concat(0 as never), printed).toContain(ran.code);
        expect(printed).not.toMatch(/a bug in svc|\bundefined\b|\[object |NaN|\n {4}at /);
      }
    },
  );
});

describe('JSON that is nested too deeply', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const row = `{"id":1,"key":"K","value":"v","name":"n","environment_scope":"*","variable_type":"env_var","x":${deep}}`;
  const state = JSON.stringify({ svc: 1, project: 'a/b', variables: [{ key: 'K', value: 'v' }] });
  const send = (line: string, body: string) =>
    svc(words(line), { env, stdin: state, transport: canned(() => ({ body })) });

  test.each([
    'variables export',
    'variables export -o dotenv',
    'variables export',
    'variables copy --from 1 --to 2 --yes',
    'export -p a/b',
    'diff -f -',
    'apply -f - --yes',
    'variables list --all-fields',
    'variables list --sort-by x --all',
    'variables list -o yaml',
    'variables list -o csv --fields id,x',
    'variables list -o json --fields x',
    'variables get K',
    'variables get K -o yaml',
    'variables update K v -o yaml',
    'api GET /x -o yaml',
  ])('%s reports a server error', async (line) => {
    for (const inner of [row, row.replace('"id":1,', '"id":12345678901234567890,')]) {
      const ran = await send(line, / (get|update) /.test(line) ? inner : `[${inner}]`);
      expect(ran.err).toMatch(/nested too deeply/);
      expect(ran.code, ran.err).toBe(8);
    }
  });

  test.each([
    'variables list',
    'variables list --sort-by id',
    'variables list --json --all',
    'variables list -o ndjson',
  ])('%s prints it, because it does not read the values', async (line) => {
    const ran = await send(line, `[${row}]`);
    expect([ran.code, ran.err]).toEqual([0, '']);
  });
});
