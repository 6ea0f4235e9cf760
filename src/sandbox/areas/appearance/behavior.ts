import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Upload } from '../../core/params.ts';
import type { Row } from '../../core/rows.ts';

const images = ['logo', 'header_logo', 'favicon', 'pwa_icon'] as const;
const types: Readonly<Record<string, readonly string[]>> = { favicon: ['png', 'ico'] };
const imageTypes = ['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp', 'bmp', 'tiff', 'ico'];
const colors = ['message_background_color', 'message_font_color'];

/** A name in the service's uploads, and where its bytes are kept. */
interface Image {
  readonly path: string;
  readonly file: string;
}

/** How the instance presents itself: one row. */
export interface Appearance extends Row {
  [attribute: string]: unknown;
  images: Readonly<Record<string, Image>>;
}

function current(ctx: RequestContext): Appearance {
  const table = ctx.table<Appearance>('appearance');
  return table.all()[0] ?? table.insert({ images: {} });
}

const paths = (row: Appearance) =>
  Object.fromEntries(images.map((name) => [name, row.images[name]?.path ?? null]));

const view = (row: Appearance): object => {
  const { id: _, images: __, ...words } = row;
  return { ...words, ...paths(row) };
};

function check(ctx: RequestContext): void {
  const errors: Record<string, string[]> = {};
  for (const name of colors) {
    const color = ctx.params.text(name);
    if (color && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) errors[name] = ['must be a valid color code'];
  }
  for (const name of images) {
    const upload = ctx.params.file(name);
    const allowed = types[name] ?? imageTypes;
    const type = upload?.filename.split('.').at(-1)?.toLowerCase() ?? '';
    if (upload && !allowed.includes(type)) {
      errors[name] = [`You are not allowed to upload "${type}" files, allowed types: ${allowed.join(', ')}`];
    } else if (upload && upload.bytes.byteLength === 0) errors[name] = ['is empty'];
  }
  if (Object.keys(errors).length > 0) throw ctx.badRequest(errors);
}

/** The name that a browser may send with a path, and what is no letter, digit, dot or dash of it. */
const nameOf = ({ filename }: Upload): string =>
  (filename.split(/[\\/]/).at(-1) as string).replace(/[^\w.-]/g, '_');

async function store(ctx: RequestContext, row: Appearance): Promise<Record<string, Image>> {
  const kept = { ...row.images };
  for (const name of images) {
    if (!ctx.params.has(name)) continue;
    const upload = ctx.params.file(name);
    const old = kept[name];
    if (old) await ctx.files.remove(old.file);
    delete kept[name];
    if (!upload) continue;
    const path = `/uploads/-/system/appearance/${name}/${row.id}/${nameOf(upload)}`;
    kept[name] = { path, file: await ctx.files.put(upload.bytes) };
  }
  return kept;
}

export const appearance = behaviors('appearance', {
  get: (ctx) => ctx.one(view(current(ctx))),

  update: async (ctx) => {
    check(ctx);
    const row = current(ctx);
    const given = Object.entries(ctx.params.values);
    const isImage = (name: string) => (images as readonly string[]).includes(name);
    const words = Object.fromEntries(
      given.filter(([name]) => !isImage(name)).map(([name, value]) => [name, value ?? '']),
    );
    ctx.table<Appearance>('appearance').update(row, { ...words, images: await store(ctx, row) });
    // Where pictures are all that was sent, their paths are all that is answered (section 4.14).
    const changed = given.map(([name]) => name);
    if (changed.length === 0 || !changed.every(isImage)) return ctx.one(view(row));
    return ctx.json(200, Object.fromEntries(changed.map((name) => [name, row.images[name]?.path ?? null])));
  },
});
