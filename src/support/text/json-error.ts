/** Finds where a text stops being JSON (RFC 8259). Messages of JavaScript engines differ, may have no position, and quote the text. */

export interface TextPosition {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

const space = /[\t\n\r ]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Characters with which a value begins. */
const value = '"{[-0123456789tfn';

/** Return the line and column of the first token that is not allowed there; undefined if the text is JSON. */
export function jsonErrorAt(text: string): TextPosition | undefined {
  const at = jsonErrorOffset(text);
  return at === undefined ? undefined : positionAt(text, at);
}

/** Return the index of the first token that is not allowed there; undefined if the text is JSON. */
export function jsonErrorOffset(text: string): number | undefined {
  /** The brackets that close what is open. */
  const open: string[] = [];
  /** First characters of the tokens that may follow; none at the end. */
  let allowed = value;
  let isKey = false;
  for (let at = endOf(space, text, 0); ; at = endOf(space, text, at)) {
    const first = text[at] ?? '';
    if (first === '' && allowed === '') return undefined;
    const end = first !== '' && allowed.includes(first) ? tokenEnd(text, at) : at;
    if (end === at) return at;
    at = end;
    if (first === '{' || first === '[') {
      open.push(first === '{' ? '}' : ']');
      isKey = first === '{';
      allowed = isKey ? '"}' : `${value}]`;
    } else if (first === ',') {
      isKey = open.at(-1) === '}';
      allowed = isKey ? '"' : value;
    } else if (first === ':') {
      isKey = false;
      allowed = value;
    } else if (isKey && first === '"') allowed = ':';
    else {
      if (first === '}' || first === ']') open.pop();
      allowed = open.length === 0 ? '' : `,${open.at(-1)}`;
    }
  }
}

/** Return the index after a token, or the same index if it is invalid. */
function tokenEnd(text: string, at: number): number {
  const first = text[at] as string;
  if ('{}[]:,'.includes(first)) return at + 1;
  return first === '"' ? stringEnd(text, at) : endOf(scalar, text, at);
}

function stringEnd(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '"') return index + 1;
    const end = char === '\\' ? endOf(escaped, text, index) : index + 1;
    if (char < ' ' || end === index) return at;
    index = end - 1;
  }
  return at;
}

/** Return the index after a match at an index, or the same index. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function positionAt(text: string, at: number): TextPosition {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
}
