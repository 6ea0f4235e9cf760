/** A service may echo a token back, in a message or a URL: it is masked before anyone sees it. */
import { escapeSequences } from '../support/escape-sequences.ts';
import { mask } from '../support/mask.ts';

/** A shorter text stands in too many innocent places, and would be told by its very absence. */
const shortest = 4;
/** Characters. A longer secret is found as it is and in the forms of a URL or JSON, not in Base64 or upper case. */
const longest = 1 << 16;
/** Characters of Base64 or hexadecimal digits. Fewer occur by chance. */
const shortestCode = 6;

export type Redact = (text: string) => string;

/**
 * Make a function that masks these texts wherever they occur: unchanged, percent-encoded, escaped for JSON or HTML, on one line, in
 * another case, in Base64 or hexadecimal digits, or with characters in between that no terminal shows.
 * @param secrets values, not names
 */
export function redactor(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret.length >= shortest);
  const texts = known
    .flatMap((secret) => [
      secret,
      encoded(secret),
      JSON.stringify(secret).slice(1, -1),
      secret.replace(/\s+/g, ' '),
    ])
    .filter((text) => text.trim().length >= shortest)
    .sort((a, b) => b.length - a.length);
  const unique = [...new Set(texts)];
  const needles = new Set(known.filter(({ length }) => length <= longest).flatMap(needlesOf));
  return (text) => {
    const rest = unique.reduce((left, secret) => left.replaceAll(secret, mask), text);
    if (needles.size === 0) return rest;
    const looks = special.test(rest) ? disguises : disguises.slice(0, 1);
    return looks.reduce((left, disguise) => maskDisguised(left, disguise, needles), rest);
  };
}

/** The same for every text in a JSON value, names included. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
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

// To a regular expression a byte order mark is white space; on a terminal it is invisible.
const space = String.raw`(?!\ufeff)[\s+]`;
const hidden = String.raw`(?!(?!\ufeff)\s)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]`;
const spaces = new RegExp(`(?:${space})(?:${space}|${hidden})*`, 'gu');
/** What only a disguise begins with. */
const special = /[^!-$'-*,-[\]-~]/;
const startsWithSpace = new RegExp(String.raw`^(?:${space}|\\[nrtvf])`, 'u');
const invisible = new RegExp(`(?:${hidden})+`, 'gu');
/** Stretches of a text that stand for something else. */
const disguiseOf = (gone: string) =>
  new RegExp(
    [
      '(?:%[0-9a-fA-F]{2})+',
      String.raw`(?:\\u[0-9a-fA-F]{4})+`,
      String.raw`(?:${space}|\\[nrtvf])(?:${space}|\\[nrtvf]|${gone})*`,
      String.raw`\\["'\\/]`,
      '&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});',
      `(?:${gone})+`,
    ].join('|'),
    'gu',
  );
/** A terminal drops escape sequences; a program reads what they contain. */
const disguises = [disguiseOf(hidden), disguiseOf(`${escapeSequences.source}|${hidden}`)];

/** Text in one spelling: white space is a single space, and invisible characters are dropped. */
function shown(text: string): string {
  return text.replace(spaces, ' ').replace(invisible, '');
}

/** What a stretch stands for. */
const plain = (unit: string): string => shown(decoded(unit));

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(unit: string): string {
  if (unit[0] === '%') return Buffer.from(unit.replaceAll('%', ''), 'hex').toString('utf8');
  if (unit.startsWith('\\u'))
    return unit.replace(/\\u(.{4})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (startsWithSpace.test(unit)) return ' ';
  if (unit[0] === '\\') return unit.slice(1);
  if (unit[0] !== '&') return '';
  const name = unit.slice(1, -1).toLowerCase();
  const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return entities[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : '');
}

/** In lower case, where that keeps the place of every character. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The spellings to look for, as `maskDisguised` compares them. What looks encoded in a secret may be meant as it is. */
function needlesOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const codes = [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Inside(bytes, before))]
    .filter((code) => code.length >= shortestCode)
    .flatMap((code) => [code, code.replaceAll('+', '-').replaceAll('/', '_')]);
  return [secret, ...codes]
    .flatMap((text) => [text, ...disguises.map((disguise) => text.replace(disguise, decoded))])
    .map((text) => folded(shown(text)))
    .filter((text) => text.trim().length >= shortest);
}

/** The characters of Base64 that depend on these bytes alone, where so many bytes modulo 3 come before them. */
function base64Inside(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  return whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}

function maskDisguised(text: string, disguise: RegExp, needles: ReadonlySet<string>): string {
  const bare = folded(special.test(text) ? text.replace(disguise, plain) : text);
  const found = [...needles].filter((needle) => bare.includes(needle));
  if (found.length === 0) return text;
  const { starts, ends } = places(text, disguise);
  const ranges = found
    .flatMap((needle) => occurrences(bare, needle))
    .map(([from, to]) => [starts[from], ends[to - 1]] as [number, number])
    .sort(([a], [b]) => a - b);
  let masked = '';
  let at = 0;
  for (const [from, to] of ranges) {
    if (from >= at) masked += text.slice(at, from) + mask;
    at = Math.max(at, to);
  }
  return masked + text.slice(at);
}

/** Where each character of the plain text starts and ends in the original. */
function places(text: string, disguise: RegExp): { starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  const note = (from: number, to: number) => {
    starts.push(from);
    ends.push(to);
  };
  let at = 0;
  for (const { 0: unit, index } of text.matchAll(disguise)) {
    for (; at < index; at++) note(at, at + 1);
    at = index + unit.length;
    for (let left = plain(unit).length; left > 0; left--) note(index, at);
  }
  for (; at < text.length; at++) note(at, at + 1);
  return { starts, ends };
}

function occurrences(text: string, needle: string): [number, number][] {
  const found: [number, number][] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
    found.push([at, at + needle.length]);
  return found;
}
