/** Lenient decoding of text in headers. */

/** Header text, given as Latin-1, decoded as UTF-8 if its bytes are UTF-8. Servers send file names this way. */
export function utf8(latin1: string): string {
  if (!/[\u0080-\u00ff]/.test(latin1)) return latin1;
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? latin1 : text;
}
