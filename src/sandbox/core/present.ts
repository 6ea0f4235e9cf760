/** How a row is shown: exactly the fields that the catalogue promises, those that the row has not filled in. */
import { type Field, type Fields, keysOf, type Role } from '../../spec/field.ts';
import { type Hash, isHash } from './params.ts';

export interface Viewer {
  /** Turns a stored path such as `/acme/rocket` into a URL. */
  readonly origin: string;
  hasRole(role: Role): boolean;
}

/** What stands for a value that the row has not; undefined leaves the field away. */
function absent(field: Field): unknown {
  if (field.nullable) return null;
  switch (field.kind) {
    case 'bool':
      return field.default ?? false;
    case 'text':
      return field.default ?? '';
    case 'list':
    case 'rows':
      return [];
    case 'object':
    case 'hash':
      return field.keys ? undefined : {};
    default:
      return field.default ?? null;
  }
}

function show(field: Field, value: unknown, viewer: Viewer): unknown {
  if (value === undefined) return absent(field);
  // A URL is stored from its path on: the port is not known before it is asked for.
  if (field.placeholder === 'url' && typeof value === 'string' && value.startsWith('/')) {
    return `${viewer.origin}${value}`;
  }
  const keys = keysOf(field);
  if (!keys) return value;
  if (Array.isArray(value)) return value.map((item) => (isHash(item) ? present(keys, item, viewer) : item));
  return isHash(value) ? present(keys, value, viewer) : value;
}

/** Fields that the viewer's role does not reach are left away. */
export function present(fields: Fields, row: object, viewer: Viewer): Hash {
  const shown: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.role && !viewer.hasRole(field.role)) continue;
    const value = show(field, Object.hasOwn(row, name) ? (row as Hash)[name] : undefined, viewer);
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}
