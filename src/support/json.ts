/** JSON of values with whole numbers beyond 2^53, which are bigints. */
import { isRecord } from './record.ts';

/** Compact JSON. Members without a value are left out, as JSON.stringify does. */
export function jsonText(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}:${jsonText(item)}`],
  );
  return `{${members.join(',')}}`;
}
