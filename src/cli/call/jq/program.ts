/** What can be said of a jq program from its text, and of its errors without the data in them. */
import { Failure } from '../../../errors.ts';

/** Reads more than its row, or ends more than its row's work. */
const beyondRow = /\b(?:input\w*|halt\w*|modulemeta)\b|\$__/;

/**
 * Whether a program treats each item of a list by itself: `.[]`, with a path behind it, alone or before a `|`. The pipe
 * binds weaker than any other operator of jq, so all that follows sees one item at a time. In doubt the answer is no.
 */
export function isRowWise(program: string): boolean {
  return (
    /^\s*\.\[\]\??(?:\.[a-zA-Z_]\w*\??|\[\d*\]\??)*\s*(?:\|(?!=)|$)/.test(program) && !beyondRow.test(program)
  );
}

/** `syntax error, unexpected end of file (line 1, column 2)`, then the line and a mark below the place. */
export function compileError(stderr: string): Failure {
  const lines = stderr.split('\n').filter((line) => !/^jq: \d+ compile errors?$/.test(line));
  const [first = '', ...more] = lines;
  const message = first
    .replace(/^jq: error: /, '')
    .replace(/ at <top-level>, (line \d+, column \d+):$/, ' ($1)');
  return new Failure('usage', `--jq: ${message}`, {
    details: more.filter((line) => line.trim() !== '').map((line) => line.replace(/^jq: error: /, '')),
    hint: 'https://jqlang.org/manual describes the language',
  });
}

/** The error of a program that ended while it ran. */
export function runtimeError(stderr: string, program: string): Failure {
  const message = stderr.replace(/^jq: (?:parse )?error ?(?:\(at [^)]*\))?:? ?/m, '').trim();
  const known = withoutData(message, program);
  return new Failure('internal', `--jq: ${known ?? 'the program ended with an error'}`, {
    hint: [
      'the program does not fit the response: see it with --json',
      ...(known === undefined
        ? ['the message is not shown, because it may contain values of the response']
        : []),
    ],
  });
}

const kind = '(?:null|boolean|number|string|array|object)';
/** The engine's own messages; the groups hold its words, and never a value. */
const messages = [
  `(Cannot (?:iterate over|index) ${kind}(?: with ${kind})?)(?: \\(.*| ".*)?`,
  `(Cannot use ${kind}) \\(.*\\)( as object key)`,
  `(Cannot check whether ${kind} has a ${kind} key)`,
  `(Cannot delete fields? from ${kind})`,
  `(${kind}) \\(.*\\)( and ${kind}) \\(.*\\)( cannot be [a-z, ()]+)`,
  `(${kind}) \\(.*\\)( (?:cannot|can not|can't|is not|has no) [a-z0-9, -]+)`,
  `(Path must be specified as array), not .*`,
  `(Invalid path expression) (?:with result|near attempt to) .*`,
  `((?:implode|explode|trim|split|mktime|gmtime|localtime|strptime|strftime|strflocaltime|startswith|endswith)(?:\\(\\)|/1)? (?:input|requires)[a-z ]*)`,
  '(Object keys must be strings|Range bounds must be numeric|Array/string slice indices must be integers|Repeat string result too long)',
  '((?:Exceeds depth limit for parsing|[A-Z][a-z ]+) at line \\d+, column \\d+)',
].map((source) => new RegExp(`^${source}$`, 's'));

/** A message with its values left out; undefined where it cannot be told from a value. The program's own text is no secret. */
function withoutData(message: string, program: string): string | undefined {
  const index = /^Cannot index \w+ with (?:string \()?"(\w+)"\)?$/.exec(message);
  if (message !== '' && (program.includes(message) || (index && program.includes(index[1] as string))))
    return message;
  for (const known of messages) {
    const found = known.exec(message);
    if (found) return found.slice(1).join('');
  }
  return undefined;
}
