/** Files that were uploaded to a project (section 4.10). */
import { randomBytes } from 'node:crypto';
import { markdownLink, mediaTypeOf, safeName } from '../../core/attachment.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, ofProject, orNotFound } from '../../core/lookup.ts';
import { ordered } from '../../core/order.ts';
import type { Row, User } from '../../core/rows.ts';

export interface Upload extends Row {
  project_id: number;
  user_id: number;
  /** 32 hexadecimal digits. */
  secret: string;
  filename: string;
  size: number;
  created_at: string;
  /** Name among the stored files, or base64 for seeded uploads. */
  content: { readonly file: string } | { readonly base64: string };
}

const find = (ctx: RequestContext, test: (row: Upload) => boolean): Upload =>
  orNotFound(ofProject<Upload>(ctx, 'uploads').find(test), 'Upload');

const findById = (ctx: RequestContext): Upload => find(ctx, ({ id }) => id === ctx.slots.number('upload_id'));

function findBySecret(ctx: RequestContext): Upload {
  const [secret, filename] = [ctx.slots.text('secret'), ctx.slots.text('filename')];
  return find(ctx, (row) => row.secret === secret && row.filename === filename);
}

async function download(ctx: RequestContext, { content, filename }: Upload): Promise<Response> {
  const bytes = 'file' in content ? await ctx.files.get(content.file) : Buffer.from(content.base64, 'base64');
  return ctx.raw(orNotFound(bytes, 'Upload'), mediaTypeOf(filename), filename);
}

async function remove(ctx: RequestContext, row: Upload): Promise<Response> {
  ctx.remove('uploads', row);
  if ('file' in row.content) await ctx.files.remove(row.content.file);
  return ctx.noContent();
}

export const uploads = behaviors('uploads', {
  list: (ctx) => {
    const rows = ordered(ofProject<Upload>(ctx, 'uploads'), (row) => Date.parse(row.created_at), 'desc');
    return ctx.list(rows, {
      view: (row) => ({ ...row, uploaded_by: ctx.table<User>('users').get(row.user_id) ?? null }),
    });
  },

  get: (ctx) => download(ctx, findById(ctx)),

  'get-by-secret': (ctx) => download(ctx, findBySecret(ctx)),

  create: async (ctx) => {
    const sent = defined(ctx.params.file('file'));
    const filename = safeName(sent);
    const row = ctx.table<Upload>('uploads').insert({
      project_id: ctx.project.id,
      user_id: ctx.requireUser().id,
      secret: randomBytes(16).toString('hex'),
      filename,
      size: sent.bytes.byteLength,
      created_at: ctx.time(),
      content: { file: await ctx.files.put(sent.bytes) },
    });
    // Relative: texts of the project contain the URL in this form.
    const url = `/uploads/${row.secret}/${filename}`;
    const full_path = `/-/project/${ctx.project.id}${url}`;
    return ctx.json(201, { id: row.id, url, full_path, ...markdownLink(filename, url) });
  },

  delete: (ctx) => remove(ctx, findById(ctx)),

  'delete-by-secret': (ctx) => remove(ctx, findBySecret(ctx)),
});
