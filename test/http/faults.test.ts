import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { expectJson } from '../../src/http/body/expect.ts';
import { type Client, type ClientOptions, createClient, type Event } from '../../src/http/client.ts';
import type { Reply, Request } from '../../src/http/transport.ts';
import { collect } from '../../src/support/bytes.ts';
import { sharedFaults } from '../support/faults.ts';
import {
  maxWait,
  retries,
  type Scenario,
  scenarios,
  sentBody,
  timeoutOf,
  token,
} from '../support/scenarios.ts';
import { kinds, sharedTransports } from '../support/transports.ts';

const faults = await sharedFaults();
const openTransport = await sharedTransports();

interface Outcome {
  printed: unknown;
  readonly failure: unknown;
  readonly waits: number[];
  readonly events: Event[];
}

/** Run a scenario. Waits take no time. */
async function run(
  scenario: Scenario,
  more: Partial<ClientOptions> = {},
  kind: (typeof kinds)[number] = 'direct',
): Promise<Outcome> {
  const waits: number[] = [];
  const events: Event[] = [];
  const client = createClient(openTransport(kind, faults.origin, { timeout: timeoutOf(scenario) }), {
    root: faults.root,
    credential: ['private-token', token],
    secrets: [token],
    userAgent: 'svc/test',
    retries,
    maxWait,
    retryUnsafe: scenario.retryUnsafe ?? false,
    notify: (event) => {
      events.push(event);
      if (event.kind === 'wait') waits.push(event.ms);
    },
    now: Date.now,
    sleep: async () => {},
    random: () => 0.5,
    ...more,
  });
  const outcome = { printed: undefined as unknown, failure: undefined as unknown, waits, events };
  try {
    await (scenario.list ? list : object)(client, requestOf(scenario), outcome);
  } catch (failure) {
    outcome.failure = failure;
  } finally {
    await client.close();
  }
  return outcome;
}

function requestOf({ name, method = 'GET' }: Scenario): Request {
  const request = { method, url: `${faults.root}/${name}`, headers: [] };
  if (method !== 'POST' && method !== 'PUT') return request;
  return {
    ...request,
    headers: [['content-type', 'application/json']],
    body: { bytes: Buffer.from(sentBody) },
  };
}

async function list(client: Client, request: Request, outcome: Outcome): Promise<void> {
  const ids: number[] = [];
  for await (const page of client.pages(request)) {
    const rows = (await parse(page)) as { id: number }[];
    ids.push(...rows.map(({ id }) => id));
    outcome.printed = ids;
  }
}

async function object(client: Client, request: Request, outcome: Outcome): Promise<void> {
  const reply = await client.send(request);
  if (reply.status >= 400) throw await client.failure(request, reply);
  if (request.method === 'HEAD') return reply.discard();
  outcome.printed = await parse(reply);
}

/** Parse JSON as the output room would. */
async function parse(reply: Reply): Promise<unknown> {
  const text = String(await collect(expectJson(reply)));
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new Failure('server_error', 'the response is not JSON', { cause });
  }
}

/** All text of a Failure that a user can see. */
function visible(failure: Failure): string {
  const { exchange } = failure;
  return [failure.message, ...failure.details, ...failure.hints, exchange?.method, exchange?.url].join('\n');
}

describe('fault scenarios', () => {
  it('are at least sixty, with unique names', () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(60);
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  });

  describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
    it.each(kinds)('has the expected outcome with the %s transport', async (kind) => {
      faults.reset();
      const { printed, failure, waits } = await run(scenario, {}, kind);
      if (scenario.kind === undefined) expect(failure).toBeUndefined();
      else {
        expect(failure).toBeInstanceOf(Failure);
        expect((failure as Failure).kind).toBe(scenario.kind);
        const text = visible(failure as Failure);
        for (const part of scenario.includes ?? []) expect(text).toMatch(part);
        for (const part of scenario.excludes ?? []) expect(text).not.toMatch(part);
        expect(JSON.stringify((failure as Failure).exchange ?? {})).not.toContain(token);
        expect((failure as Failure).message).not.toContain('\n');
      }
      if ('prints' in scenario) expect(printed).toEqual(scenario.prints);
      expect(faults.seen(name)).toHaveLength(scenario.requests);
      expect(faults.elsewhereRequests()).toEqual([]);
      expect(waits).toHaveLength(scenario.waits.length);
      waits.forEach((ms, index) => {
        const [least, most] = scenario.waits[index]!;
        expect(ms).toBeGreaterThanOrEqual(least);
        expect(ms).toBeLessThanOrEqual(most);
      });
    });
  });
});

const named = (name: string): Scenario => scenarios.find((scenario) => scenario.name === name)!;

describe('requests and events', () => {
  it('send the credential and the user agent, and report no credential', async () => {
    faults.reset();
    const { events } = await run(named('pages'));
    for (const { headers } of faults.seen('pages')) {
      expect(headers).toContainEqual(['private-token', token]);
      expect(headers).toContainEqual(['user-agent', 'svc/test']);
    }
    expect(JSON.stringify(events)).not.toContain(token);
    expect(events.filter(({ kind }) => kind === 'request')).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === 'response')).toHaveLength(2);
  });

  it('contain no token of a redirect', async () => {
    faults.reset();
    const { events } = await run(named('token-in-redirect'));
    expect(events.length).toBeGreaterThan(10);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  it('include bodies only if requested', async () => {
    faults.reset();
    const { events, printed } = await run(named('gzip'), { bodies: true });
    expect(printed).toEqual({ id: 7 });
    expect(
      events.flatMap((event) => (event.kind === 'body' ? [Buffer.from(event.bytes).toString()] : [])),
    ).toEqual(['{"id":7}']);
    expect((await run(named('gzip'))).events.map(({ kind }) => kind)).toEqual(['request', 'response']);
  });

  it('end a wait when interrupted', async () => {
    const stop = new AbortController();
    const reason = new Failure('interrupted', 'interrupted');
    const { failure } = await run(named('throttled-for-ever'), {
      signal: stop.signal,
      sleep: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal!.addEventListener('abort', () => reject(signal!.reason));
          stop.abort(reason);
        }),
    });
    expect(failure).toBe(reason);
  });
});
