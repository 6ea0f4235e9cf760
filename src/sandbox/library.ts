/** A sandbox as an object, for tests in JavaScript, which can pass wrong options. */
import { features, spamModes, tiers } from '../api/features.ts';
import { Failure, usage } from '../errors.ts';
import { isRecord } from '../support/record.ts';
import { momentOf } from './control/clock.ts';
import type { SandboxOptions, TestSandbox } from './control/types.ts';
import { openSandbox } from './sandbox.ts';
import type { Content } from './seed/fill.ts';
import { serve } from './serve.ts';

const names = ['port', 'now', 'seedFile', 'tier', 'withoutFeatures', 'spam'];
const choices: Readonly<Record<string, readonly string[]>> = { spam: spamModes, tier: tiers };

/** Return the requirement that the value of an option does not meet; undefined if it is valid. */
function violated(name: string, value: unknown): string | undefined {
  const isOneOf = (known: readonly string[], one: unknown) => known.some((choice) => choice === one);
  if (name === 'port')
    return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 16
      ? undefined
      : 'an integer from 0 to 65535';
  if (name === 'now')
    return isValid(() => momentOf(value))
      ? undefined
      : 'in ISO 8601, such as 2030-01-31T12:00:00Z, and from 1970 to 9999';
  if (name === 'withoutFeatures') {
    const known = features.map((feature) => feature.name);
    const isList = Array.isArray(value) && value.every((one) => isOneOf(known, one));
    return isList ? undefined : `a list of feature flags (${known.join(', ')})`;
  }
  const known = choices[name];
  if (known) return isOneOf(known, value) ? undefined : `one of ${known.join(', ')}`;
  return typeof value === 'string' && value !== '' ? undefined : 'a path';
}

function isValid(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** @throws Failure `usage` for an unknown option or an invalid value */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw usage('the options of createSandbox must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name))
      throw usage(`unknown option of createSandbox: ${name}; options: ${names.join(', ')}`);
    const required = value === undefined ? undefined : violated(name, value);
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
    if (required !== undefined) throw usage(`${name} must be ${required}: ${shown}`);
  }
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
