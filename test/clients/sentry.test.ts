/** The official SDK of an error tracker sends events to a DSN while the sandbox has faults and another time (section 6.2). */
import { createStackParser, createTransport, Scope, type Transport } from '@sentry/core';
import { nodeStackLineParser, ServerRuntimeClient } from '@sentry/core/server';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ServedSandbox, serveSandbox } from '../gitbeaker/world.ts';
import { svc } from '../support/svc.ts';

const collector = 'POST /error_tracking/collector/**';
const rocket = 'acme/rocket';

let world: ServedSandbox;
let client: ServerRuntimeClient;
let scope: Scope;
/** Reasons of the SDK to drop events. */
let dropped: string[];

/** Run `svc` against the sandbox, and return its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any property
async function run(line: string): Promise<any> {
  const { host, token } = world.as('maintainer');
  const env = { SVC_BASE_URL: host, SVC_TOKEN: token };
  const ran = await svc(`${line} --project ${rocket} --json`, { env });
  expect(ran.code, ran.err).toBe(0);
  return JSON.parse(ran.out);
}

/** The transport of the SDK, with its rate limits, over `fetch`. */
const transportOf = (options: Parameters<typeof createTransport>[0] & { url: string }): Transport =>
  createTransport(
    { ...options, recordDroppedEvent: (reason) => void dropped.push(reason) },
    async ({ body }) => {
      const response = await fetch(options.url, { method: 'POST', body });
      await response.arrayBuffer();
      return {
        statusCode: response.status,
        headers: {
          'retry-after': response.headers.get('retry-after'),
          'x-sentry-rate-limits': response.headers.get('x-sentry-rate-limits'),
        },
      };
    },
  );

beforeEach(async () => {
  world = await serveSandbox();
  const { tracker_dsn: dsn } = await run('client-keys create');
  dropped = [];
  client = new ServerRuntimeClient({
    dsn,
    transport: transportOf,
    integrations: [],
    stackParser: createStackParser(nodeStackLineParser()),
    sendClientReports: false,
  });
  scope = new Scope();
  scope.setClient(client);
  client.init();
});

async function capture(name: string, message: string): Promise<void> {
  scope.captureException(Object.assign(new Error(message), { name }));
  expect(await client.flush(5000)).toBe(true);
}

const errorsNamed = async (name: string) =>
  ((await run('error-tracking errors --limit 100')) as { name: string; last_seen_at: string }[]).filter(
    (one) => one.name === name,
  );
const statuses = () =>
  world.sandbox.control.requests
    .list()
    .filter(({ path }) => path.includes('/collector/'))
    .map(({ status }) => status);

describe('an event of the SDK', () => {
  test('arrives with its stack trace, and slowly with a delay', async () => {
    world.sandbox.control.faults.add({ match: collector, latency: 50 });
    await capture('SlowError', 'too far');
    expect(await errorsNamed('SlowError')).toEqual([
      expect.objectContaining({
        description: 'too far',
        event_count: 1,
        stack_trace: expect.arrayContaining([expect.objectContaining({ lineno: expect.any(Number) })]),
      }),
    ]);
    expect(dropped).toEqual([]);
  });

  test('is not sent while the service throttles the SDK, and is sent after Retry-After', async () => {
    world.sandbox.control.faults.add({ match: collector, status: 429, retry_after: 1, times: 1 });
    await capture('ThrottledError', 'first');
    await capture('ThrottledError', 'second');
    // The SDK obeys the header: it sends the second event not at all.
    expect(statuses()).toEqual([429]);
    expect(dropped).toContain('ratelimit_backoff');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await capture('ThrottledError', 'third');
    expect(statuses()).toEqual([429, 200]);
    const third = { description: 'third', event_count: 1 };
    expect(await errorsNamed('ThrottledError')).toEqual([expect.objectContaining(third)]);
  });

  test('is lost with a broken connection, which does not disturb the next one', async () => {
    world.sandbox.control.faults.add({ match: collector, cut: 'headers', times: 1 });
    await capture('CutError', 'lost');
    expect(dropped).toEqual(['network_error']);
    await capture('CutError', 'kept');
    expect(await errorsNamed('CutError')).toEqual([expect.objectContaining({ description: 'kept' })]);
  });

  test('is listed at the time of the sandbox, and deleted after 90 days of it', async () => {
    const { clock } = world.sandbox.control;
    clock.advance('120d');
    const now = Date.now() + 120 * 86_400_000;
    await capture('OldError', 'from the past');
    const [found] = await errorsNamed('OldError');
    expect(Date.parse(found?.last_seen_at ?? '')).toBeGreaterThanOrEqual(now);
    clock.advance('89d');
    expect(await errorsNamed('OldError')).toHaveLength(1);
    clock.advance('2d');
    expect(await errorsNamed('OldError')).toEqual([]);
  });
});
