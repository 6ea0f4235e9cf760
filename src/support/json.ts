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

/** Levels of lists and objects that recursive functions handle. */
const maxDepth = 1_000;

/** Whether JSON text is nested too deeply for the functions that handle its value. */
export function isNestedTooDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= maxDepth; at++) {
    const char = text[at];
    if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    else if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    }
  }
  return depth > maxDepth;
}

/** @throws RangeError */
export function checkDepth(text: string): void {
  // Valid JSON that is shorter cannot be too deep.
  if (text.length > 2 * maxDepth && isNestedTooDeeply(text))
    throw new RangeError('the JSON text is nested too deeply');
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
