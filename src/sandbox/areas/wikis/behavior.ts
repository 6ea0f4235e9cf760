/** The wiki of a group (section 4.6). */
import { randomBytes } from 'node:crypto';
import { markdownLink, safeName } from '../../core/attachment.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, orNotFound } from '../../core/lookup.ts';
import { toHtml } from '../../core/markup.ts';
import { reshape, without } from '../../core/reshape.ts';
import type { Row } from '../../core/rows.ts';
import { cannotBeBlank, type Messages, rejectInvalid, tooLong } from '../../core/validation.ts';
import { isRefName } from '../../git/names.ts';
import { wikiPageEvent } from '../hooks/group-events.ts';
import { latest, type Page, type PageState, slugOf, withVersion } from './wiki.ts';

/** A file in the uploads of a wiki. */
interface Attachment extends Row {
  group_id: number;
  path: string;
  branch: string;
  /** Name among the stored files. */
  file: string;
}

const defaultBranch = 'main';
const maxTitleBytes = 245;

const view = ({ slug, versions }: Page): object => ({ ...latest({ versions }), slug, encoding: 'UTF-8' });

const pagesOf = (ctx: RequestContext): Page[] =>
  ctx.table<Page>('wikis').filter(({ group_id }) => group_id === ctx.group.id);

const findPage = (ctx: RequestContext): Page =>
  orNotFound(
    pagesOf(ctx).find(({ slug }) => slug === ctx.slots.text('slug')),
    'Wiki Page',
  );

/** Return the content and slug of a page after the request. @throws HttpError 400 */
function nextState(ctx: RequestContext, page?: Page): PageState & { readonly slug: string } {
  const before = page && latest(page);
  const title = ctx.params.text('title')?.trim() ?? before?.title ?? '';
  const content = ctx.params.text('content') ?? before?.content ?? '';
  const errors: Messages = {};
  const slug = slugOf(title);
  if (title === '') errors['title'] = cannotBeBlank;
  else if (slug === undefined) errors['title'] = ['is invalid'];
  else if (title.split('/').some((part) => Buffer.byteLength(part) > maxTitleBytes))
    errors['title'] = tooLong(maxTitleBytes);
  if (content.trim() === '') errors['content'] = cannotBeBlank;
  rejectInvalid(errors);
  if (pagesOf(ctx).some((other) => other !== page && other.slug === slug)) {
    throw ctx.badRequest({ base: ['Duplicate page: A page with that title already exists'] });
  }
  return {
    title,
    content,
    slug: defined(slug),
    format: ctx.params.text('format') ?? before?.format ?? 'markdown',
  };
}

export const wikis = behaviors('wikis', {
  list: async (ctx) => {
    const rows = pagesOf(ctx).sort((a, b) => (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0));
    const response = await ctx.list(rows, { view });
    if (ctx.params.bool('with_content')) return response;
    return reshape(response, (shown) => without(shown, ['content', 'encoding']));
  },

  get: async (ctx) => {
    const row = findPage(ctx);
    const sha = ctx.params.text('version') || undefined;
    const version = sha === undefined ? latest(row) : row.versions.find((known) => known.sha === sha);
    const { title, format, content } = orNotFound(version, 'Wiki Page Version');
    const text = ctx.params.bool('render_html') ? await toHtml(content, format) : content;
    return ctx.one({ title, format, content: text, slug: row.slug, encoding: 'UTF-8' });
  },

  create: (ctx) => {
    const { slug, ...state } = nextState(ctx);
    const row = { group_id: ctx.group.id, slug, versions: withVersion([], state, ctx.time()) };
    const page = ctx.table<Page>('wikis').insert(row);
    ctx.emit(wikiPageEvent(ctx, page, 'create'));
    return ctx.one(view(page));
  },

  update: (ctx) => {
    const page = findPage(ctx);
    const { slug, ...state } = nextState(ctx, page);
    const versions = withVersion(page.versions, state, ctx.time());
    ctx.table<Page>('wikis').update(page, { slug, versions });
    ctx.emit(wikiPageEvent(ctx, page, 'update'));
    return ctx.one(view(page));
  },

  delete: (ctx) => {
    const page = findPage(ctx);
    ctx.remove('wikis', page);
    ctx.emit(wikiPageEvent(ctx, page, 'delete'));
    return ctx.noContent();
  },

  attach: async (ctx) => {
    const upload = defined(ctx.params.file('file'));
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
    const { markdown } = markdownLink(file_name, path);
    return ctx.one({ file_name, file_path: path, branch, link: { url: path, markdown } });
  },
});
