/** The appearance of the instance (section 4.14). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Upload } from '../../core/request/params.ts';
import type { Row } from '../../core/rows.ts';
import { invalidColor, isColor, type Messages, rejectInvalid } from '../../core/validation.ts';

const images = ['logo', 'header_logo', 'favicon', 'pwa_icon'] as const;
const faviconTypes = ['png', 'ico'];
const imageTypes = ['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp', 'bmp', 'tiff', 'ico'];
const colors = ['message_background_color', 'message_font_color'];

interface Image {
  /** Path in the uploads of the service. */
  readonly path: string;
  /** Name among the stored files. */
  readonly file: string;
}

/** The only row of its table. */
export interface Appearance extends Row {
  [attribute: string]: unknown;
  images: Readonly<Record<string, Image>>;
}

const isImage = (name: string): boolean => images.some((image) => image === name);

function current(ctx: RequestContext): Appearance {
  const table = ctx.table<Appearance>('appearance');
  return table.all()[0] ?? table.insert({ images: {} });
}

const pathsOf = (row: Appearance, names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, row.images[name]?.path ?? null]));

const view = (row: Appearance): object => {
  const { id: _, images: __, ...texts } = row;
  return { ...texts, ...pathsOf(row, images) };
};

function check(ctx: RequestContext): void {
  const errors: Messages = {};
  for (const name of colors) {
    const color = ctx.params.text(name);
    if (color && !isColor(color)) errors[name] = invalidColor;
  }
  for (const name of images) {
    const upload = ctx.params.file(name);
    const allowed = name === 'favicon' ? faviconTypes : imageTypes;
    const type = upload?.filename.split('.').at(-1)?.toLowerCase() ?? '';
    if (upload && !allowed.includes(type)) {
      errors[name] = [`You are not allowed to upload "${type}" files, allowed types: ${allowed.join(', ')}`];
    } else if (upload && upload.bytes.byteLength === 0) errors[name] = ['is empty'];
  }
  rejectInvalid(errors);
}

/** Return the file name without folders and unusual characters. */
const nameOf = ({ filename }: Upload): string => filename.replace(/^.*[\\/]/s, '').replace(/[^\w.-]/g, '_');

async function storeImages(ctx: RequestContext, row: Appearance): Promise<Record<string, Image>> {
  const stored = { ...row.images };
  for (const name of images) {
    if (!ctx.params.has(name)) continue;
    const upload = ctx.params.file(name);
    const old = stored[name];
    if (old) await ctx.files.remove(old.file);
    delete stored[name];
    if (!upload) continue;
    const path = `/uploads/-/system/appearance/${name}/${row.id}/${nameOf(upload)}`;
    stored[name] = { path, file: await ctx.files.put(upload.bytes) };
  }
  return stored;
}

export const appearance = behaviors('appearance', {
  get: (ctx) => ctx.one(view(current(ctx))),

  update: async (ctx) => {
    check(ctx);
    const row = current(ctx);
    const given = Object.entries(ctx.params.values);
    const texts = Object.fromEntries(
      given.filter(([name]) => !isImage(name)).map(([name, value]) => [name, value ?? '']),
    );
    ctx.table<Appearance>('appearance').update(row, { ...texts, images: await storeImages(ctx, row) });
    // If only images were sent, the response has only their paths (section 4.14).
    const changed = given.map(([name]) => name);
    if (changed.length === 0 || !changed.every(isImage)) return ctx.one(view(row));
    return ctx.json(200, pathsOf(row, changed));
  },
});
