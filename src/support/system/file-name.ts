/** Make file names from a service safe, so that a file stays in the chosen folder on every system. */

/** A length in bytes that common file systems support, with room for the suffix of a temporary file. */
const maxBytes = 200;
/** Names that Windows reserves for devices, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** Control characters, invisible characters and those that change the reading direction. */
const invisible = /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/**
 * Return the last segment of a name without characters that are special to a file system or a terminal. A leading dot becomes an
 * underscore, so that a service cannot write the startup file of a shell.
 * @param hidden keep a leading dot, in a folder that no program reads by itself
 * @returns undefined if no character is left
 */
export function safeFileName(name: string, hidden = false): string | undefined {
  const last = name.toWellFormed().replace(invisible, '').split(/[/\\]/).pop() ?? '';
  const plain = trimEnd(last.replace(/[<>:"|?*]/g, '_').trim()).replace(/^\.+/, hidden ? '.' : '_');
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

/** Remove trailing dots and white space. Without the condition before them, this would take quadratic time. */
const trimEnd = (name: string): string => name.replace(/(?<![.\s])[.\s]+$/, '');
