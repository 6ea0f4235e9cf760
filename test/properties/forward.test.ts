/** `hooks forward` sends each event of a log once and in order, with any schedule of restarts, failures and pages. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Row } from '../../src/spec/resource.ts';
import type { SavedState } from '../../src/tasks/context.ts';
import { forwarding } from '../../src/tasks/hooks/forward.ts';
import { forAllAsync } from '../support/runs.ts';

/** The process ends. */
class Killed extends Error {}
/** The receiver does not respond, or the log cannot be read. */
class Broken extends Error {}

/** A state on a disk that outlives the processes. */
function diskState() {
  let saved: string | undefined;
  return {
    open: (): SavedState => ({
      value: saved === undefined ? undefined : JSON.parse(saved),
      async save(value) {
        saved = JSON.stringify(value);
      },
      async remove() {
        saved = undefined;
      },
      close() {},
    }),
  };
}

type Outcome = 'accept' | 'reject' | 'refuse' | 'kill';

const schedule = fc.record({
  /** Events in the log before the first run. */
  before: fc.integer({ min: 0, max: 12 }),
  perPage: fc.integer({ min: 1, max: 7 }),
  newestFirst: fc.boolean(),
  /** Numbers of events that are logged while pages are read. */
  arrivals: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 }),
  /** The outcome of each attempt to send; later ones succeed. */
  outcomes: fc.array(fc.constantFrom<Outcome>('accept', 'accept', 'reject', 'refuse', 'kill'), {
    maxLength: 60,
  }),
  /** Whether each read of a page fails; later ones do not. */
  reads: fc.array(fc.boolean(), { maxLength: 20 }),
  /** Oldest events that expire before each run. */
  expiries: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 10 }),
  passes: fc.integer({ min: 1, max: 3 }),
});

test('loses and repeats nothing', async () => {
  await forAllAsync(schedule, async ({ before, perPage, newestFirst, passes, ...random }) => {
    const arrivals = [...random.arrivals];
    const outcomes = [...random.outcomes];
    const reads = [...random.reads];
    const expiries = [...random.expiries];
    let log: Row[] = [];
    let id = 100;
    const add = (count: number) => {
      // Ids grow, with gaps: other webhooks have events too.
      for (let n = 0; n < count; n++) {
        id += 1 + (n % 3);
        log.push({ id });
      }
    };
    add(before);
    const disk = diskState();
    const received: number[] = [];

    async function* pages(): AsyncGenerator<Row> {
      for (let from = 0; ; from += perPage) {
        if (reads.shift()) throw new Broken();
        const ordered = newestFirst ? log.toReversed() : log;
        const page = ordered.slice(from, from + perPage);
        add(arrivals.shift() ?? 0);
        yield* page;
        // Only a full page has a link to the next one.
        if (page.length < perPage) return;
      }
    }

    const runOnce = async () => {
      const forwarded = forwarding(disk.open());
      for (let pass = 0; pass < passes; pass++) {
        for (const event of await forwarded.next(pages(), 0)) {
          const outcome = outcomes.shift() ?? 'accept';
          if (outcome === 'kill') throw new Killed();
          const { status } = await forwarded.send(event, async () => {
            if (outcome === 'refuse') throw new Broken();
            if (outcome === 'accept') received.push(event.id);
            return { status: outcome === 'accept' ? 200 : 500, text: '' };
          });
          if (status !== 200) return false;
        }
      }
      return arrivals.length === 0 && reads.length === 0;
    };

    const everything = () => log.map(({ id: one }) => Number(one));
    const all = new Set(everything());
    for (let isDone = false; !isDone; ) {
      try {
        isDone = await runOnce();
      } catch (error) {
        if (!(error instanceof Killed || error instanceof Broken)) throw error;
      }
      for (const one of everything()) all.add(one);
      // The log forgets events that were sent.
      const old = expiries.shift() ?? 0;
      const kept = new Set(log.slice(0, old).filter((row) => !received.includes(Number(row['id']))));
      log = log.filter((row, index) => index >= old || kept.has(row));
      if (isDone) isDone = everything().every((one) => received.includes(one));
    }
    const wanted = [...all].sort((a, b) => a - b);
    expect(received).toEqual(wanted);
  });
});
