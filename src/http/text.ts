/** Text out of what HTTP carries it in, as it is meant where it is not as it should be. */

/** A header's text, given as Latin-1, whose bytes are UTF-8: file names are. Others stay as they are. */
export function utf8(latin1: string): string {
  if (!/[\u0080-\u00ff]/.test(latin1)) return latin1;
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? latin1 : text;
}

/** Without percent-encoding; as it is where a `%` begins none. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
