import { ExactNumber, isRecord } from '../support/record.ts';
import { suspicious, unicodeEscape } from '../support/text/printable.ts';
import { picker } from './fields.ts';
import type { OutputOptions } from './model.ts';
import type { Printer } from './printer.ts';
import { replaceEach } from './replace-each.ts';

/**
 * YAML 1.2. Text is also quoted if a YAML 1.1 reader would take it for another type. Lists are written item by item.
 * Implemented here because the `yaml` package spends most of its time on features that JSON values do not need.
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
/** Longer keys require a question mark (YAML 1.2 section 8.2.2). */
const maxKeyLength = 1000;

/** Return the text after the colon of a key: ` scalar`, or a line break and the indented items. Ends with a line break. */
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

/** Return the text after the dash of an item. */
function entry(value: unknown, indent: number): string {
  const text = node(value, indent);
  return text.startsWith('\n') ? text.slice(1 + indent) : text.slice(1);
}

function keyText(key: string, margin: string): string {
  const text = isPlain(key) ? key : quoted(key);
  return text.length > maxKeyLength ? `? ${text}\n${margin}` : text;
}

function scalar(value: unknown, indent: number): string {
  if (typeof value !== 'string') return value instanceof ExactNumber ? value.text : String(value);
  if (isPlain(value)) return value;
  return value.includes('\n') && isBlock(value) ? block(value, indent) : quoted(value);
}

/** Whether text can be a block scalar: no leading or trailing blanks, and no unsafe characters. */
function isBlock(text: string): boolean {
  return !/^\s|[ \t]\n|[ \t]$/.test(text) && !unsafe.test(text.replaceAll('\n', ''));
}

function block(text: string, indent: number): string {
  const margin = ' '.repeat(Math.max(indent, STEP));
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const chomping = text === body ? '-' : body.endsWith('\n') ? '+' : '';
  return `|${chomping}\n${body.replace(/^(?=.)/gm, margin)}`;
}

/** Characters that are escaped because a reader may reject them or a terminal interpret them. */
const unsafe = new RegExp(`${suspicious.source}|[\\ud800-\\udfff\\ufeff\\ufffe\\uffff]`, 'u');
const unsafeAll = new RegExp(unsafe.source, 'gu');

function quoted(text: string): string {
  if (text.includes('"') && !text.includes("'") && !unsafe.test(text)) return `'${text}'`;
  const json = JSON.stringify(text.toWellFormed());
  return replaceEach(json, unsafeAll, unicodeEscape);
}

/** Text that starts with, ends with or contains an indicator (YAML 1.2 section 7.3.3). */
const indicator = /^[\s,[\]{}#&*!|>'"%@`=]|^[?:-](?:\s|$)|^:|^---|^\.\.\.|:(?:\s|$)|\s#|\s$/;
/** Words, numbers and times in YAML 1.1, YAML 1.2 and common readers. */
const typed =
  /^(?:~|null|true|false|y|yes|n|no|on|off|<<|[-+]?\.(?:inf|nan)|[-+]?0[box][\da-f_]+|[-+]?[\d_,:]*(?:\.[\d_]*)?(?:e[-+]?\d+)?|\d{4}-\d\d?-\d\d?(?:[t \t].*)?)$/i;

function isPlain(text: string): boolean {
  return text !== '' && !unsafe.test(text) && !indicator.test(text) && !typed.test(text);
}
