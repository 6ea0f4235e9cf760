/** The text of a scalar. @returns undefined for a list, an object and `null`, which may not have a text */
export function scalarText(value: unknown): string | undefined {
  return value === null || value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** The text of an id of the API. @returns undefined for any other value */
export function idText(value: unknown): string | undefined {
  const text = scalarText(value) ?? '';
  return /^[1-9]\d{0,18}$/.test(text) ? text : undefined;
}

/** A number that is kept as text because a JavaScript number would change it. */
export class ExactNumber {
  /** Whether there is any. Without, JSON.stringify does the same as `jsonText`, and faster. */
  static exists = false;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    ExactNumber.exists = true;
  }

  toString(): string {
    return this.text;
  }
}

/** Whether a value is an object with keys: not null, a list or an exact number. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** The members of an object with these names, null where it has none. */
export const part = (
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> => Object.fromEntries(names.map((name) => [name, row[name] ?? null]));

/** Return the value at a path such as `project.name` or `commits.0.title`; undefined if there is none. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (node, key) =>
        typeof node === 'object' && node !== null && Object.hasOwn(node, key)
          ? Reflect.get(node, key)
          : undefined,
      value,
    );

/** Return an object whose properties are computed when they are first read. */
export function lazy<T extends object>(parts: { readonly [K in keyof T]: () => T[K] }): T {
  const object = {} as T;
  for (const [name, compute] of Object.entries<() => unknown>(parts)) {
    const get = () => {
      const value = compute();
      Object.defineProperty(object, name, { value });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}

/** Group items by a key, in order of first appearance. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
