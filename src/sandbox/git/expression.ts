/**
 * Matches names with RE2 expressions (section 4.11) by translating them to JavaScript. Syntax that RE2 does not support is rejected,
 * and a time limit stops catastrophic backtracking.
 */

import { isRecord } from '../../support/record.ts';

/** The message completes a sentence that starts with the parameter: `regex ends with a backslash`. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** Milliseconds to match all names. RE2 takes linear time, JavaScript can take exponential time. */
const timeout = 250;
/** The limit of RE2. */
const maxRepeat = 1000;

const posix: ReadonlyMap<string, string> = new Map(
  Object.entries({
    alnum: '0-9A-Za-z',
    alpha: 'A-Za-z',
    ascii: '\\x00-\\x7f',
    blank: '\\t ',
    cntrl: '\\x00-\\x1f\\x7f',
    digit: '0-9',
    graph: '!-~',
    lower: 'a-z',
    print: ' -~',
    punct: '!-\\/:-@\\[-`\\{-~',
    space: '\\s',
    upper: 'A-Z',
    word: '\\w',
    xdigit: '0-9A-Fa-f',
  }),
);

const hex = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

/** A part of an expression, translated. */
interface Token {
  /** Characters of the RE2 expression. */
  readonly length: number;
  readonly text: string;
}

/** Translate the escape sequence at the start of `rest`. */
function escaped(rest: string, inClass: boolean): Token {
  const literal = /^\\Q([\s\S]*?)(?:\\E|$)/.exec(rest);
  if (literal) return { length: literal[0].length, text: [...(literal[1] ?? '')].map(hex).join('') };
  const unicode = /^\\[pP](?:\{\^?\w+\}|[A-Z])/.exec(rest)?.[0];
  if (unicode) return { length: unicode.length, text: property(unicode) };
  const number = /^\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(rest);
  if (number) return { length: number[0].length, text: `\\u{${number[1] ?? number[2]}}` };
  const octal = /^\\0([0-7]{0,2})/.exec(rest);
  if (octal)
    return { length: octal[0].length, text: hex(String.fromCharCode(Number.parseInt(`0${octal[1]}`, 8))) };
  const char = rest[1];
  if (char === undefined) throw new ExpressionError('ends with a backslash');
  if (/[dDsSwWfnrtv]/.test(char)) return { length: 2, text: `\\${char}` };
  if (char === 'a') return { length: 2, text: '\\x07' };
  if (!inClass && /[bB]/.test(char)) return { length: 2, text: `\\${char}` };
  // JavaScript's anchors match at every line with the flag m.
  if (!inClass && char === 'A') return { length: 2, text: '(?<![\\s\\S])' };
  if (!inClass && char === 'z') return { length: 2, text: '(?![\\s\\S])' };
  if (/^[!-/:-@[-^`{-~]$/.test(char)) return { length: 2, text: hex(char) };
  throw new ExpressionError(`has an unknown escape: \\${char}`);
}

/** `\pN` -> `\p{N}`, `\p{Greek}` -> `\p{Script=Greek}` */
function property(spelled: string): string {
  const [, letter, name = ''] = /^\\([pP])\{?(\^?\w+)\}?$/.exec(spelled) ?? [];
  const isNegated = (letter === 'P') !== name.startsWith('^');
  const plain = name.replace('^', '');
  return `\\${isNegated ? 'P' : 'p'}{${plain.length <= 2 ? plain : `Script=${plain}`}}`;
}

/** Translate the character class at the start of `rest`. */
function bracketed(rest: string): Token {
  const open = rest.startsWith('[^') ? '[^' : '[';
  let at = open.length;
  let text = open;
  for (let first = true; ; first = false) {
    const left = rest.slice(at);
    if (left === '') throw new ExpressionError('has a bracket that is not closed');
    const named = /^\[:(\^?)(\w+):\]/.exec(left);
    if (left[0] === ']' && !first) return { length: at + 1, text: `${text}]` };
    if (named) {
      const set = posix.get(named[2] ?? '');
      if (set === undefined || named[1]) throw new ExpressionError(`has an unknown class: ${named[0]}`);
      text += set;
      at += named[0].length;
    } else if (left[0] === '\\') {
      const next = escaped(left, true);
      text += next.text;
      at += next.length;
    } else {
      const char = String.fromCodePoint(left.codePointAt(0) ?? 0);
      text += char === '-' || !/[[\](){}/|^$.*+?]/.test(char) ? char : hex(char);
      at += char.length;
    }
  }
}

/** Translate the start of a group. */
function group(rest: string): Token {
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
  if (named) return { length: named[0].length, text: `(?<${named[1]}>` };
  if (rest.startsWith('(?:')) return { length: 3, text: '(?:' };
  if (rest.startsWith('(?'))
    throw new ExpressionError(`has a group that RE2 does not support: ${rest.slice(0, 4)}`);
  return { length: 1, text: '(' };
}

/** Translate a quantifier in braces, or a literal brace. */
function braces(rest: string): Token {
  const counts = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  if (!counts) return { length: 1, text: '\\{' };
  if (Number(counts[1]) > maxRepeat || Number(counts[2] ?? 0) > maxRepeat)
    throw new ExpressionError(`repeats more than ${maxRepeat} times`);
  return { length: counts[0].length, text: counts[0] };
}

/**
 * Translate an RE2 expression to JavaScript.
 * @throws ExpressionError
 */
function translate(expression: string): { readonly source: string; readonly flags: string } {
  const start = /^\(\?([ims]+)\)/.exec(expression);
  const flags = `u${[...new Set(start?.[1] ?? '')].join('')}`;
  let source = '';
  for (let at = start?.[0].length ?? 0; at < expression.length; ) {
    const rest = expression.slice(at);
    const char = rest[0] ?? '';
    const read = {
      '\\': () => escaped(rest, false),
      '[': () => bracketed(rest),
      '(': () => group(rest),
      '{': () => braces(rest),
    }[char];
    const next = read?.() ?? { length: 1, text: char === ']' || char === '}' ? `\\${char}` : char };
    source += next.text;
    at += next.length;
  }
  try {
    new RegExp(source, flags);
  } catch {
    throw new ExpressionError('is not a regular expression');
  }
  return { source, flags };
}

/**
 * Return the names that an RE2 expression matches anywhere.
 * @throws ExpressionError if RE2 does not support the expression, or it takes too long
 */
export async function matchRe2(expression: string, names: readonly string[]): Promise<Set<string>> {
  const { source, flags } = translate(expression);
  const { runInNewContext } = await import('node:vm');
  // Only JSON literals enter the context, and only a JSON string leaves it.
  const literals = [source, flags, names].map((value) => JSON.stringify(value));
  const program = `((s, f, n) => JSON.stringify(n.filter((name) => new RegExp(s, f).test(name))))(${literals.join()})`;
  try {
    const matched: string = runInNewContext(program, Object.create(null), { timeout });
    return new Set<string>(JSON.parse(matched));
  } catch (error) {
    // The error is from another realm, so `instanceof Error` is false.
    if (!isRecord(error) || error['code'] !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new ExpressionError('takes too long');
  }
}
