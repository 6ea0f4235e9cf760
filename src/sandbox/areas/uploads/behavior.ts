/** Files behind the texts of a project (section 4.10). */
import { randomBytes } from 'node:crypto';
import { describe, mediaTypeOf, safeName } from '../../core/attachment.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { ordered } from '../../core/order.ts';
import type { Upload as Sent } from '../../core/params.ts';
import type { Row, User } from '../../core/rows.ts';

export interface Upload extends Row {
  project_id: number;
  user_id: number;
  /** 32 characters. */
  secret: string;
  filename: string;
  size: number;
  created_at: string;
  /** Its bytes: by their name among the kept files, or as base64 where it is seeded. */
  content: { readonly file: string } | { readonly base64: string };
}

function find(ctx: RequestContext, test: (row: Upload) => boolean): Upload {
  const row = ctx
    .table<Upload>('uploads')
    .find((candidate) => candidate.project_id === ctx.project.id && test(candidate));
  if (!row) throw ctx.notFound('Upload');
  return row;
}

const byId = (ctx: RequestContext): Upload => find(ctx, ({ id }) => id === ctx.slots.number('upload_id'));

function bySecret(ctx: RequestContext): Upload {
  const [secret, filename] = [ctx.slots.text('secret'), ctx.slots.text('filename')];
  return find(ctx, (row) => row.secret === secret && row.filename === filename);
}

async function download(ctx: RequestContext, { content, filename }: Upload): Promise<Response> {
  const bytes = 'file' in content ? await ctx.files.get(content.file) : Buffer.from(content.base64, 'base64');
  if (!bytes) throw ctx.notFound('Upload');
  return ctx.raw(bytes, mediaTypeOf(filename), filename);
}

async function remove(ctx: RequestContext, row: Upload): Promise<Response> {
  ctx.remove('uploads', row);
  if ('file' in row.content) await ctx.files.remove(row.content.file);
  return ctx.noContent();
}

export const uploads = behaviors('uploads', {
  list: (ctx) => {
    const all = ctx.table<Upload>('uploads').filter(({ project_id }) => project_id === ctx.project.id);
    const rows = ordered(all, (row) => Date.parse(row.created_at), 'desc');
    return ctx.list(rows, {
      view: (row) => ({ ...row, uploaded_by: ctx.table<User>('users').get(row.user_id) ?? null }),
    });
  },

  get: (ctx) => download(ctx, byId(ctx)),

  'get-by-secret': (ctx) => download(ctx, bySecret(ctx)),

  create: async (ctx) => {
    const sent = ctx.params.file('file') as Sent;
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
    // Not an address of the instance: a text of the project holds it as it is.
    const url = `/uploads/${row.secret}/${filename}`;
    const full_path = `/-/project/${ctx.project.id}${url}`;
    return ctx.json(201, { id: row.id, url, full_path, ...describe(filename, url) });
  },

  delete: (ctx) => remove(ctx, byId(ctx)),

  'delete-by-secret': (ctx) => remove(ctx, bySecret(ctx)),
});
