/** Finds the first error in text that is not JSON (RFC 8259). Messages of JavaScript engines differ, and quote the text. */

/** White space and a string, a scalar or a single character, if one of them follows. */
const token =
  /[\t\n\r ]*("[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\x00-\x1f]*)*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])|[{}[\]:,])?/y;

/** Characters with which a value begins. */
const value = '"{[-0123456789tfn';

/** Return the line and column, both from 1, of the first token that is not allowed there; undefined if the text is JSON. */
export function jsonErrorAt(text: string): { readonly line: number; readonly column: number } | undefined {
  const at = jsonErrorOffset(text);
  if (at === undefined) return undefined;
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
}

/** Return the index of the first token that is not allowed there; undefined if the text is JSON. */
export function jsonErrorOffset(text: string): number | undefined {
  /** The closing brackets of the open lists and objects. */
  const open: string[] = [];
  /** First characters of the tokens that may follow; none at the end. */
  let allowed = value;
  let isKey = false;
  for (token.lastIndex = 0; ; ) {
    const { index, 0: all, 1: found = '' } = token.exec(text) as RegExpExecArray;
    const start = index + all.length - found.length;
    const first = found.charAt(0);
    if (first === '' && allowed === '' && start === text.length) return undefined;
    if (first === '' || !allowed.includes(first)) return start;
    if (first === '{' || first === '[') {
      open.push(first === '{' ? '}' : ']');
      isKey = first === '{';
      allowed = isKey ? '"}' : `${value}]`;
    } else if (first === ',') {
      isKey = open.at(-1) === '}';
      allowed = isKey ? '"' : value;
    } else if (first === ':' || (isKey && first === '"')) {
      isKey = false;
      allowed = first === ':' ? value : ':';
    } else {
      if (first === '}' || first === ']') open.pop();
      allowed = open.length === 0 ? '' : `,${open.at(-1)}`;
    }
  }
}
