/** Conversion of rows to the objects of responses: exactly the fields of the catalogue. */
import { type Field, type Fields, keysOf, type Role } from '../../spec/field.ts';
import { isRecord } from '../../support/record.ts';
import type { Hash } from './request/params.ts';

export interface Viewer {
  /** Prepended to stored paths such as `/acme/rocket`. */
  readonly origin: string;
  hasRole(role: Role): boolean;
}

/** Values of fields that a row does not have, by kind. Others are null. */
const empty: Readonly<Record<string, unknown>> = {
  bool: false,
  text: '',
  list: [],
  rows: [],
  object: {},
  hash: {},
};

/** Return the value of a field that the row does not have; undefined omits the field. */
function absentValue(field: Field): unknown {
  if (field.nullable) return null;
  if ((field.kind === 'object' || field.kind === 'hash') && field.keys) return undefined;
  return field.default ?? empty[field.kind] ?? null;
}

function show(field: Field, value: unknown, viewer: Viewer): unknown {
  if (value === undefined) return absentValue(field);
  // URLs are stored as paths, because host and port can change.
  if (field.placeholder === 'url' && typeof value === 'string' && value.startsWith('/')) {
    return `${viewer.origin}${value}`;
  }
  const keys = keysOf(field);
  if (!keys) return value;
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? present(keys, item, viewer) : item));
  return isRecord(value) ? present(keys, value, viewer) : value;
}

/** Fields that require a higher role are omitted. */
export function present(fields: Fields, row: object, viewer: Viewer): Hash {
  const values = new Map(Object.entries(row));
  const shown: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.role && !viewer.hasRole(field.role)) continue;
    const value = show(field, values.get(name), viewer);
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}
