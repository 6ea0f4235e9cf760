/** The simulated spam check (section 7). */
import { expect, test } from 'vitest';
import { checkSpam } from '../../src/sandbox/areas/snippets/handlers.ts';
import { createContext } from '../../src/sandbox/core/context.ts';
import { HttpError } from '../../src/sandbox/core/http-error.ts';
import { Params } from '../../src/sandbox/core/request/params.ts';
import type { User } from '../../src/sandbox/core/rows.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { inArea } from '../../src/spec/compose.ts';
import { openTestSandbox } from './ask.ts';

const write = inArea('things', { noun: 'thing' })('POST things', {});

/** Check a write by this user. @returns the error; undefined if it passes */
function checkWrite(
  { world }: Sandbox,
  headers: Record<string, string> = {},
  userId = 4,
): HttpError | undefined {
  const request = new Request('http://localhost/x', { method: 'POST', headers });
  const context = createContext(world, {
    request,
    url: new URL(request.url),
    area: 'things',
    endpoint: write,
    params: new Params({}),
    slots: new Params({}),
    body: new Uint8Array(),
    role: 'developer',
    scopeRow: undefined,
    user: world.table<User>('users').get(userId),
    token: undefined,
    job: undefined,
  });
  try {
    checkSpam(context);
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

test('off accepts every write', async () => {
  expect(checkWrite((await openTestSandbox()).sandbox)).toBeUndefined();
});

test('reject discards the content', async () => {
  const { sandbox } = await openTestSandbox({ spam: 'reject' });
  expect(checkWrite(sandbox)).toMatchObject({
    status: 400,
    body: { message: { error: expect.any(String) } },
  });
});

test.each(['service', 'vendor'])('captcha accepts a solution once (X-%s-…)', async (vendor) => {
  const { sandbox } = await openTestSandbox({ spam: 'captcha' });
  const rejection = checkWrite(sandbox);
  expect(rejection?.body).toEqual({
    needs_captcha_response: true,
    spam_log_id: expect.any(Number),
    captcha_site_key: expect.any(String),
    message: { error: expect.any(String) },
  });
  const { spam_log_id } = (rejection as HttpError).body as { spam_log_id: number };
  const solved = {
    [`X-${vendor}-Captcha-Response`]: 'solved',
    [`X-${vendor}-Spam-Log-Id`]: String(spam_log_id),
  };
  expect(checkWrite(sandbox, solved, 5)).toBeInstanceOf(HttpError);
  expect(checkWrite(sandbox, { ...solved, [`X-${vendor}-Captcha-Response`]: '' })).toBeInstanceOf(HttpError);
  expect(checkWrite(sandbox, solved)).toBeUndefined();
  expect(checkWrite(sandbox, solved)).toBeInstanceOf(HttpError);
});
