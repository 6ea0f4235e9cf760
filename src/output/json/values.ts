import { Failure } from '../../errors.ts';

/** A number whose text JavaScript's own number would change: it stays text. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON in and out, every number's text kept. The exact parser is slower, and loaded when a row first needs it. */
export class Numbers {
  #parseExactly: ((text: string) => unknown) | undefined;

  /** Call before parsing a text that the scanner found inexact. */
  async load(): Promise<void> {
    if (this.#parseExactly) return;
    const { parse } = await import('lossless-json');
    const parseNumber = (text: string): unknown =>
      JSON.stringify(Number(text)) === text ? Number(text) : new ExactNumber(text);
    // The last of two equal keys counts, as in JSON.parse.
    const onDuplicateKey = ({ newValue }: { newValue: unknown }): unknown => newValue;
    this.#parseExactly = (text) => parse(text, null, { parseNumber, onDuplicateKey });
  }

  /**
   * @param text valid JSON
   * @param inexact what the scanner found
   * @throws RangeError where the text is nested too deeply for a parser that recurses
   */
  parse(text: string, inexact: boolean): unknown {
    const parse = inexact ? this.#parseExactly! : JSON.parse;
    return parse(text);
  }

  /** Compact JSON. */
  stringify(value: unknown): string {
    return this.#parseExactly ? stringifyExactly(value) : JSON.stringify(value);
  }
}

/** Valid JSON, a whole number beyond 2^53 as a bigint, any other as JavaScript has it. The last of two equal keys counts. */
export async function parseWhole(text: string): Promise<unknown> {
  const { parse } = await import('lossless-json');
  const parseNumber = (digits: string): number | bigint => {
    const number = Number(digits);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits);
  };
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

function stringifyExactly(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(stringifyExactly).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${stringifyExactly(item)}`,
  );
  return `{${entries.join(',')}}`;
}

/** What our means cannot hold is no bug of ours: recursion has an end, and so has the length of a string. */
export function tooMuch(error: unknown): unknown {
  const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG';
  if (!isTooLong && !(error instanceof RangeError)) return error;
  return new Failure('server_error', 'the answer is too long, or nested too deeply, for this format', {
    hint: 'use -o json: it passes any answer through',
    cause: error,
  });
}
