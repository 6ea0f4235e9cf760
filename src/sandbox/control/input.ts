/** Checks the values that callers of the control interface pass. */
import { isRecord } from '../../support/record.ts';

/** An invalid request of the control interface. */
export class ControlError extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** Return the set members of an object; null is the same as unset. @throws ControlError for an unknown member */
export function membersOf(
  value: unknown,
  what: string,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new ControlError(`${what} must be a JSON object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ControlError(`unknown member of ${what}: ${unknown}; known members: ${known.join(', ')}`);
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== undefined));
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly integer?: false;
}

/** Return an optional number. @throws ControlError if it is not a number in the range */
export function numberIn(value: unknown, name: string, { min, max, integer }: Range): number | undefined {
  if (value === undefined) return undefined;
  const isValid =
    typeof value === 'number' &&
    (integer === false ? Number.isFinite(value) : Number.isSafeInteger(value)) &&
    value >= min &&
    value <= max;
  if (!isValid) {
    const kind = integer === false ? 'a number' : 'an integer';
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new ControlError(`${name} must be ${kind} ${range}`);
  }
  return value;
}

/** Return an optional count. @throws ControlError if it is not an integer of at least 0 */
export function countOf(value: unknown, name: string): number | undefined {
  return numberIn(value, name, { min: 0, max: Number.MAX_SAFE_INTEGER });
}
