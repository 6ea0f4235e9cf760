/** Files that were uploaded to a project (section 4.10). */
import { randomBytes } from 'node:crypto';
import { markdownLink, mediaTypeOf, safeName } from '../../core/attachment.ts';
import { type Collection, collection, createRow, findRow } from '../../core/collection.ts';
import { type AreaHandlers, type Context, fileResponse, jsonResponse } from '../../core/context.ts';
import { defined, orNotFound } from '../../core/lookup.ts';
import type { Row, User } from '../../core/rows.ts';

export interface Upload extends Row {
  project_id: number;
  user_id: number;
  secret: string;
  filename: string;
  size: number;
  created_at: string;
  content: { readonly file: string } | { readonly base64: string };
}

const uploaded: Collection<Upload> = {
  table: 'uploads',
  order: '-created_at',
  view: (ctx, row) => ({ ...row, uploaded_by: ctx.table<User>('users').get(row.user_id) ?? null }),
  changes: async (ctx) => {
    const sent = defined(ctx.params.file('file'));
    return {
      user_id: ctx.requireUser().id,
      secret: randomBytes(16).toString('hex'),
      filename: safeName(sent),
      size: sent.bytes.byteLength,
      created_at: ctx.time(),
      content: { file: await ctx.files.put(sent.bytes) },
    };
  },
};

async function download(ctx: Context): Promise<Response> {
  const { content, filename } = findRow(ctx, uploaded);
  const bytes = 'file' in content ? await ctx.files.get(content.file) : Buffer.from(content.base64, 'base64');
  return fileResponse(orNotFound(bytes, 'Upload'), mediaTypeOf(filename), filename);
}

export const uploads: AreaHandlers = {
  area: 'uploads',
  collection: collection(uploaded),
  handlers: {
    get: download,
    'get-by-secret': download,
    create: async (ctx) => {
      const { id, secret, filename } = await createRow(ctx, uploaded);
      // Relative: texts of the project contain the URL in this form.
      const url = `/uploads/${secret}/${filename}`;
      const full_path = `/-/project/${ctx.project.id}${url}`;
      return jsonResponse(201, { id, url, full_path, ...markdownLink(filename, url) });
    },
  },
};
