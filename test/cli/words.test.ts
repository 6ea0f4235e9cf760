/** Messages for common mistakes: one clear line, then hints, without repetition. */
import { describe, expect, test } from 'vitest';
import { ask, host } from '../interface/service.ts';
import { svc } from '../support/svc.ts';

describe('a mistake on the command line', () => {
  test.each([
    ['variables get', 'error: <key> is missing\nhint: see svc variables get --help\n'],
    ['jobs list --project', 'error: --project requires a value\nhint: see svc jobs list --help\n'],
    ['jobs show', 'error: <job-id> is missing\nhint: see svc jobs get --help\n'],
    [
      'jobs list',
      'error: jobs list requires --project <id|path>\nhint: set SVC_PROJECT in place of the flag, or save a default with svc profiles set project <id|path>\n',
    ],
    [
      'branches create x --project acme/rocket',
      'error: --ref is missing\nhint: --ref: Branch or commit SHA to start from\n',
    ],
  ])('%s', async (line, says) => {
    const ran = await ask(line);
    expect([ran.code, ran.out, ran.requests.length, ran.err]).toEqual([2, '', 0, says]);
  });

  test('reports a missing base URL together with the missing project', async () => {
    const { code, err } = await svc('jobs list');
    expect([code, err]).toEqual([
      2,
      'error: jobs list requires --project <id|path>\nhint: set SVC_PROJECT in place of the flag, or save a default with svc profiles set project <id|path>\nhint: no base URL is set either; use svc login\n',
    ]);
  });
});

describe('a missing or rejected token', () => {
  const refusal = { status: 401, body: '{"message":"401 Unauthorized"}' };
  const hints = (err: string) => err.split('\n').filter((line) => line.startsWith('hint: '));

  test('explains how to provide a token', async () => {
    const { err } = await ask('users list', refusal, { env: { SVC_TOKEN: '' } });
    expect(hints(err)).toEqual([expect.stringContaining('no token was sent: use svc login')]);
  });
  test('suggests an access token instead of a job token', async () => {
    const env = { SVC_TOKEN: '', CI_JOB_TOKEN: 'job-token-123', CI_SERVER_URL: host };
    const { err } = await ask('users list', refusal, { env });
    expect(hints(err)).toEqual([
      expect.stringContaining('this command is not documented to accept a job token'),
      expect.stringContaining('a job token was sent; for an access token, use svc login'),
    ]);
  });
  test('reports that no token was sent if --auth or the server excludes it', async () => {
    const env = { SVC_TOKEN: '', CI_JOB_TOKEN: 'job-token-123', CI_SERVER_URL: host };
    const ran = await ask('users list --auth access', refusal, { env });
    expect(hints(ran.err)).toEqual([expect.stringContaining('no token was sent: use svc login')]);
    const excluded = await ask('jobs current --auth access', refusal, { env });
    expect(hints(excluded.err)[0]).toBe('hint: --auth excludes a job token');
    const elsewhere = { ...env, CI_SERVER_URL: 'https://pipeline.example' };
    const other = await ask('users list', refusal, { env: elsewhere });
    expect(hints(other.err)).toEqual([
      expect.stringContaining('no token was sent: use svc login'),
      expect.stringContaining('the token from CI_JOB_TOKEN is for https://pipeline.example and is not sent'),
    ]);
  });
  test('mentions job tokens for a write only if the endpoint accepts them', async () => {
    const { err, code } = await ask('broadcasts create --message hi', undefined, { env: { SVC_TOKEN: '' } });
    expect(code).toBe(4);
    expect(hints(err)).toEqual([expect.stringContaining('no access token')]);
  });
});

test('prints the status of an error once', async () => {
  const get = 'variables get KEY --project acme/rocket';
  const plain = await ask(get, { status: 404, body: '{"message":"404 Variable Not Found"}' });
  expect(plain.err.match(/404/g)).toHaveLength(1);
  const unsaid = await ask(get, { status: 409, body: '{"message":"taken"}' });
  expect(unsaid.err.match(/409/g)).toHaveLength(1);
});
