/** The file names of responses. */
import { safeFileName } from '../../support/system/file-name.ts';
import { type Header, header, utf8 } from '../transport.ts';

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
