/** JSON text laid out anew: only the white space between tokens changes, never a token. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const SPACE = 0x20;

/**
 * Drop the white space between tokens, in place.
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
 * Indent by two spaces a level, as jq does; an empty object or array stays `{}` or `[]`.
 * @param bytes valid JSON
 * @param level the level at which it stands; the first line is not indented
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
    if (byte === 0x7d || byte === 0x5d) {
      depth--;
      newline();
    }
    reserve(2);
    out[length++] = byte;
    if (byte === 0x3a) {
      out[length++] = SPACE;
    } else if (byte === 0x2c) {
      newline();
    } else if (byte === 0x7b || byte === 0x5b) {
      while (bytes[index]! <= SPACE) index++;
      const close = bytes[index]!;
      if (close === 0x7d || close === 0x5d) {
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

/** @returns the offset behind the closing quote of the string that begins at `from` */
function endOfString(bytes: Uint8Array, from: number): number {
  let index = from + 1;
  while (bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index + 1;
}
