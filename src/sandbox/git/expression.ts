/**
 * RE2 expressions on names (section 4.11), run by JavaScript's engine: what RE2 refuses is refused, what the two spell differently
 * is respelled, and an expression that would take too long is stopped.
 */

/** Why an expression is refused, in words that follow its name. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** Milliseconds that all names together may take. RE2 needs far less, but JavaScript's engine can go on for hours. */
const timeout = 250;
/** The most that RE2 repeats. */
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

const hex = (char: string): string => `\\u{${(char.codePointAt(0) as number).toString(16)}}`;

/** One escape at the start of `rest`, as JavaScript spells it. */
function escaped(rest: string, inClass: boolean): { readonly taken: number; readonly text: string } {
  const literal = /^\\Q([\s\S]*?)(?:\\E|$)/.exec(rest);
  if (literal) return { taken: literal[0].length, text: [...(literal[1] as string)].map(hex).join('') };
  const unicode = /^\\[pP](?:\{\^?\w+\}|[A-Z])/.exec(rest)?.[0];
  if (unicode) return { taken: unicode.length, text: property(unicode) };
  const number = /^\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(rest);
  if (number) return { taken: number[0].length, text: `\\u{${number[1] ?? number[2]}}` };
  const octal = /^\\0([0-7]{0,2})/.exec(rest);
  if (octal)
    return { taken: octal[0].length, text: hex(String.fromCharCode(Number.parseInt(`0${octal[1]}`, 8))) };
  const char = rest[1];
  if (char === undefined) throw new ExpressionError('ends with a backslash');
  if (/[dDsSwWfnrtv]/.test(char)) return { taken: 2, text: `\\${char}` };
  if (char === 'a') return { taken: 2, text: '\\x07' };
  if (!inClass && /[bB]/.test(char)) return { taken: 2, text: `\\${char}` };
  // With the flag m, JavaScript's own anchors would match at every line.
  if (!inClass && char === 'A') return { taken: 2, text: '(?<![\\s\\S])' };
  if (!inClass && char === 'z') return { taken: 2, text: '(?![\\s\\S])' };
  if (/^[!-/:-@[-^`{-~]$/.test(char)) return { taken: 2, text: hex(char) };
  throw new ExpressionError(`has an unknown escape: \\${char}`);
}

/** `\pN` -> `\p{N}`, `\p{Greek}` -> `\p{Script=Greek}` */
function property(spelled: string): string {
  const [, letter, name] = /^\\([pP])\{?(\^?\w+)\}?$/.exec(spelled) as unknown as [string, string, string];
  const not = (letter === 'P') !== name.startsWith('^');
  const plain = name.replace('^', '');
  return `\\${not ? 'P' : 'p'}{${plain.length <= 2 ? plain : `Script=${plain}`}}`;
}

/** A class in brackets at the start of `rest`. */
function bracketed(rest: string): { readonly taken: number; readonly text: string } {
  const open = rest.startsWith('[^') ? '[^' : '[';
  let at = open.length;
  let text = open;
  for (let first = true; ; first = false) {
    const left = rest.slice(at);
    if (left === '') throw new ExpressionError('has a bracket that is not closed');
    const named = /^\[:(\^?)(\w+):\]/.exec(left);
    if (left[0] === ']' && !first) return { taken: at + 1, text: `${text}]` };
    if (named) {
      const set = posix.get(named[2] as string);
      if (set === undefined || named[1]) throw new ExpressionError(`has an unknown class: ${named[0]}`);
      text += set;
      at += named[0].length;
    } else if (left[0] === '\\') {
      const next = escaped(left, true);
      text += next.text;
      at += next.taken;
    } else {
      const char = String.fromCodePoint(left.codePointAt(0) as number);
      text += char === '-' || !/[[\](){}/|^$.*+?]/.test(char) ? char : hex(char);
      at += char.length;
    }
  }
}

/** The start of a group. */
function group(rest: string): { readonly taken: number; readonly text: string } {
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
  if (named) return { taken: named[0].length, text: `(?<${named[1]}>` };
  if (rest.startsWith('(?:')) return { taken: 3, text: '(?:' };
  if (rest.startsWith('(?'))
    throw new ExpressionError(`has a group that RE2 does not know: ${rest.slice(0, 4)}`);
  return { taken: 1, text: '(' };
}

/** A quantifier in braces, or the brace as it is. */
function braces(rest: string): { readonly taken: number; readonly text: string } {
  const counts = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  if (!counts) return { taken: 1, text: '\\{' };
  if (Number(counts[1]) > maxRepeat || Number(counts[2] ?? 0) > maxRepeat)
    throw new ExpressionError(`repeats more than ${maxRepeat} times`);
  return { taken: counts[0].length, text: counts[0] };
}

/**
 * Spell an RE2 expression as JavaScript does.
 * @throws ExpressionError
 */
function respell(expression: string): { readonly source: string; readonly flags: string } {
  const start = /^\(\?([ims]+)\)/.exec(expression);
  const flags = `u${[...new Set(start?.[1] ?? '')].join('')}`;
  let source = '';
  for (let at = start?.[0].length ?? 0; at < expression.length; ) {
    const rest = expression.slice(at);
    const char = rest[0] as string;
    const read = {
      '\\': () => escaped(rest, false),
      '[': () => bracketed(rest),
      '(': () => group(rest),
      '{': () => braces(rest),
    }[char];
    const next = read?.() ?? { taken: 1, text: char === ']' || char === '}' ? `\\${char}` : char };
    source += next.text;
    at += next.taken;
  }
  try {
    new RegExp(source, flags);
  } catch {
    throw new ExpressionError('is not a regular expression');
  }
  return { source, flags };
}

/**
 * Those names in which an RE2 expression matches anywhere.
 * @throws ExpressionError where RE2 would refuse it, or it takes too long
 */
export async function matching(expression: string, names: readonly string[]): Promise<Set<string>> {
  const { source, flags } = respell(expression);
  const { runInNewContext } = await import('node:vm');
  const literals = [source, flags, names].map((value) => JSON.stringify(value));
  const program = `((s, f, n) => JSON.stringify(n.filter((name) => new RegExp(s, f).test(name))))(${literals.join()})`;
  try {
    return new Set(
      JSON.parse(runInNewContext(program, Object.create(null), { timeout }) as string) as string[],
    );
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new ExpressionError('takes too long');
  }
}
