/** JSON of values with numbers that JavaScript numbers would change. */
import { attempt } from './errno.ts';
import { ExactNumber, isRecord } from './record.ts';

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

/** Parse JSON. @returns undefined for other text, and for a value that is nested too deeply */
export const jsonIn = (text: string): unknown =>
  attempt(() => {
    checkDepth(text);
    return JSON.parse(text);
  });

/** Compact JSON, with the text of exact numbers and bigints. Members without a value are left out, as JSON.stringify does. */
export function jsonText(value: unknown): string {
  try {
    if (!ExactNumber.exists) return JSON.stringify(value) ?? 'null';
  } catch (error) {
    // A bigint. Values have no cycles.
    if (!(error instanceof TypeError)) throw error;
  }
  return exactText(value);
}

function exactText(value: unknown): string {
  if (typeof value === 'bigint' || value instanceof ExactNumber) return value.toString();
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}:${exactText(item)}`],
  );
  return `{${members.join(',')}}`;
}

/**
 * Change the white space between the tokens of JSON, and nothing else.
 * @param json valid JSON
 * @param level levels of two spaces by which lines after the first are indented, as jq does; undefined for a single line without spaces
 */
export function layoutJson(json: string, level?: number): string {
  const pieces: string[] = [];
  let depth = level ?? 0;
  const newLine = () => (level === undefined ? '' : `\n${'  '.repeat(depth)}`);
  for (const [token] of json.matchAll(tokens)) {
    if (token === ',') pieces.push(token, newLine());
    else if (token === ':') pieces.push(level === undefined ? token : ': ');
    else if (token === '{' || token === '[') {
      depth++;
      pieces.push(token, newLine());
    } else if (token === '}' || token === ']') {
      depth--;
      pieces.push(newLine(), token);
    } else pieces.push(token.startsWith('"') ? token : token.replace(/\s+/g, ''));
  }
  return pieces.join('');
}

/** Strings, scalars, empty lists and objects, and single brackets, commas and colons. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|\{\s*\}|\[\s*\]|[{}[\],:]/g;
