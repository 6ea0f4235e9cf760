/** What most of JSON text is made of, found fast: text, short numbers and words, all within one chunk. */

/** The most digits that a double keeps whatever they are. */
export const safeDigits = 15;

/** The index of the next byte that means something in text: a quote, a backslash, a control character; or the end. */
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
  // The last bytes as a word too, filled up with zeros, which count as control characters.
  const rest = view.getInt32(lastWord, true) >>> ((index - lastWord) * 8);
  return Math.min(length, index + lowestByte(specialBits(rest)));
}

/** Which byte of a word has the lowest bit that is set. */
function lowestByte(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

function isSpecial(byte: number): boolean {
  return byte === 0x22 || byte === 0x5c || byte < 0x20;
}

/**
 * Which of four bytes is a quote, a backslash or a control character: the high bit of its place is set. Of several,
 * the lowest is right; those above it may be wrong.
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
 * The index behind a number that JSON.parse and JSON.stringify would keep as it is.
 * @param from behind its first digit, which is not 0
 * @returns 0 for another number, or one that may go on in the next chunk
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

/** The index behind `null`, `true` or `false`, which must not be the last of the chunk; 0 for anything else. */
export function endOfWord(chunk: Uint8Array, view: DataView, from: number): number {
  const four = view.getInt32(from, true);
  if (four === 0x6c6c756e || four === 0x65757274) return from + 4;
  return four === 0x736c6166 && chunk[from + 4] === 0x65 ? from + 5 : 0;
}
