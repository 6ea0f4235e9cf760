/** The dotenv format, as version 18 of the npm package `dotenv` reads it. */
import { parse } from 'dotenv';
import { usage } from '../../errors.ts';

/** The ways to write a value; the first that is read back unchanged is used. */
const forms: readonly ((value: string) => string)[] = [
  (value) => (/^[\w.,:/@%+-]+$|^[\w.,:/@%+\\-]*\\$/.test(value) ? value : `'${value}'`),
  (value) => `"${value}"`,
  (value) => `\`${value}\``,
  (value) => `"${value.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`,
];

function lineOf(key: string, value: string): string | undefined {
  const lines = forms.map((form) => `${key}=${form(value)}`);
  return lines.find((line) => isExact(line, new Map([[key, value]])));
}

function isExact(text: string, variables: ReadonlyMap<string, string>): boolean {
  const read = Object.entries(parse(text));
  return read.length === variables.size && read.every(([key, value]) => variables.get(key) === value);
}

/** Write variables. @throws Failure `usage` that names the keys whose values cannot be expressed */
export function dotenvText(variables: ReadonlyMap<string, string>): string {
  const lines = [...variables].map(([key, value]) => [key, lineOf(key, value)] as const);
  const impossible = lines.flatMap(([key, line]) => (line === undefined ? [key] : []));
  const text = lines.map(([, line]) => `${line}\n`).join('');
  if (impossible.length === 0 && isExact(text, variables)) return text;
  const values = impossible.length > 0 ? `the values of ${impossible.join(', ')}` : 'these values together';
  throw usage(`dotenv cannot express ${values}`, 'use -o yaml or -o json');
}

/**
 * An assignment, as the package finds it; the package does not export its pattern, and ignores everything else. It also takes
 * `404: Not Found` and a quote that is not closed as assignments, which this pattern does not.
 */
const assignment =
  /^\s*(?:export\s+)?[A-Za-z_]\w*(?:\s*=\s*?|:\s+?)(?:\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|\s*(['"`])[^#\r\n]*\1|(?!\s*['"`])[^#\r\n]+)?\s*(?:#.*)?$/gm;

/**
 * Read variables.
 * @param file the name for errors
 * @throws Failure `usage` for a line that is neither an assignment nor a comment
 */
export function readDotenv(file: string, text: string): Record<string, string> {
  const rest = text.replace(/\r\n?/g, '\n').replace(assignment, (found) => found.replace(/[^\n]/g, ''));
  const line = rest.split('\n').findIndex((one) => /^\s*[^\s#]/.test(one));
  // The error does not contain the line, which can be part of a secret.
  if (line >= 0)
    throw usage(`${file}:${line + 1}: expected NAME=value or a comment`, [
      'a name consists of letters, digits and _, and does not start with a digit',
      'a value that starts with a quote ends with the same quote',
    ]);
  return parse(text);
}
