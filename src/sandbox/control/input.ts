/** Checks the values that callers of the control interface pass. */
import { usage } from '../../errors.ts';
import type { Fields } from '../../spec/field.ts';
import { check } from '../../spec/schema.ts';
import { isRecord } from '../../support/record.ts';

/** Return the members of an object that are set; null is the same as unset. @throws Failure `usage` for an unknown or invalid member */
export function membersOf(value: unknown, what: string, fields: Fields): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw usage(`${what} must be a JSON object`);
  const given = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    throw usage(`unknown member of ${what}: ${unknown}; known members: ${Object.keys(fields).join(', ')}`);
  const { values, problems } = check(fields, given);
  for (const { path, message } of problems) throw usage(`${path.join('.')} ${message}`);
  return values;
}
