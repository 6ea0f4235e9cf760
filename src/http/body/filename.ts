/** Make file names from a service safe, so that a download stays in the chosen folder. */
import { utf8 } from '../text.ts';
import { type Header, header } from '../transport.ts';

/** A length in bytes that common file systems support, with room for the suffix of a temporary file. */
const maxBytes = 200;
/** Names that Windows reserves for devices, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** Control characters, invisible characters and those that change the reading direction. */
const invisible = /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/**
 * Return the last segment of a name without characters that are special to a file system or a terminal. A leading dot becomes an
 * underscore, so that a service cannot write the startup file of a shell.
 * @returns undefined if no character is left
 */
export function safeFileName(name: string): string | undefined {
  const last = name.toWellFormed().replace(invisible, '').split(/[/\\]/).pop() ?? '';
  const plain = trimEnd(last.replace(/[<>:"|?*]/g, '_').trim()).replace(/^\.+/, '_');
  if (plain === '') return undefined;
  return shortened(device.test(plain) ? `_${plain}` : plain);
}

/** Shorten a name between characters and keep its extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
  let stem = '';
  let room = maxBytes - Buffer.byteLength(extension);
  for (const char of name.slice(0, name.length - extension.length)) {
    room -= Buffer.byteLength(char);
    if (room < 0) break;
    stem += char;
  }
  return trimEnd(`${stem}${extension}`);
}

/** Remove trailing dots and white space. A regular expression would take quadratic time. */
function trimEnd(name: string): string {
  let end = name.length;
  while (end > 0 && /[.\s]/.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** Return the safe file name of `Content-Disposition` (RFC 6266). `filename*` takes precedence over `filename`. */
export function dispositionName(headers: readonly Header[]): string | undefined {
  const value = header(headers, 'content-disposition');
  if (value === undefined) return undefined;
  const params = parameters(value);
  const extended = extendedValue(params.get('filename*'));
  const name = extended ?? utf8(params.get('filename') ?? '');
  return safeFileName(name);
}

/** Parse `; name=value` and `; name="value"` in one pass. The first of several with the same name is used. */
function parameters(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const start = /;\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*/y;
  for (let at = text.indexOf(';'); at >= 0; at = text.indexOf(';', at)) {
    start.lastIndex = at;
    const name = start.exec(text)?.[1]?.toLowerCase();
    if (name === undefined) {
      at++;
      continue;
    }
    const { value, end } = valueAt(text, start.lastIndex);
    if (!found.has(name)) found.set(name, value);
    at = end;
  }
  return found;
}

/** The value at an index, and the index after it. An unclosed quote extends to the end of the text. */
function valueAt(text: string, from: number): { readonly value: string; readonly end: number } {
  if (text[from] !== '"') {
    const next = text.indexOf(';', from);
    const end = next < 0 ? text.length : next;
    return { value: text.slice(from, end).trim(), end };
  }
  let end = from + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return { value: text.slice(from + 1, end).replace(/\\(.)/g, '$1'), end: Math.min(end + 1, text.length) };
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187). */
function extendedValue(value: string | undefined): string | undefined {
  const [, charset, encoded] = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value ?? '') ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return charset.toLowerCase() === 'utf-8' ? utf8(bytes) : bytes;
}
