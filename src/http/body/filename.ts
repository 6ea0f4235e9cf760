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

/** `; name=value` and `; name="value"`. An unclosed quote extends to the end of the text. */
const parameter = /;\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/gs;

/** The parameters of a header. The first of several with the same name is used. */
function parameters(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, value = ''] of text.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? value.trim());
  }
  return found;
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
