/** Fast paths for most JSON text: strings, short numbers and literals within one chunk. */

/** The number of decimal digits that a double always preserves. */
export const safeDigits = 15;

/** Return the index of the next quote, backslash or control character, or the end. */
export function endOfText(chunk: Uint8Array, view: DataView, from: number): number {
  const { length } = chunk;
  const lastWord = length - 4;
  let index = from;
  while (index <= lastWord) {
    const found = specialBits(view.getInt32(index, true));
    if (found !== 0) return index + lowestByte(found);
    index += 4;
  }
  if (lastWord < 0) {
    while (index < length && !isSpecial(chunk[index]!)) index++;
    return index;
  }
  if (index === length) return index;
  // Read the last bytes as a word too. It is filled with zeros, which count as control characters.
  const rest = view.getInt32(lastWord, true) >>> ((index - lastWord) * 8);
  return Math.min(length, index + lowestByte(specialBits(rest)));
}

/** Return the number of the byte that contains the lowest set bit. */
function lowestByte(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

function isSpecial(byte: number): boolean {
  return byte === 0x22 || byte === 0x5c || byte < 0x20;
}

/**
 * Set the high bit of each byte that is a quote, a backslash or a control character. Only the lowest set bit is reliable;
 * bits above it may be wrong.
 */
function specialBits(four: number): number {
  const quote = four ^ 0x22222222;
  const backslash = four ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash) |
      ((four - 0x20202020) & ~four)) &
    0x80808080
  );
}

/**
 * Return the index after a number that JSON.parse and JSON.stringify preserve.
 * @param from the index after the first digit, which is not 0
 * @returns 0 for other numbers, and for one that may continue in the next chunk
 */
export function endOfPlainNumber(chunk: Uint8Array, from: number): number {
  const last = Math.min(chunk.length - 1, from + safeDigits - 1);
  let index = from;
  while (index < last && isDigit(chunk[index]!)) index++;
  if (chunk[index] === 0x2e) {
    const point = index;
    do index++;
    while (index < last && isDigit(chunk[index]!));
    if (index === point + 1 || chunk[index - 1] === 0x30) return 0;
  }
  const end = chunk[index]!;
  return end === 0x2c || end === 0x7d || end === 0x5d ? index : 0;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Return the index after `null`, `true` or `false`, which must not be the end of the chunk; otherwise 0. */
export function endOfWord(chunk: Uint8Array, view: DataView, from: number): number {
  const four = view.getInt32(from, true);
  if (four === 0x6c6c756e || four === 0x65757274) return from + 4;
  return four === 0x736c6166 && chunk[from + 4] === 0x65 ? from + 5 : 0;
}
