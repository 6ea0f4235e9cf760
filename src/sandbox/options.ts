/** The options of `createSandbox`, which callers in JavaScript can get wrong. */
import { features, spamModes, tiers } from '../api/features.ts';
import { type Failure, usage } from '../errors.ts';
import { isRecord } from '../support/record.ts';
import { momentOf } from './control/clock.ts';
import { ControlError, numberIn } from './control/input.ts';
import type { SandboxOptions } from './control/types.ts';

/** Checks a value. @returns what it must be, or undefined if it is valid */
type Check = (value: unknown) => string | undefined;

const oneOf =
  (choices: readonly string[]): Check =>
  (value) =>
    choices.some((one) => one === value) ? undefined : `one of ${choices.join(', ')}`;

const isText: Check = (value) => (typeof value === 'string' && value !== '' ? undefined : 'a path');

const checks: { readonly [name in keyof SandboxOptions]-?: Check } = {
  port: (value) =>
    messageOf(() => numberIn(value, 'port', { min: 0, max: 65_535 })) && 'an integer from 0 to 65535',
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

/** Return the message of a ControlError. */
function messageOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ControlError) return error.message;
    throw error;
  }
}

/** @throws Failure `usage` for an unknown option or an invalid value */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw usage('the options of createSandbox must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) throw unknownOption(name);
    const required = value === undefined ? undefined : checks[name as keyof SandboxOptions](value);
    if (required !== undefined) throw usage(`${name} must be ${required}: ${textOf(value)}`);
  }
}

function unknownOption(name: string): Failure {
  return usage(`unknown option of createSandbox: ${name}; options: ${Object.keys(checks).join(', ')}`);
}

/** A value in an error message. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
