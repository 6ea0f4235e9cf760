/** Mask secrets that a service repeats in a message or a URL. */
import { mask } from '../support/mask.ts';
import { isRecord } from '../support/record.ts';
import { unicodeEscape } from '../support/text/printable.ts';

/** Shorter secrets are not masked: they occur in too many other texts. */
const minLength = 4;
/** Shorter Base64 text occurs by chance. */
const minBase64Length = 6;

export type Redact = (text: string) => string;

/**
 * Return a function that masks these texts: unchanged or on one line, percent-encoded, escaped for JSON or HTML, and in Base64.
 * @param secrets values, not names; more may be added later
 */
export function redactor(secrets: readonly string[]): Redact {
  let known = 0;
  let forms: readonly string[] = [];
  return (text) => {
    if (known !== secrets.length) {
      const all = new Set(secrets.filter(({ length }) => length >= minLength).flatMap(formsOf));
      // A secret can contain another one.
      forms = [...all].sort((a, b) => b.length - a.length);
      known = secrets.length;
    }
    return forms.reduce((left, form) => left.replaceAll(form, mask), text);
  };
}

/** Mask every text in a JSON value, names included. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === mask ? mask : value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [redact(name), redactValue(item, redact)]);
  return Object.fromEntries(entries);
}

/** The entities of quotation marks and apostrophes, in the combinations that writers use. */
const quotes = ["&quot; '", '&quot; &#39;', '&quot; &#x27;', '&#34; &#39;'].map((pair) => pair.split(' '));

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (char) => percent(Buffer.from(char)));
  const urls = [component, strict, strict.replaceAll('%20', '+'), percent(bytes)];
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    ...[secret, secret.replace(/\s+/g, ' '), json, json.replaceAll('/', '\\/')],
    // Some writers of JSON escape all but ASCII, or the characters of HTML.
    ...[/[^ -~]/g, /[<>&]/g].map((escaped) => json.replace(escaped, unicodeEscape)),
    ...urls.flatMap((url) => [url, url.replace(/%../g, (code) => code.toLowerCase())]),
    ...quotes.map(([mark = '', apostrophe = '']) => html.replaceAll('"', mark).replaceAll("'", apostrophe)),
    ...[0, 1, 2].flatMap((before) => base64Inside(bytes, before)),
  ].filter((form) => form.trim().length >= minLength);
}

/** Every byte percent-encoded. */
const percent = (bytes: Buffer): string => bytes.toString('hex').toUpperCase().replace(/../g, '%$&');

/** The Base64 characters, in both alphabets, that depend only on these bytes. @param before number of preceding bytes modulo 3 */
function base64Inside(bytes: Buffer, before: number): string[] {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
  const code = whole.toString('base64').slice(from, to);
  return code.length < minBase64Length ? [] : [code, code.replaceAll('+', '-').replaceAll('/', '_')];
}
