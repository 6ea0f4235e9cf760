/** The wiki of a group (section 4.6). */
import { randomBytes } from 'node:crypto';
import { wikiPage } from '../../../webhooks/payloads.ts';
import { markdownLink, mediaTypeOf, safeName } from '../../core/attachment.ts';
import { type Collection, collection, findRow, rowsOf } from '../../core/collection.ts';
import { type AreaHandlers, fileResponse, list, one } from '../../core/context.ts';
import { badRequest } from '../../core/http-error.ts';
import { defined, orNotFound, revisionAfter } from '../../core/lookup.ts';
import type { Row } from '../../core/rows.ts';
import { cannotBeBlank } from '../../core/validation.ts';
import { isRefName, isSafePath } from '../../git/names.ts';

interface Attachment extends Row {
  group_id: number;
  path: string;
  branch: string;
  file: string;
}

/** Convert a page to HTML. HTML in the text is escaped, and links with schemes such as `javascript:` are dropped. */
async function toHtml({ content, format }: PageState): Promise<string> {
  const { default: MarkdownIt } = await import('markdown-it');
  const markdown = new MarkdownIt();
  return format === 'markdown'
    ? markdown.render(content).trimEnd()
    : `<pre>${markdown.utils.escapeHtml(content)}</pre>`;
}

const pages: Collection<Page> = {
  table: 'wikis',
  title: 'Wiki Page',
  view: (_, page) => ({ ...latest(page), slug: page.slug, encoding: 'UTF-8' }),
  shows: ({ endpoint, params }, _, field) =>
    endpoint.returns.kind !== 'list' ||
    params.bool('with_content') === true ||
    !['content', 'encoding'].includes(field),
  changes: ({ params, time }, page) => {
    const before = page && latest(page);
    const state = {
      title: params.text('title')?.trim() ?? before?.title ?? '',
      content: params.text('content') ?? before?.content ?? '',
      format: params.text('format') ?? before?.format ?? 'markdown',
    };
    const { versions = [] } = page ?? {};
    const sha = revisionAfter(versions.at(-1)?.sha, state, time());
    return { slug: slugOf(state.title) ?? '', versions: [...versions, { ...state, sha }] };
  },
  check: (_, next) => {
    const { title, content } = latest(next);
    return {
      title: title === '' ? cannotBeBlank : slugOf(title) === undefined && ['is invalid'],
      content: content.trim() === '' && cannotBeBlank,
    };
  },
  unique: ['slug'],
  duplicate: () => badRequest({ base: ['Duplicate page: A page with that title already exists'] }),
  after: (ctx, action, page) =>
    ctx.emit({
      kind: 'wiki_page_events',
      group_id: page.group_id,
      user_id: ctx.requireUser().id,
      payload: (subject) => wikiPage(subject, { slug: page.slug, ...latest(page), action }),
    }),
};

export const wikis: AreaHandlers = {
  area: 'wikis',
  collection: collection(pages),
  handlers: {
    list: (ctx) => {
      const rows = rowsOf(ctx, pages).sort((a, b) => (a.slug < b.slug ? -1 : 1));
      return list(ctx, rows, pages);
    },

    get: async (ctx) => {
      const row = findRow(ctx, pages);
      const sha = ctx.params.text('version') || undefined;
      const version = sha === undefined ? latest(row) : row.versions.find((known) => known.sha === sha);
      const page = orNotFound(version, 'Wiki Page Version');
      const content = ctx.params.bool('render_html') ? await toHtml(page) : page.content;
      return one(ctx, { ...page, content, slug: row.slug, encoding: 'UTF-8' });
    },

    attach: async (ctx) => {
      const upload = defined(ctx.params.file('file'));
      const branch = ctx.params.text('branch') || 'main';
      if (!isRefName(branch)) throw badRequest({ branch: ['is invalid'] });
      const file_name = safeName(upload);
      const path = `uploads/${randomBytes(16).toString('hex')}/${file_name}`;
      ctx.table<Attachment>('wiki_attachments').insert({
        group_id: ctx.group.id,
        path,
        branch,
        file: await ctx.files.put(upload.bytes),
      });
      const { markdown } = markdownLink(file_name, path);
      return one(ctx, { file_name, file_path: path, branch, link: { url: path, markdown } });
    },
  },
  extras: [
    {
      route: 'GET /groups/:id/wikis/uploads/:secret/:filename',
      handler: async (ctx) => {
        const name = ctx.slots.text('filename') ?? '';
        const path = `uploads/${ctx.slots.text('secret')}/${name}`;
        const rows = ctx.table<Attachment>('wiki_attachments').where('group_id', ctx.group.id);
        const file = orNotFound(rows.find((row) => row.path === path)).file;
        return fileResponse(orNotFound(await ctx.files.get(file)), mediaTypeOf(name), name);
      },
    },
  ],
};

interface PageState {
  readonly title: string;
  readonly format: string;
  readonly content: string;
}

export interface Page extends Row {
  group_id: number;
  slug: string;
  versions: readonly (PageState & { readonly sha: string })[];
}

function slugOf(title: string): string | undefined {
  const slug = title
    .trim()
    .normalize('NFC')
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, '-'))
    .join('/');
  return isSafePath(slug) ? slug : undefined;
}

export const latest = (page: Pick<Page, 'versions'>) => defined(page.versions.at(-1));
