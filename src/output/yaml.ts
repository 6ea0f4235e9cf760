import { isRecord, picker } from './fields.ts';
import { ExactNumber } from './json/values.ts';
import type { OutputOptions } from './model.ts';
import type { Printer } from './printer.ts';
import { suspicious } from './text.ts';

/**
 * YAML 1.2, with quotes also where a YAML 1.1 reader would not see text. A list is written item by item.
 * Written here because the general library spends most of its time on features that plain JSON values do not need.
 */
export async function yaml({ fields }: OutputOptions): Promise<Printer> {
  const pick = fields ? picker(fields) : (value: unknown): unknown => value;
  const write = (value: unknown): string => node(value, 0).replace(/^[\n ]/, '');
  return {
    rows: (rows) => rows.map((row) => write([pick(row)])).join(''),
    end: (rows) => (rows === 0 ? '[]\n' : ''),
    object: (value) => write(Array.isArray(value) ? value.map(pick) : pick(value)),
  };
}

const STEP = 2;
/** A key longer than this must be marked by a question mark (YAML 1.2 section 8.2.2). */
const longestKey = 1000;

/** The text after a key's colon: ` scalar`, or a line break and the items at this indentation. Ends with a line break. */
function node(value: unknown, indent: number): string {
  const margin = ' '.repeat(indent);
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []\n';
    return `\n${value.map((item) => `${margin}- ${entry(item, indent + STEP)}`).join('')}`;
  }
  if (!isRecord(value)) return ` ${scalar(value, indent)}\n`;
  const keys = Object.keys(value);
  if (keys.length === 0) return ' {}\n';
  return `\n${keys.map((key) => `${margin}${keyText(key, margin)}:${node(value[key], indent + STEP)}`).join('')}`;
}

/** An item begins on the line of its dash. */
function entry(value: unknown, indent: number): string {
  const text = node(value, indent);
  return text.startsWith('\n') ? text.slice(1 + indent) : text.slice(1);
}

function keyText(key: string, margin: string): string {
  const text = isPlain(key) ? key : quoted(key);
  return text.length > longestKey ? `? ${text}\n${margin}` : text;
}

function scalar(value: unknown, indent: number): string {
  if (typeof value !== 'string') return value instanceof ExactNumber ? value.text : String(value);
  if (isPlain(value)) return value;
  return value.includes('\n') && isBlock(value) ? block(value, indent) : quoted(value);
}

/** Lines stay readable, unless a blank at the start or the end of one would need a rule of its own. */
function isBlock(text: string): boolean {
  return !/^\s|[ \t]\n|[ \t]$/.test(text) && !unsafe.test(text.replaceAll('\n', ''));
}

function block(text: string, indent: number): string {
  const margin = ' '.repeat(Math.max(indent, STEP));
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const chomping = text === body ? '-' : body.endsWith('\n') ? '+' : '';
  return `|${chomping}\n${body.replace(/^(?=.)/gm, margin)}`;
}

/** Characters that a reader may refuse, or a terminal obey: they are written as escapes. */
const unsafe = new RegExp(`${suspicious.source}|[\\ud800-\\udfff\\ufeff\\ufffe\\uffff]`, 'u');
const unsafeAll = new RegExp(unsafe.source, 'gu');

function quoted(text: string): string {
  if (text.includes('"') && !text.includes("'") && !unsafe.test(text)) return `'${text}'`;
  return JSON.stringify(text).replace(
    unsafeAll,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What begins, ends or holds an indicator (YAML 1.2 section 7.3.3). */
const indicator = /^[\s,[\]{}#&*!|>'"%@`=]|^[?:-](?:\s|$)|^:|^---|^\.\.\.|:(?:\s|$)|\s#|\s$/;
/** Words, numbers and times of YAML 1.1 and 1.2, and numbers of common readers. */
const typed =
  /^(?:~|null|true|false|y|yes|n|no|on|off|<<|[-+]?\.(?:inf|nan)|[-+]?0[box][\da-f_]+|[-+]?(?:\d[\d_,]*(?::[0-5]?\d)*)?\.?[\d_]*(?:e[-+]?\d+)?|\d{4}-\d\d?-\d\d?(?:[t \t].*)?)$/i;

function isPlain(text: string): boolean {
  return text !== '' && !unsafe.test(text) && !indicator.test(text) && !typed.test(text);
}
