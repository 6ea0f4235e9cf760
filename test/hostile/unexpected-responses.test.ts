// Built-in commands with responses that no service of this API sends. Other tests cover the API commands.
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { canned, svc, words } from '../support/svc.ts';

const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'svcpat-Zq81LmPw', SVC_PROJECT: 'a/b' };

const bodies: readonly (readonly [body: string, type: string])[] = [
  ['<html>Sign in</html>', 'text/html'],
  ...[
    'nope',
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
      for (const [body, type] of bodies) {
        const ran = await svc(words(line), {
          env: { ...env, SVC_RETRIES: '0' },
          transport: canned(() => ({ status, body, headers: [['content-type', type]] })),
        });
        const printed = `${body}\n${ran.code}\n${ran.out}\n${ran.err}`;
        expect(Object.values(exitCodes).concat(0 as never), printed).toContain(ran.code);
        expect(printed).not.toMatch(/this is a bug|\bundefined\b|\[object |NaN|\n {4}at /);
      }
    },
  );
});
