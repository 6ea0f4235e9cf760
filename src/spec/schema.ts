/**
 * zod schemas, derived from fields in this one place. They are the only judge of a value: of flags, of `--data`, and of what
 * arrives at the sandbox. Text is accepted where it spells a value (`"7"` for an int), since flags, queries and forms
 * know nothing else.
 */
import * as z from 'zod/mini';
import { type Field, type Fields, fieldOf, type Kind } from './field.ts';

export interface Problem {
  readonly code: 'missing' | 'invalid' | 'choice';
  /** Names and indexes down to the value: `['files', '0', 'action']`. */
  readonly path: readonly string[];
  /** What is wrong, to stand after the name: `must be a whole number`. */
  readonly message: string;
}

export interface Checked {
  readonly values: Record<string, unknown>;
  readonly problems: readonly Problem[];
}

const spelled = (test: RegExp, read: (text: string) => unknown, says: string) =>
  z.pipe(z.string({ error: says }).check(z.regex(test, { error: says })), z.transform(read));

const exactInt = (digits: string): number | bigint => {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
};

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoTime = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A day that the calendar has: 2026-02-30 is none. */
function isDay(value: string): boolean {
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value.slice(0, 10));
}

function moment(test: RegExp, says: string) {
  return z.string({ error: says }).check(
    z.refine(
      (value) =>
        test.test(value) &&
        isDay(value) &&
        !Number.isNaN(Date.parse(value.replace(' ', 'T').replace(',', '.'))),
      {
        error: says,
      },
    ),
  );
}

const wholeNumber = 'must be a whole number';
const anyNumber = 'must be a number';
const truth = 'must be true or false';

/** One schema for each kind: a kind that is missing here does not compile. */
const byKind: Record<Kind, (field: Field) => z.ZodMiniType> = {
  text: (field) => {
    let schema = z.string({ error: 'must be text' });
    if (field.pattern) schema = schema.check(z.regex(field.pattern.test, { error: field.pattern.says }));
    const { maxLength } = field;
    if (maxLength) {
      // Characters, of which some take two units of a JavaScript string.
      const fits = (text: string) =>
        text.length <= maxLength || (text.length <= 2 * maxLength && [...text].length <= maxLength);
      schema = schema.check(z.refine(fits, { error: `is too long (maximum is ${maxLength} characters)` }));
    }
    return z.union([schema, z.pipe(z.union([z.number(), z.bigint()]), z.transform(String))], {
      error: (issue) => innerMessage(issue, 'must be text'),
    });
  },
  int: (field) =>
    bounded(
      field,
      z.union(
        [z.int({ error: wholeNumber }), z.bigint(), spelled(/^[+-]?\d{1,30}$/, exactInt, wholeNumber)],
        {
          error: wholeNumber,
        },
      ),
    ),
  number: (field) =>
    bounded(
      field,
      z.union(
        [
          z.number({ error: anyNumber }),
          z.bigint(),
          spelled(/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i, Number, anyNumber),
        ],
        {
          error: anyNumber,
        },
      ),
    ),
  bool: () => z.union([z.boolean(), spelled(/^(true|false)$/, (v) => v === 'true', truth)], { error: truth }),
  datetime: () => moment(isoTime, 'must be a date and time such as 2026-01-31T08:30:00Z'),
  date: () => moment(isoDate, 'must be a date such as 2026-01-31'),
  list: (field) => z.array(schemaOf(field.of as Field), { error: 'must be a list' }),
  hash: (field) => (field.keys ? shape(field.keys) : anyHash),
  rows: (field) => z.array(shape(field.keys as Fields), { error: 'must be a list of hashes' }),
  object: (field) => (field.keys ? shape(field.keys) : anyHash),
  file: () => z.custom((value) => typeof value === 'object' && value !== null, { error: 'must be a file' }),
};

/** Any hash as it is: `z.record` would drop a key `__proto__`. */
const anyHash = z.custom((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  error: 'must be a hash',
});

type RawIssue = { readonly errors?: readonly (readonly { readonly message?: string }[])[] };

/** A union reports only that nothing fitted; its first branch says why. */
function innerMessage(issue: unknown, otherwise: string): string {
  return (issue as RawIssue).errors?.[0]?.[0]?.message ?? otherwise;
}

function bounded(field: Field, schema: z.ZodMiniType): z.ZodMiniType {
  const { min, max } = field;
  if (min === undefined && max === undefined) return schema;
  const says =
    min !== undefined && max !== undefined
      ? `must be between ${min} and ${max}`
      : min !== undefined
        ? `must be ${min} or more`
        : `must be ${max} or less`;
  return schema.check(
    z.refine(
      (v) => (min === undefined || (v as number) >= min) && (max === undefined || (v as number) <= max),
      { error: says },
    ),
  );
}

/** A hash with known keys. Others are let through: a newer service may know more. */
function shape(keys: Fields): z.ZodMiniType {
  const members: Record<string, z.ZodMiniType> = {};
  for (const [name, field] of Object.entries(keys)) {
    members[name] = field.required ? schemaOf(field) : z.optional(schemaOf(field));
  }
  // zod drops a key `__proto__`: it passes under another name.
  return z.pipe(
    z.transform((value) => renamed(value, '__proto__', hiddenKey)),
    z.pipe(
      z.looseObject(members, { error: 'must be a hash' }),
      z.transform((value) => renamed(value, hiddenKey, '__proto__')),
    ),
  );
}

const hiddenKey = '\0__proto__';

function renamed(value: unknown, from: string, to: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, from)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key === from ? to : key, item]));
}

const made = new WeakMap<Field, z.ZodMiniType>();

/** The schema of one field, made once. */
export function schemaOf(field: Field): z.ZodMiniType {
  let schema = made.get(field);
  if (!schema) {
    schema = byKind[field.kind](field);
    if (field.choices) {
      const { choices } = field;
      schema = schema.check(
        z.refine((value) => choices.includes(value as string | number), {
          error: `must be ${choices.length > 1 ? 'one of ' : ''}${choices.join(', ')}`,
        }),
      );
    }
    if (field.nullable) schema = z.nullable(schema);
    made.set(field, schema);
  }
  return schema;
}

/**
 * Check values against their fields.
 * @param fields what may be given
 * @param given what was given: typed values, or text that spells them; unknown names pass through untouched
 * @returns the typed values, and every problem found (none when it is all right)
 */
export function check(fields: Fields, given: Readonly<Record<string, unknown>>): Checked {
  const values: Record<string, unknown> = Object.create(null);
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(given)) {
    const field = fieldOf(fields, name);
    if (value === undefined) continue;
    if (!field) {
      values[name] = value;
      continue;
    }
    const result = schemaOf(field).safeParse(value);
    if (result.success) values[name] = result.data;
    else for (const issue of result.error.issues) problems.push(problemOf(name, field, value, issue));
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

function problemOf(name: string, field: Field, value: unknown, issue: z.core.$ZodIssue): Problem {
  const path = [name, ...issue.path.map(String)];
  if (issue.path.length > 0 && reach(value, issue.path) === undefined) {
    return { code: 'missing', path, message: 'is missing' };
  }
  const choice = issue.code === 'custom' && (field.choices ?? field.of?.choices) !== undefined;
  return { code: choice ? 'choice' : 'invalid', path, message: issue.message };
}

function reach(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
