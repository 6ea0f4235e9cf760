/** Reads the parameters of a request and validates them against the catalogue (section 4.0). */

import { type Field, type Fields, fieldOf } from '../../../spec/field.ts';
import { check, type Problem } from '../../../spec/schema.ts';
import { type HttpError, invalid, invalidAt, missing } from '../http-error.ts';
import { bodyValues, decoded, isTree, urlencodedValues } from './body.ts';
import { type Hash, Params, Upload } from './params.ts';

/** Convert a value of a form or of JSON to the type of its field, where that is possible. */
function adapt(field: Field, value: unknown): unknown {
  if (value === null || (value === '' && field.kind !== 'text')) {
    if (field.kind === 'list' || field.kind === 'rows') return [];
    // Null is false (section 4.0).
    return value === null && field.kind === 'bool' ? false : null;
  }
  switch (field.kind) {
    case 'text':
      if (value instanceof Upload) return decoded(value.bytes);
      return field.placeholder === commaList ? join(value) : value;
    case 'list':
      return itemsOf(value).map((item) => adapt(field.of, item));
    case 'rows':
      return itemsOf(value).map((item) => (isTree(item) ? adaptAll(field.keys, item) : item));
    case 'hash':
    case 'object':
      return isTree(value) && field.keys ? adaptAll(field.keys, value) : value;
    default:
      return value;
  }
}

const commaList = 'a,b';

/** Some clients send a comma-separated list as a list. */
function join(value: unknown): unknown {
  const items = itemsOf(value);
  return items.every((item) => typeof item === 'string') ? items.join(',') : value;
}

function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isTree(value)) return [value];
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => /^\d+$/.test(key))) return [value];
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => value[key]);
}

function adaptAll(fields: Fields, values: Hash): Hash {
  const adapted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const field = fieldOf(fields, name);
    const converted = field ? adapt(field, value) : value;
    if (converted !== null && name !== '__proto__') adapted[name] = converted;
  }
  return adapted;
}

/** `files`, `0`, `action` -> `files[0][action]` */
const formName = ([first, ...rest]: readonly string[]): string =>
  `${first}${rest.map((key) => `[${key}]`).join('')}`;

/** Missing parameters are reported first (section 7). */
function errorFor(problems: readonly Problem[]): HttpError {
  const absent = problems.find((problem) => problem.code === 'missing');
  return absent ? missing(formName(absent.path)) : invalid(problems);
}

/** Return the validated and typed parameters of a request. @throws HttpError 400 in the formats of section 7 */
export async function readParams(takes: Fields, request: Request, body: Uint8Array): Promise<Params> {
  const query = urlencodedValues(new URL(request.url).search);
  const given: Hash = { ...query, ...(await bodyValues(request, body)) };
  const fields: Record<string, Field> = {};
  for (const [name, field] of Object.entries(takes)) if (field.in !== 'credential') fields[name] = field;
  const known: Record<string, unknown> = {};
  const nulls: Record<string, null> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = fieldOf(fields, name);
    if (!field) continue;
    if (field.kind === 'file' && value && !(value instanceof Upload))
      throw invalidAt([name], 'must be a file');
    const adapted =
      name === 'per_page' && field.kind === 'int' ? atMost(value, field.max) : adapt(field, value);
    if (adapted === null) nulls[name] = null;
    else known[name] = adapted;
  }
  const { values, problems } = check(fields, known);
  if (problems.length > 0) throw errorFor(problems);
  const outOfRange = Object.keys(values).find((name) => hasBigint(values[name]));
  if (outOfRange !== undefined) throw invalidAt([outOfRange], 'is out of range');
  return new Params({ ...nulls, ...values });
}

/** A `per_page` above the maximum is reduced, not rejected. */
function atMost(value: unknown, max = Number.POSITIVE_INFINITY): unknown {
  if (value === '') return null;
  const isScalar = typeof value === 'string' || typeof value === 'number';
  return isScalar && Number.isInteger(Number(value)) && Number(value) > max ? max : value;
}

function hasBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  // The values of a file would be its bytes.
  if (typeof value !== 'object' || value === null || value instanceof Upload) return false;
  return Object.values(value).some(hasBigint);
}

/** Return the typed path parameters. @throws HttpError 400 if a number is required */
export function readSlots(fields: Fields, slots: Readonly<Record<string, string>>): Params {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(slots)) {
    const isNumber = fields[name]?.kind === 'int';
    if (isNumber && !/^-?\d+$/.test(text)) throw invalidAt([name], 'must be a whole number');
    values[name] = isNumber ? Number(text) : text;
  }
  return new Params(values);
}
