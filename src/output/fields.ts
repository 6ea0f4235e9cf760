import { isRecord } from '../support/record.ts';

/**
 * Return a reader of one dotted path: `commit.author_email`. A key that contains the dots has precedence. In an array, a
 * segment is an index or a key of each item. The reader returns undefined if the path does not exist.
 */
export function reader(path: string): (row: unknown) => unknown {
  if (!path.includes('.')) return (row) => step(row, path);
  const segments = path.split('.');
  return (row) => {
    if (isRecord(row) && Object.hasOwn(row, path)) return row[path];
    return segments.reduce(step, row);
  };
}

function step(value: unknown, key: string): unknown {
  if (Array.isArray(value)) {
    if (/^\d+$/.test(key)) return value[Number(key)];
    const inside = value.map((item) => step(item, key)).filter((item) => item !== undefined);
    return inside.length > 0 ? inside : undefined;
  }
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Whether a value has this dotted path, or may have it: null and an empty list say nothing about what they can contain. */
export function mayHave(value: unknown, path: string): boolean {
  return (isRecord(value) && Object.hasOwn(value, path)) || mayContain(value, path.split('.'));
}

function mayContain(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined || value === null) return true;
  if (Array.isArray(value)) {
    if (/^\d+$/.test(key)) return mayContain(value[Number(key)] ?? null, rest);
    return value.length === 0 || value.some((item) => mayContain(item, [key, ...rest]));
  }
  return isRecord(value) && Object.hasOwn(value, key) && mayContain(value[key], rest);
}

/**
 * Return a function that reduces a row to these paths, in this order; dotted paths stay nested. Missing values are null,
 * so that every row has the same shape. Rows that are not objects are unchanged.
 */
export function picker(paths: readonly string[]): (row: unknown) => unknown {
  const readers = paths.map((path) => ({ path, segments: path.split('.'), read: reader(path) }));
  return (row) => {
    if (!isRecord(row)) return row;
    const picked: Record<string, unknown> = Object.create(null);
    for (const { path, segments, read } of readers) {
      const value = read(row) ?? null;
      if (segments.length === 1 || Object.hasOwn(row, path)) picked[path] = value;
      else nest(picked, segments, value);
    }
    return picked;
  };
}

function nest(into: Record<string, unknown>, segments: readonly string[], value: unknown): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) return;
  if (rest.length === 0) {
    into[segment] = value;
    return;
  }
  into[segment] ??= Object.create(null);
  const inner = into[segment];
  // Only objects created here have no prototype. Others were picked with all of their members.
  if (isRecord(inner) && Object.getPrototypeOf(inner) === null)
    nest(inner as Record<string, unknown>, rest, value);
}
