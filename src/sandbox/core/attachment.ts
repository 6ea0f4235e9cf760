/** Uploaded files: their names, media types and Markdown links. */
import type { Upload } from './request/params.ts';

const types: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['ico', 'image/x-icon'],
  ['svg', 'image/svg+xml'],
  ['pdf', 'application/pdf'],
  ['json', 'application/json'],
  ['txt', 'text/plain; charset=utf-8'],
  ['md', 'text/plain; charset=utf-8'],
]);

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Return the media type of an extension. The type that the client sent is ignored. */
export const mediaTypeOf = (name: string): string =>
  types.get(extensionOf(name)) ?? 'application/octet-stream';

const maxNameLength = 200;

/** Return the file name without folders, and without characters that have a meaning in paths, links or headers. */
export function safeName({ filename }: Upload): string {
  const last = filename.toWellFormed().replace(/^.*[\\/]/s, '');
  const clean = last.replace(/[^\p{L}\p{M}\p{N}_.+-]/gu, '_').replace(/^\.+/, '_');
  return [...clean].slice(-maxNameLength).join('') || '_';
}

/** Return Markdown that embeds an image, or links to any other file. */
export function markdownLink(name: string, url: string): { readonly alt: string; readonly markdown: string } {
  const isImage = mediaTypeOf(name).startsWith('image/');
  const alt = isImage ? name.replace(/\.[^.]+$/, '') : name;
  return { alt, markdown: `${isImage ? '!' : ''}[${alt}](${url})` };
}
