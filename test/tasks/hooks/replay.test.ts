import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import area from '../../../src/api/hooks.ts';
import { Failure } from '../../../src/errors.ts';
import type { Endpoint } from '../../../src/spec/endpoint.ts';
import type { SavedState, TaskContext } from '../../../src/tasks/context.ts';
import { replay } from '../../../src/tasks/hooks/replay.ts';
import { folderWith } from '../../support/folders.ts';
import { openWorld, type World } from '../../support/sandbox.ts';
import { jsonLines } from '../../support/svc.ts';
import { exited, wroteNothing } from '../engine/world.ts';
import { fakeTask, resultOf } from '../fake.ts';

const [endpoint] = area.endpoints as [Endpoint];

/** A log and a state that outlive the runs of the command, and a clock that only pauses advance. */
function bench(
  count: number,
  statusOf: (id: number) => number | Error = () => 200,
  delay = (_: number) => 0,
) {
  const log = Array.from({ length: count }, (_, index) => ({
    id: count - index,
    trigger: 'push_hooks',
    response_status: '500',
  }));
  let value: unknown;
  let clock = 1_000_000;
  const resends: { id: number; at: number }[] = [];
  const notes: string[] = [];
  const questions: string[] = [];
  const run = (repeated: [string, string][] = []) => {
    const { task } = fakeTask({ endpoint, line: { words: ['301'], repeated } });
    const save = async (next?: unknown) => {
      value = next && JSON.parse(JSON.stringify(next));
    };
    const state: SavedState = { value, save, remove: () => save(), close() {} };
    const own: TaskContext = {
      ...task,
      now: () => clock,
      pause: async (milliseconds) => {
        clock += milliseconds;
      },
      async *rows() {
        yield* log;
      },
      openState: async () => state,
      prepare: async (change) => ({
        endpoint: change?.endpoints?.[0] ?? endpoint,
        slots: { hook_id: '301', ...change?.line?.args },
        values: {},
      }),
      async call({ slots }) {
        const id = Number(slots['hook_event_id']);
        // The service counts a resend when the receiver has responded.
        clock += delay(id);
        resends.push({ id, at: clock });
        const status = statusOf(id);
        if (status instanceof Error) throw status;
        return resultOf({ response_status: status });
      },
      confirm: async (question) => void questions.push(question),
      note: (text) => void notes.push(text),
      warn: (text) => void notes.push(text),
      paint: async () => true,
    };
    return replay(own, {});
  };
  return { run, resends, notes, questions, value: () => value, log };
}

const minute = 60_000;

/** Check that no minute has more than five resends. */
function expectLimit(resends: readonly { readonly at: number }[]): void {
  for (const { at } of resends)
    expect(resends.filter((other) => other.at >= at && other.at < at + minute).length).toBeLessThanOrEqual(5);
}

const sent = { kind: 'done', notes: [{ how: 'done', text: expect.stringMatching(/^Resent/) }] };

test('resends all events oldest first, at most five in any minute', async () => {
  const { run, resends, questions } = bench(23);
  expect(await run()).toEqual(sent);
  expect(resends.map(({ id }) => id)).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
  expectLimit(resends);
  expect((resends.at(-1)?.at ?? 0) - (resends[0]?.at ?? 0)).toBe(4 * minute);
  expect(questions).toEqual(['Resend 23 events, which takes about 4 minutes?']);
});

/** Only the first resend takes long. */
const slowStart = (id: number) => (id === 1 ? 7_000 : 0);

test('announces each wait, and counts a slow resend from its response', async () => {
  const { run, resends, notes } = bench(11, () => 200, slowStart);
  await run();
  expectLimit(resends);
  expect(notes).toEqual([1, 2].map(() => 'waiting 60s: the service allows 5 resends per minute'));
});

test('fails for an event without an id', async () => {
  const { run, log } = bench(1);
  log.splice(0, 1, { ...log[0], id: null } as never);
  const failure = { kind: 'server_error', message: 'the response lacks the documented attribute id' };
  await expect(run()).rejects.toMatchObject(failure);
});

test('continues an interrupted run with the same events, and within the limit', async () => {
  let broken = true;
  const status = (id: number) => (broken && id === 4 ? new Failure('network', 'connection lost') : 200);
  const { run, resends, notes, value, log } = bench(9, status, slowStart);
  await expect(run()).rejects.toThrow('connection lost');
  broken = false;
  // A resend is logged as a new event, which is not part of the plan.
  log.unshift({ id: 77, trigger: 'push_hooks', response_status: '500' });
  expect(await run()).toEqual(sent);
  expect(resends.map(({ id }) => id)).toEqual([1, 2, 3, 4, 4, 5, 6, 7, 8, 9]);
  expectLimit(resends);
  expect(notes).toContain('continuing: 3 of 9 events were resent before');
  expect(notes.join()).toContain('the outcome of event 4 is unknown');
  expect(value()).toBeUndefined();
});

test('sends an event again that the service refused to resend, whose outcome is known', async () => {
  let isRefused = true;
  const { run, resends, notes } = bench(3, (id) =>
    isRefused && id === 2 ? new Failure('rejected', '422 Unprocessable Entity') : 200,
  );
  await expect(run()).rejects.toThrow('422');
  isRefused = false;
  expect(await run()).toEqual(sent);
  expect(resends.map(({ id }) => id)).toEqual([1, 2, 2, 3]);
  expect(notes).toEqual(['continuing: 1 of 3 events were resent before']);
});

test('continues without events that are no longer in the log, and ends as partial', async () => {
  let broken = true;
  const { run, resends, notes, log } = bench(4, () => (broken ? new Failure('network', 'lost') : 200));
  await expect(run()).rejects.toThrow('lost');
  broken = false;
  log.splice(-2);
  expect(await run()).toEqual({ ...sent, ending: 'partial' });
  expect(resends.map(({ id }) => id)).toEqual([1, 3, 4]);
  expect(notes).toContain('no longer in the log: 1, 2');
});

test('reports events that the receiver did not accept, and resends the others', async () => {
  const { run, resends } = bench(4, (id) => ({ 2: 500, 3: 0 })[id] ?? 204);
  const refused = { how: 'warn', text: 'the receiver did not accept 2 events: 2, 3' };
  expect(await run()).toEqual({ ...sent, notes: [...sent.notes, refused], ending: 'unsuccessful' });
  expect(resends).toHaveLength(4);
});

test('resends the events of --event, once each', async () => {
  const { run, resends } = bench(9);
  await run([
    ['event', '7,3'],
    ['event', '7'],
  ]);
  expect(resends.map(({ id }) => id)).toEqual([3, 7]);
});

describe('in the sandbox', () => {
  let home: string;
  let world: World;
  beforeEach(async () => {
    home = await folderWith();
    world = await openWorld();
  });
  const run = (line: string) => world.run(line, { env: { HOME: home, XDG_STATE_HOME: join(home, 'state') } });

  test('prints the plan, asks for confirmation and exits with 9 for a failed resend', async () => {
    const line = 'hooks replay 301 --group acme --status server_failure';
    const unconfirmed = await wroteNothing(2, run(line));
    expect(unconfirmed.err).toContain('this command requires --yes');
    const ran = await exited(9, run(`${line} --yes`));
    expect(ran.out).toBe('resend 402  push_hooks  500\n402  no response\n');
    expect(ran.err).toContain('warning: the receiver did not accept 1 event: 402');
    expect(await readdir(join(home, 'state', 'svc', 'journals'))).toEqual([]);
    // The attempt that failed is no event of its own.
    expect((await run(`${line} --yes`)).out).toBe(ran.out);
  });

  test.each([
    ['--event 999', 'not among these events of the log: 999'],
    ['--event x', '--event must be the id of an event'],
    ['--status teapot', '--status must be a status such as 500'],
    ['--since 1', '--since must be a duration'],
  ])('rejects %s', async (flags, message) => {
    const ran = await wroteNothing(2, run(`hooks replay 301 --group acme --yes ${flags}`));
    expect(ran.err).toContain(message);
  });

  test('prints the requests of a dry run', async () => {
    const line = 'hooks replay 301 --group acme --event 402 --event 403 --dry-run';
    const ran = await wroteNothing(0, run(line));
    const events = jsonLines(ran.out).map(({ url }) => url.split('/events/')[1]);
    expect(events).toEqual(['402/resend', '403/resend']);
  });
});
