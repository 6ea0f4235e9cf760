import { type ExchangeSummary, Failure } from '../../errors.ts';
import { checkDepth, jsonText } from '../../support/json.ts';

/** Parses and formats JSON and preserves the text of every number. The slower exact parser is loaded on first use. */
export class Numbers {
  #parseExactly: ((text: string) => unknown) | undefined;

  /** Load the exact parser. Required before parsing a text that the scanner reported as inexact. */
  async load(): Promise<void> {
    if (this.#parseExactly) return;
    this.#parseExactly = (await import('../../support/text/exact-json.ts')).parseExactly;
  }

  /**
   * @param text valid JSON
   * @param inexact reported by the scanner
   * @throws Failure `server_error` if the text is nested too deeply
   */
  parse(text: string, inexact: boolean): unknown {
    try {
      if (inexact && this.#parseExactly) return this.#parseExactly(text);
      checkDepth(text);
      return JSON.parse(text);
    } catch (error) {
      throw asTooLarge(error);
    }
  }

  /** @param text a valid JSON array without inexact numbers */
  parseRows(text: string): unknown[] {
    return JSON.parse(text);
  }

  /** Compact JSON. */
  stringify(value: unknown): string {
    return this.#parseExactly ? jsonText(value) : JSON.stringify(value);
  }
}

/**
 * Parse JSON with integers beyond 2^53 as bigint. The last of duplicate keys has precedence.
 * @throws SyntaxError, or RangeError if it is nested too deeply
 */
export async function parseWhole(text: string): Promise<unknown> {
  checkDepth(text);
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return (await import('../../support/text/exact-json.ts')).parseBigInts(text);
}

/** The failure of a response that cannot be parsed, for an error of a parser. */
export function unparsable(cause: unknown, exchange?: ExchangeSummary): Failure {
  const problem = cause instanceof SyntaxError ? 'not valid JSON' : 'nested too deeply';
  return new Failure('server_error', `the response is ${problem}`, {
    ...(exchange ? { exchange } : {}),
    cause,
  });
}

/** Convert errors of exceeded string length or recursion depth to a Failure. */
export function asTooLarge(error: unknown): unknown {
  const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG';
  if (!isTooLong && !(error instanceof RangeError)) return error;
  return new Failure('server_error', 'the response is too long or nested too deeply for this format', {
    hint: 'use -o json, which does not parse the response',
    cause: error,
  });
}
