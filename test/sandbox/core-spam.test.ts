/** The simulated spam check (section 7). */
import { expect, test } from 'vitest';
import { BoundContext } from '../../src/sandbox/core/context.ts';
import { HttpError } from '../../src/sandbox/core/http-error.ts';
import { Params } from '../../src/sandbox/core/request/params.ts';
import type { User } from '../../src/sandbox/core/rows.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { endpoint, nothing } from '../../src/spec/endpoint.ts';
import { openTestSandbox } from './ask.ts';

const write = endpoint('POST things', {
  section: '0',
  command: 'create',
  summary: 'Make',
  returns: nothing,
  examples: [],
});

/** Return the error of a checked write by this user; undefined if it passes. */
function checked(
  { world }: Sandbox,
  headers: Record<string, string> = {},
  userId = 4,
): HttpError | undefined {
  const request = new Request('http://localhost/x', { method: 'POST', headers });
  const context = new BoundContext(world, {
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
    context.checkSpam();
    return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

test('off: every write passes', async () => {
  expect(checked((await openTestSandbox()).sandbox)).toBeUndefined();
});

test('without a CAPTCHA the content is discarded', async () => {
  const { sandbox } = await openTestSandbox({ spam: 'reject' });
  expect(checked(sandbox)).toMatchObject({ status: 400, body: { message: { error: expect.any(String) } } });
});

test.each(['service', 'vendor'])('with a CAPTCHA it passes once when solved (X-%s-…)', async (vendor) => {
  const { sandbox } = await openTestSandbox({ spam: 'captcha' });
  const refused = checked(sandbox);
  expect(refused?.body).toEqual({
    needs_captcha_response: true,
    spam_log_id: expect.any(Number),
    captcha_site_key: expect.any(String),
    message: { error: expect.any(String) },
  });
  const { spam_log_id } = (refused as HttpError).body as { spam_log_id: number };
  const solved = {
    [`X-${vendor}-Captcha-Response`]: 'solved',
    [`X-${vendor}-Spam-Log-Id`]: String(spam_log_id),
  };
  expect(checked(sandbox, solved, 5)).toBeInstanceOf(HttpError);
  expect(checked(sandbox, { ...solved, [`X-${vendor}-Captcha-Response`]: '' })).toBeInstanceOf(HttpError);
  expect(checked(sandbox, solved)).toBeUndefined();
  expect(checked(sandbox, solved)).toBeInstanceOf(HttpError);
});
