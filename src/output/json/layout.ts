/** Changes the white space between tokens of JSON text, never a token. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * Remove the white space between tokens, in place.
 * @param bytes valid JSON from `from` to `to`
 * @returns the new end
 */
export function compact(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  for (let index = from; index < to; ) {
    const byte = bytes[index]!;
    if (byte === QUOTE) {
      const stop = endOfString(bytes, index);
      bytes.copyWithin(end, index, stop);
      end += stop - index;
      index = stop;
    } else {
      if (byte > SPACE) bytes[end++] = byte;
      index++;
    }
  }
  return end;
}

/**
 * Indent by two spaces per level, as jq does. Empty objects and arrays stay `{}` and `[]`.
 * @param bytes valid JSON
 * @param level initial level; the first line is not indented
 */
export function indent(bytes: Uint8Array, level = 0): Uint8Array {
  let out = new Uint8Array(bytes.length * 2 + 64);
  let length = 0;
  let depth = level;
  const reserve = (size: number): void => {
    if (length + size <= out.length) return;
    const grown = new Uint8Array(Math.max(length + size, out.length * 2));
    grown.set(out.subarray(0, length));
    out = grown;
  };
  const newline = (): void => {
    reserve(1 + depth * 2);
    out[length++] = NEWLINE;
    out.fill(SPACE, length, length + depth * 2);
    length += depth * 2;
  };

  for (let index = 0; index < bytes.length; ) {
    const byte = bytes[index]!;
    if (byte <= SPACE) {
      index++;
      continue;
    }
    if (byte === QUOTE) {
      const stop = endOfString(bytes, index);
      reserve(stop - index);
      out.set(bytes.subarray(index, stop), length);
      length += stop - index;
      index = stop;
      continue;
    }
    index++;
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth--;
      newline();
    }
    reserve(2);
    out[length++] = byte;
    if (byte === 0x3a) {
      out[length++] = SPACE;
    } else if (byte === COMMA) {
      newline();
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      while (bytes[index]! <= SPACE) index++;
      const close = bytes[index]!;
      if (close === CLOSE_OBJECT || close === CLOSE_LIST) {
        out[length++] = close;
        index++;
      } else {
        depth++;
        newline();
      }
    }
  }
  return out.subarray(0, length);
}

/**
 * Remove the members of an object whose keys are not wanted, in place, so that they need not be parsed. Keys with escapes
 * and values other than objects are kept.
 * @param bytes valid JSON from `from` to `to`, without white space around it
 * @returns the new end
 */
export function keepMembers(
  bytes: Uint8Array,
  from: number,
  to: number,
  wanted: readonly Uint8Array[],
): number {
  if (bytes[from] !== OPEN_OBJECT) return to;
  let end = from + 1;
  let index = from + 1;
  for (;;) {
    while (bytes[index]! <= SPACE || bytes[index] === COMMA) index++;
    if (bytes[index] === CLOSE_OBJECT) break;
    const start = index;
    const value = endOfString(bytes, start);
    index = endOfValue(bytes, value);
    if (!isWanted(bytes, start + 1, value - 1, wanted)) continue;
    if (end > from + 1) bytes[end++] = COMMA;
    bytes.copyWithin(end, start, index);
    end += index - start;
  }
  bytes[end++] = CLOSE_OBJECT;
  return end;
}

function isWanted(bytes: Uint8Array, from: number, to: number, wanted: readonly Uint8Array[]): boolean {
  for (const key of wanted) {
    if (key.length !== to - from) continue;
    let at = 0;
    while (at < key.length && bytes[from + at] === key[at]) at++;
    if (at === key.length) return true;
  }
  for (let index = from; index < to; index++) if (bytes[index] === BACKSLASH) return true;
  return false;
}

/** @returns the offset of the comma or bracket after a value */
function endOfValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let index = from; ; ) {
    const byte = bytes[index]!;
    if (byte === QUOTE) {
      index = endOfString(bytes, index);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT)) return index;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    index++;
  }
}

/** @returns the offset after the closing quote of the string that starts at `from` */
function endOfString(bytes: Uint8Array, from: number): number {
  let index = from + 1;
  while (bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index + 1;
}
