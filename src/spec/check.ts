/**
 * Check values against their fields: the flags and `--data` of a command, and the requests to the sandbox. Text that spells a value
 * is accepted (`"7"` for an int), since flags, queries and forms have no other types.
 */
import { isDay } from '../support/number.ts';
import { isRecord } from '../support/record.ts';
import { choicesOf, type Field, type Fields, fieldOf, type NumberField, type TextField } from './field.ts';

export interface Problem {
  readonly code: 'missing' | 'invalid' | 'choice';
  /** Names and indexes down to the value: `['files', '0', 'action']`. */
  readonly path: readonly string[];
  /** The error, to be printed after the name: `must be a whole number`. */
  readonly message: string;
}

export interface Checked {
  readonly values: Record<string, unknown>;
  readonly problems: readonly Problem[];
}

/**
 * Check values against their fields.
 * @param fields the accepted fields
 * @param given typed values, or text that spells them; unknown names pass unchanged
 * @returns the typed values and every problem found
 */
export function check(fields: Fields, given: Readonly<Record<string, unknown>>): Checked {
  const values: Record<string, unknown> = Object.create(null);
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const field = fieldOf(fields, name);
    const before = problems.length;
    const typed = field ? read(field, value, [name], problems) : value;
    if (problems.length === before) values[name] = typed;
  }
  for (const [name, field] of Object.entries(fields)) {
    if (!isMissing(field, name, given)) continue;
    problems.push({ code: 'missing', path: [name], message: 'is missing' });
  }
  return { values, problems };
}

function isMissing(field: Field, name: string, given: Readonly<Record<string, unknown>>): boolean {
  if (given[name] !== undefined) return false;
  if (field.orElse) return field.orElse.every((other) => given[other] === undefined);
  return field.required === true;
}

/** Return the typed value. Problems, of the value or inside of it, are added to `problems`. */
function read(field: Field, value: unknown, path: readonly string[], problems: Problem[]): unknown {
  if (value === null && field.nullable) return null;
  const fail: Fail = (message, code = 'invalid') => void problems.push({ code, path, message });
  const inside: Inside = (inner, item, key) => read(inner, item, [...path, String(key)], problems);
  const typed = readKind(field, value, fail, inside);
  const choices = field.kind === 'list' ? undefined : choicesOf(field);
  if (typed === undefined || !choices || choices.some((choice) => choice === typed)) return typed;
  return fail(`must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}`, 'choice');
}

/** Add a problem of the value. */
type Fail = (message: string, code?: Problem['code']) => undefined;
/** Read a value inside of it. */
type Inside = (field: Field, value: unknown, key: string | number) => unknown;

/** Return the typed value; undefined after a problem. */
function readKind(field: Field, value: unknown, fail: Fail, inside: Inside): unknown {
  if (value === undefined) return fail('is missing', 'missing');
  switch (field.kind) {
    case 'text':
      return readText(value, field, fail);
    case 'int':
    case 'number':
      return readNumber(value, field, fail);
    case 'bool':
      if (value === true || value === 'true') return true;
      return value === false || value === 'false' ? false : fail('must be true or false');
    case 'datetime':
      return isMoment(value, isoTime) ? value : fail('must be a date and time such as 2026-01-31T08:30:00Z');
    case 'date':
      return isMoment(value, isoDate) ? value : fail('must be a date such as 2026-01-31');
    case 'list':
      if (!Array.isArray(value)) return fail('must be a list');
      return value.map((item, at) => inside(field.of, item, at));
    case 'rows': {
      if (!Array.isArray(value)) return fail('must be a list of hashes');
      const row: Field = { kind: 'hash', doc: field.doc, keys: field.keys };
      return value.map((item, at) => inside(row, item, at));
    }
    case 'hash':
    case 'object':
      return isRecord(value) ? readHash(field.keys ?? {}, value, inside) : fail('must be a hash');
    case 'file':
      return typeof value === 'object' && value !== null ? value : fail('must be a file');
  }
}

/** Known keys come first. Unknown keys pass unchanged: a newer service may accept them. */
function readHash(keys: Fields, value: Readonly<Record<string, unknown>>, inside: Inside): object {
  const names = new Set([...Object.keys(keys), ...Object.keys(value)]);
  const entries = [...names].flatMap((name): [string, unknown][] => {
    const field = fieldOf(keys, name);
    const item = Object.hasOwn(value, name) ? value[name] : undefined;
    if (item === undefined && !field?.required) return [];
    return [[name, field ? inside(field, item, name) : item]];
  });
  return Object.fromEntries(entries);
}

function readText(value: unknown, { pattern, maxLength }: TextField, fail: Fail): string | undefined {
  const isNumber = typeof value === 'bigint' || Number.isFinite(value);
  if (typeof value !== 'string' && !isNumber) return fail('must be text');
  const text = String(value);
  if (pattern && !pattern.test.test(text)) return fail(pattern.message);
  // The limit counts characters, some of which take two units of a JavaScript string.
  if (maxLength && text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength))
    return fail(`is too long (maximum is ${maxLength} characters)`);
  return text;
}

function readNumber(
  value: unknown,
  { kind, min, max }: NumberField,
  fail: Fail,
): number | bigint | undefined {
  const number = typeof value === 'string' ? spelledNumber(value, kind) : value;
  const isValid = kind === 'int' ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (typeof number !== 'bigint' && !isValid)
    return fail(kind === 'int' ? 'must be a whole number' : 'must be a number');
  const typed = number as number | bigint;
  const isWithin = (min === undefined || typed >= min) && (max === undefined || typed <= max);
  return isWithin ? typed : fail(boundsMessage(min, max));
}

function spelledNumber(text: string, kind: NumberField['kind']): number | bigint | undefined {
  if (kind === 'number') return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
  if (!/^[+-]?\d{1,30}$/.test(text)) return undefined;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}

function boundsMessage(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `must be ${max} or less`;
  return max === undefined ? `must be ${min} or more` : `must be between ${min} and ${max}`;
}

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoTime = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function isMoment(value: unknown, form: RegExp): boolean {
  if (typeof value !== 'string' || !form.test(value) || !isDay(value)) return false;
  return !Number.isNaN(Date.parse(value.replace(' ', 'T').replace(',', '.')));
}
