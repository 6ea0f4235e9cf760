/** The appearance of the instance (section 4.14). */
import { mediaTypeOf, safeName } from '../../core/attachment.ts';
import { type Collection, rowsOf, singleton } from '../../core/collection.ts';
import { type AreaHandlers, type Context, fileResponse } from '../../core/context.ts';
import { orNotFound } from '../../core/lookup.ts';
import type { Row } from '../../core/rows.ts';
import { invalidColor, isColor } from '../../core/validation.ts';

const colors = ['message_background_color', 'message_font_color'];
const images = ['logo', 'header_logo', 'favicon', 'pwa_icon'] as const;
interface Image {
  readonly path: string;
  /** Name among the stored files. */
  readonly file: string;
}

export interface Appearance extends Row {
  [attribute: string]: unknown;
  images: Readonly<Record<string, Image>>;
}

const isImage = (name: string): boolean => images.some((image) => image === name);

async function storeImages(ctx: Context, row: Appearance | undefined): Promise<Appearance['images']> {
  const stored = { ...row?.images };
  for (const name of images) {
    if (!ctx.params.has(name)) continue;
    const upload = ctx.params.file(name);
    delete stored[name];
    if (!upload) continue;
    const path = `/uploads/-/system/appearance/${name}/${row?.id ?? 1}/${safeName(upload)}`;
    stored[name] = { path, file: await ctx.files.put(upload.bytes) };
  }
  return stored;
}

const settings: Collection<Appearance> = {
  table: 'appearance',
  defaults: () => ({ images: {} }),
  changes: async (ctx, row) => {
    const texts = Object.entries(ctx.params.values).filter(([name]) => !isImage(name));
    return {
      ...Object.fromEntries(texts.map(([name, value]) => [name, value ?? ''])),
      images: await storeImages(ctx, row),
    };
  },
  check: (_, row) =>
    Object.fromEntries(colors.map((name) => [name, !isColor(String(row[name] || '#fff')) && invalidColor])),
  view: (_, row) => ({
    ...row,
    ...Object.fromEntries(images.map((name) => [name, row.images[name]?.path ?? null])),
  }),
  // If only images were sent, the response has only their paths (section 4.14).
  shows: ({ params }, _, field) => {
    const sent = Object.keys(params.values);
    return sent.length === 0 || !sent.every(isImage) || sent.includes(field);
  },
};

export const appearance: AreaHandlers = {
  area: 'appearance',
  collection: singleton(settings),
  extras: [
    {
      route: 'GET /application/appearance/:image/:filename',
      anonymous: true,
      handler: async (ctx) => {
        const name = ctx.slots.text('filename') ?? '';
        const image = rowsOf(ctx, settings)[0]?.images[ctx.slots.text('image') ?? ''];
        const bytes = image?.path.endsWith(`/${name}`) ? await ctx.files.get(image.file) : undefined;
        return fileResponse(orNotFound(bytes), mediaTypeOf(name), name);
      },
    },
  ],
};
