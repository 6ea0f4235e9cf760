import { parseTime } from '../../../support/number.ts';
import { isRecord } from '../../../support/record.ts';

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

/** Validated parameters. The getters return undefined for absent values and null. */
export class Params {
  readonly values: Hash;

  constructor(values: Hash) {
    this.values = values;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.values, name);
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.values[name];
    return typeof value === 'number' ? value : undefined;
  }

  bool(name: string): boolean | undefined {
    const value = this.values[name];
    return typeof value === 'boolean' ? value : undefined;
  }

  /** A date or time, in milliseconds since the epoch. */
  time(name: string): number | undefined {
    return parseTime(this.text(name) ?? '');
  }

  /** A list whose items have the type that the catalogue declares. */
  list<T = string>(name: string): readonly T[] | undefined {
    const value = this.values[name];
    return Array.isArray(value) ? value : undefined;
  }

  hash(name: string): Hash | undefined {
    const value = this.values[name];
    return isRecord(value) ? value : undefined;
  }

  file(name: string): Upload | undefined {
    const value = this.values[name];
    return value instanceof Upload ? value : undefined;
  }
}
