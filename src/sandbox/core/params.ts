/** A file of a multipart body. */
export class Upload {
  readonly filename: string;
  readonly type: string;
  readonly bytes: Uint8Array;

  constructor(filename: string, type: string, bytes: Uint8Array) {
    this.filename = filename;
    this.type = type;
    this.bytes = bytes;
  }
}

export type Hash = Readonly<Record<string, unknown>>;

export const isHash = (value: unknown): value is Hash =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Milliseconds since the epoch of a date, or of a date and time: UTC where it names no zone, wherever the sandbox runs. */
export function parseTime(text: string): number {
  const iso = text.toUpperCase().replace(' ', 'T').replace(',', '.');
  return Date.parse(/T[\d:.]+$/.test(iso) ? `${iso}Z` : iso);
}

/** Checked values, read by their kind. A value that is absent, or null, reads as undefined. */
export class Params {
  /** All of them, nulls too: what an update assigns. */
  readonly values: Hash;

  constructor(values: Hash) {
    this.values = values;
  }

  /** Whether it was given, be it as null. */
  has(name: string): boolean {
    return Object.hasOwn(this.values, name);
  }

  text(name: string): string | undefined {
    return this.#read(name, (value) => typeof value === 'string');
  }

  number(name: string): number | undefined {
    return this.#read(name, (value) => typeof value === 'number');
  }

  bool(name: string): boolean | undefined {
    return this.#read(name, (value) => typeof value === 'boolean');
  }

  /** A date or time, in milliseconds since the epoch. */
  time(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : parseTime(text);
  }

  list<T = string>(name: string): readonly T[] | undefined {
    return this.#read(name, Array.isArray);
  }

  hash(name: string): Hash | undefined {
    return this.#read(name, isHash);
  }

  rows(name: string): readonly Hash[] | undefined {
    return this.#read(name, Array.isArray);
  }

  file(name: string): Upload | undefined {
    return this.#read(name, (value) => value instanceof Upload);
  }

  #read<T>(name: string, fits: (value: unknown) => boolean): T | undefined {
    const value = this.has(name) ? this.values[name] : undefined;
    return value !== null && value !== undefined && fits(value) ? (value as T) : undefined;
  }
}
