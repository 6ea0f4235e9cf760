/** Files that people hand in: how they may be called, what they are, and the Markdown that shows them. */
import type { Upload } from './params.ts';

/** A map, since an ending may be any word: `constructor` too. */
const types: ReadonlyMap<string, string> = new Map(
  Object.entries({
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    bmp: 'image/bmp',
    ico: 'image/x-icon',
    svg: 'image/svg+xml',
    tiff: 'image/tiff',
    pdf: 'application/pdf',
    zip: 'application/zip',
    json: 'application/json',
    csv: 'text/csv; charset=utf-8',
    txt: 'text/plain; charset=utf-8',
    md: 'text/plain; charset=utf-8',
    log: 'text/plain; charset=utf-8',
    mp4: 'video/mp4',
  }),
);

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** The media type, told by the name: what the sender says of a file is not believed. */
export const mediaTypeOf = (name: string): string =>
  types.get(extensionOf(name)) ?? 'application/octet-stream';

/** The most characters of a name that is kept. */
const longest = 200;

/** The last part of the name that came, without what a path, a link or a header could take for its own. */
export function safeName({ filename }: Upload): string {
  const last = filename.toWellFormed().split(/[\\/]/).at(-1) as string;
  const clean = last.replace(/[^\p{L}\p{M}\p{N}_.+-]/gu, '_').replace(/^\.+/, '_');
  return [...clean].slice(-longest).join('') || '_';
}

/** A picture is shown, and its text is its name without the ending; any other file is linked to. */
export function describe(name: string, url: string): { readonly alt: string; readonly markdown: string } {
  const isImage = mediaTypeOf(name).startsWith('image/');
  const alt = isImage ? name.replace(/\.[^.]+$/, '') : name;
  return { alt, markdown: `${isImage ? '!' : ''}[${alt}](${url})` };
}
