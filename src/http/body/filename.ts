/** A file name that a service gives, made harmless: it never leaves the chosen folder. */
import { utf8 } from '../text.ts';
import { type Header, header } from '../transport.ts';

/** Bytes that every usual file system takes for a name, with room for a temporary one beside it. */
const longest = 200;
/** Names that Windows keeps for devices, whatever their ending. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** Control characters, and those that turn the reading direction or can't be seen. */
const unseen = /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/**
 * The last part of a name, without what a file system or a terminal could take for something else. A dot in front becomes an
 * underscore, so that no service writes a shell's start-up file.
 * @returns undefined where nothing is left of it
 */
export function safeFileName(name: string): string | undefined {
  const last = name.toWellFormed().replace(unseen, '').split(/[/\\]/).pop() ?? '';
  const plain = withoutEnd(last.replace(/[<>:"|?*]/g, '_').trim()).replace(/^\.+/, '_');
  if (plain === '') return undefined;
  return shortened(device.test(plain) ? `_${plain}` : plain);
}

/** Cut in the middle, so that the ending stays, and never inside a character. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
  let stem = '';
  let room = longest - Buffer.byteLength(ending);
  for (const char of name.slice(0, name.length - ending.length)) {
    room -= Buffer.byteLength(char);
    if (room < 0) break;
    stem += char;
  }
  return withoutEnd(`${stem}${ending}`);
}

/** Without dots and white space at the end. A pattern would begin anew at each dot of a long run. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && /[.\s]/.test(name[end - 1]!)) end--;
  return name.slice(0, end);
}

/** The name in `Content-Disposition` (RFC 6266), made safe; `filename*` wins over `filename`. */
export function dispositionName(headers: readonly Header[]): string | undefined {
  const value = header(headers, 'content-disposition');
  if (value === undefined) return undefined;
  const params = parameters(value);
  const extended = extendedValue(params.get('filename*'));
  const given = extended ?? utf8(params.get('filename') ?? '');
  return safeFileName(given);
}

/** `; name=value` and `; name="value"`, in one pass over the text; the first of a name counts. */
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

/** A value that begins here, and where the text goes on behind it. A quote that is never closed holds the rest of the text. */
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
  const match = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value ?? '');
  if (!match) return undefined;
  const bytes = match[2]!.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return match[1]!.toLowerCase() === 'utf-8' ? utf8(bytes) : bytes;
}
