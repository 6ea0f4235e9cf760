/** Mask secrets that a service repeats in a message or a URL. */

import { mask } from '../support/mask.ts';
import { escapeSequences } from '../support/text/escape-sequences.ts';

/** Shorter secrets are not masked: they occur in too many other texts. */
const minLength = 4;
/** Longer secrets are masked only unchanged and in the forms of a URL or JSON, not in Base64 or upper case. */
const maxLength = 1 << 16;
/** Shorter Base64 or hexadecimal text occurs by chance. */
const minEncodedLength = 6;

export type Redact = (text: string) => string;

/**
 * Return a function that masks these texts: unchanged, percent-encoded, escaped for JSON or HTML, on one line, in another case, in
 * Base64 or hexadecimal digits, or with invisible characters in between.
 * @param secrets values, not names; more may be added later
 */
export function redactor(secrets: readonly string[]): Redact {
  let known = -1;
  let redact: Redact;
  return (text) => {
    if (known !== secrets.length) redact = redactorOf(secrets);
    known = secrets.length;
    return redact(text);
  };
}

function redactorOf(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret.length >= minLength);
  const texts = known
    .flatMap((secret) => [
      secret,
      encoded(secret),
      JSON.stringify(secret).slice(1, -1),
      secret.replace(/\s+/g, ' '),
    ])
    .filter((text) => text.trim().length >= minLength)
    .sort((a, b) => b.length - a.length);
  const unique = [...new Set(texts)];
  const needles = new Set(known.filter(({ length }) => length <= maxLength).flatMap(needlesOf));
  return (text) => {
    const rest = unique.reduce((left, secret) => left.replaceAll(secret, mask), text);
    if (needles.size === 0) return rest;
    const looks = special.test(rest) ? [undisguised, ...usePatterns().disguises] : [undisguised];
    return looks.reduce((left, disguise) => maskDisguised(left, disguise, needles), rest);
  };
}

/** Mask every text in a JSON value, names included. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === mask ? mask : value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactValue(item, redact)]),
  );
}

function encoded(secret: string): string {
  return secret.isWellFormed() ? encodeURIComponent(secret) : secret;
}

// --- disguised secrets

// Regular expressions treat a byte order mark as white space; on a terminal it is invisible.
const space = String.raw`(?!\ufeff)[\s+]`;
const hidden = String.raw`(?!(?!\ufeff)\s)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]`;
/** A character that can start a disguised form. */
const special = /[^!-$'-*,-[\]-~]/;
/** Matches encoded or invisible sequences. */
const disguiseOf = (dropped: string) =>
  new RegExp(
    [
      '(?:%[0-9a-fA-F]{2})+',
      String.raw`(?:\\u[0-9a-fA-F]{4})+`,
      String.raw`(?:${space}|\\[nrtvf])(?:${space}|\\[nrtvf]|${dropped})*`,
      String.raw`\\["'\\/]`,
      '&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});',
      `(?:${dropped})+`,
    ].join('|'),
    'gu',
  );

/** Created on first use: V8 takes 2 ms for their classes of Unicode characters. */
let patterns: ReturnType<typeof createPatterns> | undefined;
function createPatterns() {
  return {
    spaces: new RegExp(`(?:${space})(?:${space}|${hidden})*`, 'gu'),
    startsWithSpace: new RegExp(String.raw`^(?:${space}|\\[nrtvf])`, 'u'),
    invisible: new RegExp(`(?:${hidden})+`, 'gu'),
    /** With and without escape sequences: a terminal drops them, a program may read their content. */
    disguises: [disguiseOf(hidden), disguiseOf(`${escapeSequences.source}|${hidden}`)],
  };
}
function usePatterns() {
  patterns ??= createPatterns();
  return patterns;
}

/** Matches nothing, for text that only differs in case: a secret may itself look encoded. */
const undisguised = /(?!)/gu;

/** Replace white space by single spaces and drop invisible characters. */
function shown(text: string): string {
  const { spaces, invisible } = usePatterns();
  return text.replace(spaces, ' ').replace(invisible, '');
}

/** The visible text of a matched sequence. */
const plain = (unit: string): string => shown(decoded(unit));

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(unit: string): string {
  if (unit[0] === '%') return Buffer.from(unit.replaceAll('%', ''), 'hex').toString('utf8');
  if (unit.startsWith('\\u'))
    return unit.replace(/\\u(.{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (usePatterns().startsWithSpace.test(unit)) return ' ';
  if (unit[0] === '\\') return unit.slice(1);
  if (unit[0] !== '&') return '';
  const name = unit.slice(1, -1).toLowerCase();
  const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return entities[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : '');
}

/** Text in lower case with the same length. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The forms of a secret that `maskDisguised` looks for. Text in a secret that looks encoded is also kept unchanged. */
function needlesOf(secret: string): string[] {
  const { disguises } = usePatterns();
  const bytes = Buffer.from(secret);
  const codes = [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Inside(bytes, before))]
    .filter((code) => code.length >= minEncodedLength)
    .flatMap((code) => [code, code.replaceAll('+', '-').replaceAll('/', '_')]);
  return [secret, ...codes]
    .flatMap((text) => [text, ...disguises.map((disguise) => text.replace(disguise, decoded))])
    .map((text) => folded(shown(text)))
    .filter((text) => text.trim().length >= minLength);
}

/** The Base64 characters that depend only on these bytes. @param before number of preceding bytes modulo 3 */
function base64Inside(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  return whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

function maskDisguised(text: string, disguise: RegExp, needles: ReadonlySet<string>): string {
  const bare = folded(special.test(text) ? text.replace(disguise, plain) : text);
  const found = [...needles].filter((needle) => bare.includes(needle));
  if (found.length === 0) return text;
  const { starts, ends } = positions(text, disguise);
  const ranges = found
    .flatMap((needle) => occurrences(bare, needle))
    .map(([from, to]) => [starts[from] ?? 0, ends[to - 1] ?? 0] as const)
    .sort(([a], [b]) => a - b);
  let masked = '';
  let at = 0;
  for (const [from, to] of ranges) {
    if (from >= at) masked += text.slice(at, from) + mask;
    at = Math.max(at, to);
  }
  return masked + text.slice(at);
}

/** The start and end in the original text of each character of the plain text. */
function positions(text: string, disguise: RegExp): { starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (from: number, to: number) => {
    starts.push(from);
    ends.push(to);
  };
  let at = 0;
  for (const { 0: unit, index } of text.matchAll(disguise)) {
    for (; at < index; at++) add(at, at + 1);
    at = index + unit.length;
    for (let left = plain(unit).length; left > 0; left--) add(index, at);
  }
  for (; at < text.length; at++) add(at, at + 1);
  return { starts, ends };
}

function occurrences(text: string, needle: string): [number, number][] {
  const found: [number, number][] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
    found.push([at, at + needle.length]);
  return found;
}
