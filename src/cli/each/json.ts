/** Transformations of JSON text in chunks that keep every number exact. */
import { isRecord } from '../../support/record.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/**
 * Convert an array of objects, or an object, to the items of an array, in which each object begins with one more member.
 * @param member as JSON: `"TARGET":"acme/rocket"`
 */
export async function* itemsWith(
  member: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const added = Buffer.from(member);
  let depth = 0;
  let itemDepth = -1;
  let inText = false;
  let isEscaped = false;
  /** The member was added, and a comma follows unless the object is empty. */
  let isPending = false;
  for await (const chunk of body) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (isPending && !isSpace(byte)) {
        isPending = false;
        if (byte !== closeBrace) {
          yield chunk.subarray(from, at);
          yield Buffer.from(',');
          from = at;
        }
      }
      if (inText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inText = false;
        continue;
      }
      if (byte === quote) inText = true;
      else if (byte === openBrace || byte === openBracket) {
        if (itemDepth < 0) {
          itemDepth = byte === openBracket ? 1 : 0;
          // The brackets of the list itself are left out.
          if (byte === openBracket) {
            yield chunk.subarray(from, at);
            from = at + 1;
          }
        }
        if (byte === openBrace && depth === itemDepth) {
          yield chunk.subarray(from, at + 1);
          yield added;
          from = at + 1;
          isPending = true;
        }
        depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (depth === 0 && byte === closeBracket) {
          yield chunk.subarray(from, at);
          from = at + 1;
        }
      }
    }
    if (from < chunk.length) yield chunk.subarray(from);
  }
}

/** Convert JSON values that follow one another, one per line, to an array of objects. Other values are in the member `value`. */
export function asRows(text: string): string {
  const rows = text.split('\n').flatMap((line) => {
    const value: unknown = line === '' ? [] : JSON.parse(line);
    if (isRecord(value)) return [line];
    if (!Array.isArray(value) || !value.every(isRecord)) return [`{"value":${line}}`];
    return value.length > 0 ? [line.slice(1, -1)] : [];
  });
  return `[${rows.join(',')}]`;
}

/**
 * Split JSON values that follow one another, one per line.
 * @returns a single value unchanged; an array of several values, or of none
 */
export function joinedLines(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length === 1 ? (lines[0] as string) : `[${lines.join(String.fromCharCode(comma))}]`;
}
