/** A sandbox as an object, for tests in JavaScript, which can pass wrong options. */
import { features, spamModes, tiers } from '../api/features.ts';
import { Failure, usage } from '../errors.ts';
import { isRecord } from '../support/record.ts';
import { momentOf } from './control/clock.ts';
import type { SandboxOptions, TestSandbox } from './control/types.ts';
import { openSandbox } from './sandbox.ts';
import type { Content } from './seed/fill.ts';
import { serve } from './serve.ts';

/** Checks a value. @returns the requirement that it does not meet, or undefined if it is valid */
type Check = (value: unknown) => string | undefined;

const oneOf =
  (choices: readonly string[]): Check =>
  (value) =>
    choices.some((one) => one === value) ? undefined : `one of ${choices.join(', ')}`;

const isText: Check = (value) => (typeof value === 'string' && value !== '' ? undefined : 'a path');

const checks: { readonly [name in keyof SandboxOptions]-?: Check } = {
  port: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 16
      ? undefined
      : 'an integer from 0 to 65535',
  now: (value) =>
    messageOf(() => momentOf(value)) && 'in ISO 8601, such as 2030-01-31T12:00:00Z, and from 1970 to 9999',
  seedFile: isText,
  spam: oneOf(spamModes),
  tier: oneOf(tiers),
  withoutFeatures(value) {
    const known: readonly unknown[] = features.map(({ name }) => name);
    const isValid = Array.isArray(value) && value.every((name) => known.includes(name));
    return isValid ? undefined : `a list of feature flags (${known.join(', ')})`;
  },
};

/** Return the message of a Failure. */
function messageOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** @throws Failure `usage` for an unknown option or an invalid value */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw usage('the options of createSandbox must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name))
      throw usage(`unknown option of createSandbox: ${name}; options: ${Object.keys(checks).join(', ')}`);
    const required = value === undefined ? undefined : checks[name as keyof SandboxOptions](value);
    if (required !== undefined) throw usage(`${name} must be ${required}: ${textOf(value)}`);
  }
}

/** A value in an error message. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Return the clock of the system, or one that starts at a time. */
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
