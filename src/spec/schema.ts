/**
 * zod schemas derived from fields. They validate the flags and `--data` of a command and the requests to the sandbox. Text that
 * spells a value is accepted (`"7"` for an int), since flags, queries and forms have no other types.
 */
import * as z from 'zod/mini';
import { isDay } from '../support/number.ts';
import {
  choicesOf,
  type Field,
  type Fields,
  fieldAt,
  fieldOf,
  type NumberField,
  type TextField,
} from './field.ts';

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

const spelled = <T>(test: RegExp, read: (text: string) => T, error: string) =>
  z.pipe(z.string({ error }).check(z.regex(test, { error })), z.transform(read));

const exactInt = (digits: string): number | bigint => {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
};

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoTime = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function moment(test: RegExp, error: string) {
  return z
    .string({ error })
    .check(
      z.refine(
        (value) =>
          test.test(value) &&
          isDay(value) &&
          !Number.isNaN(Date.parse(value.replace(' ', 'T').replace(',', '.'))),
        { error },
      ),
    );
}

const wholeNumber = 'must be a whole number';
const anyNumber = 'must be a number';
const truth = 'must be true or false';

function textSchema({ pattern, maxLength }: TextField): z.ZodMiniType {
  let schema = z.string({ error: 'must be text' });
  if (pattern) schema = schema.check(z.regex(pattern.test, { error: pattern.message }));
  if (maxLength) {
    // The limit counts characters, some of which take two units of a JavaScript string.
    const fits = (text: string) =>
      text.length <= maxLength || (text.length <= 2 * maxLength && [...text].length <= maxLength);
    schema = schema.check(z.refine(fits, { error: `is too long (maximum is ${maxLength} characters)` }));
  }
  return z.union([schema, z.pipe(z.union([z.number(), z.bigint()]), z.transform(String))], {
    error: (issue) => innerMessage(issue, 'must be text'),
  });
}

function numberSchema({ kind, min, max }: NumberField): z.ZodMiniType<number | bigint> {
  const schema =
    kind === 'int'
      ? z.union(
          [z.int({ error: wholeNumber }), z.bigint(), spelled(/^[+-]?\d{1,30}$/, exactInt, wholeNumber)],
          {
            error: wholeNumber,
          },
        )
      : z.union(
          [
            z.number({ error: anyNumber }),
            z.bigint(),
            spelled(/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i, Number, anyNumber),
          ],
          { error: anyNumber },
        );
  if (min === undefined && max === undefined) return schema;
  const fits = (value: number | bigint) =>
    (min === undefined || value >= min) && (max === undefined || value <= max);
  return schema.check(z.refine(fits, { error: boundsMessage(min, max) }));
}

function boundsMessage(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `must be ${max} or less`;
  return max === undefined ? `must be ${min} or more` : `must be between ${min} and ${max}`;
}

function kindSchema(field: Field): z.ZodMiniType {
  switch (field.kind) {
    case 'text':
      return textSchema(field);
    case 'int':
    case 'number':
      return numberSchema(field);
    case 'bool':
      return z.union([z.boolean(), spelled(/^(true|false)$/, (text) => text === 'true', truth)], {
        error: truth,
      });
    case 'datetime':
      return moment(isoTime, 'must be a date and time such as 2026-01-31T08:30:00Z');
    case 'date':
      return moment(isoDate, 'must be a date such as 2026-01-31');
    case 'list':
      return z.array(schemaOf(field.of), { error: 'must be a list' });
    case 'rows':
      return z.array(shape(field.keys), { error: 'must be a list of hashes' });
    case 'hash':
    case 'object':
      return field.keys ? shape(field.keys) : anyHash;
    case 'file':
      return z.custom((value) => typeof value === 'object' && value !== null, { error: 'must be a file' });
  }
}

/** A hash with any keys; `z.record` would drop the key `__proto__`. */
const anyHash = z.custom((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  error: 'must be a hash',
});

/** Why the first branch of a union did not match. The union itself gives no reason. */
function innerMessage(issue: z.core.$ZodRawIssue, otherwise: string): string {
  return issue.code === 'invalid_union' ? (issue.errors[0]?.[0]?.message ?? otherwise) : otherwise;
}

/** A hash with known keys. Unknown keys pass: a newer service may accept them. */
function shape(keys: Fields): z.ZodMiniType {
  const members: Record<string, z.ZodMiniType> = {};
  for (const [name, field] of Object.entries(keys)) {
    members[name] = field.required ? schemaOf(field) : z.optional(schemaOf(field));
  }
  // zod drops the key `__proto__`, so it is renamed on the way through.
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

/** Return the schema of a field, created on first use. */
export function schemaOf(field: Field): z.ZodMiniType {
  let schema = made.get(field);
  if (!schema) {
    schema = kindSchema(field);
    const choices = field.kind === 'list' ? undefined : choicesOf(field);
    if (choices) {
      schema = schema.check(
        z.refine((value) => choices.some((choice) => choice === value), {
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
 * @param fields the accepted fields
 * @param given typed values, or text that spells them; unknown names pass unchanged
 * @returns the typed values and every problem found
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
  const inner = fieldAt(field, issue.path);
  const choice = issue.code === 'custom' && inner !== undefined && choicesOf(inner) !== undefined;
  return { code: choice ? 'choice' : 'invalid', path, message: issue.message };
}

function reach(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}
