import { ExactNumber } from './json/values.ts';

/** Whether a value has keys of the service's own. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/**
 * A reader of one dotted path: `commit.author_email`. A key that holds the dots itself comes first; a segment on an array
 * is an index, else it reaches into each item. Undefined where the path leads nowhere.
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

/**
 * A chooser of keys: the row with just these, in this order, those with dots nested as they were. What a row lacks is
 * null, so that every row has the same shape. A row that is no object stays as it is.
 */
export function picker(paths: readonly string[]): (row: unknown) => unknown {
  const chosen = paths.map((path) => ({ path, segments: path.split('.'), read: reader(path) }));
  return (row) => {
    if (!isRecord(row)) return row;
    const picked: Record<string, unknown> = Object.create(null);
    for (const { path, segments, read } of chosen) {
      const value = read(row) ?? null;
      if (segments.length === 1 || Object.hasOwn(row, path)) picked[path] = value;
      else nest(picked, segments, value);
    }
    return picked;
  };
}

function nest(into: Record<string, unknown>, segments: readonly string[], value: unknown): void {
  let place = into;
  for (const segment of segments.slice(0, -1)) {
    const next = place[segment];
    // Only objects made here have no prototype: what was picked whole already holds what is inside.
    if (next === undefined || next === null) place[segment] = Object.create(null);
    else if (!isRecord(next) || Object.getPrototypeOf(next) !== null) return;
    place = place[segment] as Record<string, unknown>;
  }
  place[segments.at(-1)!] = value;
}
