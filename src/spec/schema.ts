/**
 * Check values against fields: the flags and `--data` of a command, and the requests to the sandbox. Text that spells a value is accepted
 * (`"7"` for an int), since flags, queries and forms have no other types. zod checks single values.
 */
import * as z from 'zod/mini';
import { parseTime } from '../support/number.ts';
import { ExactNumber, isRecord } from '../support/record.ts';
import {
  choicesOf,
  type Field,
  type Fields,
  fieldOf,
  type Kind,
  type NumberField,
  object,
  type TextField,
} from './field.ts';

export interface Problem {
  readonly code: 'missing' | 'invalid' | 'choice';
  /** Names and indexes down to the value: `['files', '0', 'action']`. */
  readonly path: readonly string[];
  /** The error, to be printed after the name: `must be a whole number`. */
  readonly message: string;
}

/** Convert text that spells a value, and a number that is given for text. */
function typed(kind: Kind, given: unknown): unknown {
  const value = given instanceof ExactNumber ? given.text : given;
  if (kind === 'text') return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  if (typeof value !== 'string') return value;
  if (kind === 'bool' && /^(true|false)$/.test(value)) return value === 'true';
  if (kind === 'number' && /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value);
  if (kind !== 'int') return value;
  if (!/^[+-]?\d{1,30}$/.test(value)) return given === value ? value : Number(value);
  const whole = Number(value);
  return Number.isSafeInteger(whole) ? whole : BigInt(value);
}

const isTime = (value: unknown): boolean => typeof value === 'string' && parseTime(value) !== undefined;

function textSchema({ pattern, maxLength }: TextField): z.ZodMiniType {
  let schema = z.string({ error: 'must be text' });
  if (pattern) schema = schema.check(z.regex(pattern.test, { error: pattern.message }));
  if (!maxLength) return schema;
  // The limit counts characters, some of which take two units of a JavaScript string.
  const fits = (text: string) => text.length <= 2 * maxLength && [...text].length <= maxLength;
  return schema.check(z.refine(fits, { error: `is too long (maximum is ${maxLength} characters)` }));
}

function numberSchema({ kind, min, max }: NumberField): z.ZodMiniType {
  const error = kind === 'int' ? 'must be a whole number' : 'must be a number';
  const schema = z.union([kind === 'int' ? z.int({ error }) : z.number({ error }), z.bigint()], { error });
  if (min === undefined && max === undefined) return schema;
  const fits = (value: number | bigint) =>
    (min === undefined || value >= min) && (max === undefined || value <= max);
  return schema.check(z.refine(fits, { error: boundsMessage(min, max) }));
}

function boundsMessage(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `must be ${max} or less`;
  return max === undefined ? `must be ${min} or more` : `must be between ${min} and ${max}`;
}

type Scalar = Exclude<Field, { kind: 'list' | 'rows' | 'hash' | 'object' }>;

function schemaOf(field: Scalar): z.ZodMiniType {
  switch (field.kind) {
    case 'text':
      return textSchema(field);
    case 'int':
    case 'number':
      return numberSchema(field);
    case 'bool':
      return z.boolean({ error: 'must be true or false' });
    case 'datetime':
      return z.custom(isTime, { error: 'must be a date and time such as 2026-01-31T08:30:00Z' });
    case 'date':
      return z.iso.date({ error: 'must be a date such as 2026-01-31' });
    case 'file':
      return z.custom(isRecord, { error: 'must be a file' });
  }
}

const schemas = new WeakMap<Field, z.ZodMiniType>();

function checkScalar(field: Scalar, value: unknown, path: readonly string[], problems: Problem[]): unknown {
  const schema = schemas.get(field) ?? schemaOf(field);
  schemas.set(field, schema);
  const result = schema.safeParse(typed(field.kind, value));
  for (const { message } of result.error?.issues ?? []) problems.push({ code: 'invalid', path, message });
  const choices = choicesOf(field);
  if (result.success && choices && !choices.some((choice) => choice === result.data)) {
    const message = `must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}`;
    problems.push({ code: 'choice', path, message });
  }
  return result.data;
}

function checkValue(field: Field, value: unknown, path: readonly string[], problems: Problem[]): unknown {
  if (value === null && field.nullable) return null;
  const fail = (message: string) => void problems.push({ code: 'invalid', path, message });
  switch (field.kind) {
    case 'list':
    case 'rows': {
      if (!Array.isArray(value)) return fail(`must be a list${field.kind === 'rows' ? ' of hashes' : ''}`);
      const item = field.kind === 'rows' ? object('', field.keys) : field.of;
      return value.map((one, at) => checkValue(item, one, [...path, String(at)], problems));
    }
    case 'hash':
    case 'object':
      if (!isRecord(value)) return fail('must be a hash');
      return field.keys ? { ...checkMembers(field.keys, value, path, problems) } : value;
    default:
      return checkScalar(field, value, path, problems);
  }
}

function checkMembers(
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
  path: readonly string[],
  problems: Problem[],
): Record<string, unknown> {
  // Without a prototype, `__proto__` is an ordinary key.
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const field = fieldOf(fields, name);
    const before = problems.length;
    const read = field ? checkValue(field, value, [...path, name], problems) : value;
    if (problems.length === before) values[name] = read;
  }
  for (const [name, { required, orElse = [] }] of Object.entries(fields))
    if ((required || orElse.length > 0) && [name, ...orElse].every((one) => given[one] === undefined))
      problems.push({ code: 'missing', path: [...path, name], message: 'is missing' });
  return values;
}

/**
 * Check values against their fields.
 * @param fields the accepted fields
 * @param given typed values, or text that spells them; unknown names pass unchanged, because a newer service may accept them
 * @returns the typed values and every problem found
 */
export function check(fields: Fields, given: Readonly<Record<string, unknown>>) {
  const problems: Problem[] = [];
  return { values: checkMembers(fields, given, [], problems), problems };
}
