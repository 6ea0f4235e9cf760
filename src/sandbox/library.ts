/** A sandbox as an object, for tests in JavaScript. */
import { momentOf } from './control/clock.ts';
import { countOf, membersOf } from './control/input.ts';
import type { SandboxOptions, TestSandbox } from './control/types.ts';
import { openSandbox } from './sandbox.ts';
import type { Content } from './seed/fill.ts';
import { serve } from './serve.ts';

/** Return the clock of the system, or one that starts at a time. */
function systemFrom(time: SandboxOptions['now']): () => number {
  if (time === undefined) return Date.now;
  const offset = momentOf(time) - Date.now();
  return () => Date.now() + offset;
}

/** @param options checked by `checkOptions` @param content of the seed file of the options */
export async function createSandbox(options: SandboxOptions, content: Content = {}): Promise<TestSandbox> {
  const { port = 0, now, spam, tier, withoutFeatures } = options;
  const sandbox = await openSandbox(
    { memory: true },
    {
      now: systemFrom(now),
      ...content,
      ...(spam === undefined ? {} : { spam }),
      ...(tier === undefined ? {} : { tier }),
      ...(withoutFeatures === undefined ? {} : { withoutFeatures }),
      onError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
    },
  );
  const { control } = sandbox;
  const served = await serve(sandbox, { port });
  const { tokens, job_token: job, ids } = sandbox.info();
  return {
    url: served.url,
    tokens: { ...tokens, job } as TestSandbox['tokens'],
    ids,
    faults: {
      async add(match, effect) {
        const [added] = control.faults.add({ ...effect, match });
        if (!added) throw new Error('no fault was added');
        return added;
      },
      list: async () => control.faults.list(),
      clear: async () => control.faults.clear(),
    },
    clock: {
      show: async () => control.clock.show(),
      set: async (time) => control.clock.set(time),
      advance: async (duration) => control.clock.advance(duration),
    },
    snapshots: {
      save: (name) => control.snapshots.save(name),
      load: (name) => control.snapshots.load(name),
      list: () => control.snapshots.list(),
      delete: (name) => control.snapshots.delete(name),
    },
    requests: {
      list: async (listing = {}) => {
        const { limit, after } = membersOf(listing, 'the listing', ['limit', 'after']);
        return control.requests.list({ limit: countOf(limit, 'limit'), after: countOf(after, 'after') });
      },
      clear: async () => control.requests.clear(),
    },
    emit: (event, project) => control.emit({ event, project }),
    reset: () => control.reset(),
    async close() {
      await served.close();
      await sandbox.close();
    },
  };
}
