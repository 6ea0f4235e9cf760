/** A sandbox as an object, for tests in JavaScript, which can pass wrong options. */
import { features, spamModes, tiers } from '../api/features.ts';
import { choice, int, list, text } from '../spec/field.ts';
import { momentOf } from './control/clock.ts';
import { membersOf } from './control/input.ts';
import type { SandboxOptions, TestSandbox } from './control/types.ts';
import { seeded } from './info.ts';
import { openSandbox } from './sandbox.ts';
import type { Content } from './seed/fill.ts';
import { serve } from './serve.ts';

const fields = {
  now: text('Time'),
  port: int('Port', { min: 0, max: 2 ** 16 - 1 }),
  seedFile: text('Path'),
  tier: choice(tiers, 'License'),
  withoutFeatures: list(
    choice(
      features.map(({ name }) => name),
      'Feature flag',
    ),
  ),
  spam: choice(spamModes, 'Behavior of the spam check'),
};

/** @returns the options with their types @throws Failure `usage` for an unknown option or an invalid value */
export function checkOptions({ now, ...others }: SandboxOptions): SandboxOptions {
  systemFrom(now);
  const given = { ...others, ...(now === undefined ? {} : { now: String(now) }) };
  return { ...membersOf(given, 'the options of createSandbox', fields), now };
}

function systemFrom(time: SandboxOptions['now']): () => number {
  if (time === undefined) return Date.now;
  const offset = momentOf(time) - Date.now();
  return () => Date.now() + offset;
}

/** @param options checked by `checkOptions` @param content of the seed file of the options */
export async function createSandbox(options: SandboxOptions, content: Content = {}): Promise<TestSandbox> {
  const { port = 0, now, seedFile: _, ...others } = options;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const sandbox = await openSandbox(
    { memory: true },
    {
      now: systemFrom(now),
      ...content,
      ...Object.fromEntries(given),
      onError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
    },
  );
  const { control } = sandbox;
  /** Jobs may have to end now. */
  const moved = async <T>(time: T): Promise<T> => sandbox.save().then(() => time);
  const served = await serve(sandbox, port);
  const { tokens, job_token: job } = sandbox.info();
  return {
    url: served.url,
    tokens: { ...tokens, job } as TestSandbox['tokens'],
    ids: seeded,
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
      set: async (time) => moved(control.clock.set(time)),
      advance: async (duration) => moved(control.clock.advance(duration)),
    },
    snapshots: control.snapshots,
    requests: {
      list: async (listing) => control.requests.list(listing),
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
