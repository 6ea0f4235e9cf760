/** The wiki of a group (section 4.6). */
import { randomBytes } from 'node:crypto';
import { describe, safeName } from '../../core/attachment.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { toHtml } from '../../core/markup.ts';
import type { Upload } from '../../core/params.ts';
import { reshape, without } from '../../core/reshape.ts';
import type { Row } from '../../core/rows.ts';
import { isRefName } from '../../git/names.ts';
import { wikiPageEvent } from '../hooks/group-events.ts';
import { changed, latest, type Page, type PageState, slugOf } from './wiki.ts';

/** A file in the uploads folder of a wiki. */
interface Attachment extends Row {
  group_id: number;
  path: string;
  branch: string;
  /** Its name among the kept files. */
  file: string;
}

const defaultBranch = 'main';
const longestTitle = 245;

const view = ({ slug, versions }: Page): object => ({ ...latest({ versions }), slug, encoding: 'UTF-8' });

const pages = (ctx: RequestContext): Page[] =>
  ctx.table<Page>('wikis').filter(({ group_id }) => group_id === ctx.group.id);

function meant(ctx: RequestContext): Page {
  const row = pages(ctx).find(({ slug }) => slug === ctx.slots.text('slug'));
  if (!row) throw ctx.notFound('Wiki Page');
  return row;
}

/** What is to stand on a page, and where. @throws HttpError 400 */
function next(ctx: RequestContext, page?: Page): PageState & { readonly slug: string } {
  const before = page && latest(page);
  const title = ctx.params.text('title')?.trim() ?? before?.title ?? '';
  const content = ctx.params.text('content') ?? before?.content ?? '';
  const errors: Record<string, string[]> = {};
  const slug = slugOf(title);
  if (title === '') errors['title'] = ["can't be blank"];
  else if (slug === undefined) errors['title'] = ['is invalid'];
  else if (title.split('/').some((part) => Buffer.byteLength(part) > longestTitle)) {
    errors['title'] = [`is too long (maximum is ${longestTitle} characters)`];
  }
  if (content.trim() === '') errors['content'] = ["can't be blank"];
  if (slug === undefined || Object.keys(errors).length > 0) throw ctx.badRequest(errors);
  if (pages(ctx).some((other) => other !== page && other.slug === slug)) {
    throw ctx.badRequest({ base: ['Duplicate page: A page with that title already exists'] });
  }
  return { title, content, slug, format: ctx.params.text('format') ?? before?.format ?? 'markdown' };
}

export const wikis = behaviors('wikis', {
  list: async (ctx) => {
    const rows = pages(ctx).sort((a, b) => (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0));
    const answer = await ctx.list(rows, { view });
    if (ctx.params.bool('with_content')) return answer;
    return reshape(answer, (shown) => without(shown, ['content', 'encoding']));
  },

  get: (ctx) => {
    const row = meant(ctx);
    const sha = ctx.params.text('version') || undefined;
    const version = sha === undefined ? latest(row) : row.versions.find((known) => known.sha === sha);
    if (!version) throw ctx.notFound('Wiki Page Version');
    const { title, format, content } = version;
    const text = ctx.params.bool('render_html') ? toHtml(content, format) : content;
    return ctx.one({ title, format, content: text, slug: row.slug, encoding: 'UTF-8' });
  },

  create: (ctx) => {
    const { slug, ...state } = next(ctx);
    const row = { group_id: ctx.group.id, slug, ...changed({}, state, ctx.time()) };
    const page = ctx.table<Page>('wikis').insert(row);
    ctx.emit(wikiPageEvent(ctx, page, 'create'));
    return ctx.one(view(page));
  },

  update: (ctx) => {
    const page = meant(ctx);
    const { slug, ...state } = next(ctx, page);
    ctx.table<Page>('wikis').update(page, { slug, ...changed(page, state, ctx.time()) });
    ctx.emit(wikiPageEvent(ctx, page, 'update'));
    return ctx.one(view(page));
  },

  delete: (ctx) => {
    const page = meant(ctx);
    ctx.remove('wikis', page);
    ctx.emit(wikiPageEvent(ctx, page, 'delete'));
    return ctx.noContent();
  },

  attach: async (ctx) => {
    const upload = ctx.params.file('file') as Upload;
    const branch = ctx.params.text('branch') || defaultBranch;
    if (!isRefName(branch)) throw ctx.badRequest({ branch: ['is invalid'] });
    const file_name = safeName(upload);
    const path = `uploads/${randomBytes(16).toString('hex')}/${file_name}`;
    ctx.table<Attachment>('wiki_attachments').insert({
      group_id: ctx.group.id,
      path,
      branch,
      file: await ctx.files.put(upload.bytes),
    });
    const { markdown } = describe(file_name, path);
    return ctx.one({ file_name, file_path: path, branch, link: { url: path, markdown } });
  },
});
