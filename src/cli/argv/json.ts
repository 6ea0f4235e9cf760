/** Read JSON on a command line. */
import { usage } from '../../errors.ts';
import { type Fill, splitAtPlaceholders } from '../../support/placeholders.ts';
import { jsonErrorAt } from '../../support/text/json-error.ts';

const scalar = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;

/** Fill in the placeholders outside of the strings of a JSON text. @throws Failure `usage` for other values than numbers, booleans and null */
export function jsonOf(word: string, what: string, fill: Fill | undefined): string {
  if (!fill) return word;
  return word.replace(/"(?:\\.|[^"\\])*"|[^"]+/gs, (part) => {
    if (part.startsWith('"')) return part;
    if (splitAtPlaceholders(part).some((text, at) => at % 2 === 1 && !scalar.test(fill(text))))
      throw usage(`${what}: text is filled in outside of a JSON string`, 'put the placeholder in quotes');
    return fill(part);
  });
}

/** Parse JSON, and keep the digits of numbers: `1.10` is sent unchanged. @throws Failure `usage`, also for what cannot be sent */
export async function parseJson(text: string, what: string): Promise<unknown> {
  const json = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    const { line, column } = jsonErrorAt(json) ?? { line: 1, column: 1 };
    throw usage(`${what} is not valid JSON: invalid at line ${line}, column ${column}`);
  }
  rejectUnsendable(value, what);
  if (!/\d{16}|\d[.eE]/.test(json)) return value;
  return (await import('../../output/json/values.ts')).exact(json, value);
}

/** More than any service accepts, and well below the limit of recursion. */
const maxDepth = 500;

/** @throws Failure `usage` for a value that is nested too deeply, or a number that JSON cannot express */
export function rejectUnsendable(value: unknown, what: string): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw usage(`${what} is nested too deeply`);
    if (level.some((one) => one === Infinity || one === -Infinity))
      throw usage(`${what} contains a number that is too large`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}
