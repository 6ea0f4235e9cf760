/** JSON of values with numbers that JavaScript numbers would change. */
import { isRecord } from './record.ts';

/** A number that is kept as text because a JavaScript number would change it. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Compact JSON. Members without a value are left out, as JSON.stringify does. */
export function jsonText(value: unknown): string {
  if (typeof value === 'bigint' || value instanceof ExactNumber) return value.toString();
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}:${jsonText(item)}`],
  );
  return `{${members.join(',')}}`;
}
