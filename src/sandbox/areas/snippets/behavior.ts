/** Snippets of a project (section 4.8). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, findById, ofProject } from '../../core/lookup.ts';
import type { Hash } from '../../core/request/params.ts';
import type { User, Visibility } from '../../core/rows.ts';
import { cannotBeBlank, oneOf, tooLong } from '../../core/validation.ts';
import { applyChanges, filesAt, filesOf, type Snippet, type SnippetFile, withFiles } from './snippet.ts';

const plain = 'text/plain; charset=utf-8';
const maxTitle = 255;
const visibilities: readonly Visibility[] = ['private', 'internal', 'public'];

function canSee(ctx: RequestContext, row: Snippet): boolean {
  const { user } = ctx;
  if (row.visibility === 'public' || ctx.hasRole('guest')) return true;
  return (
    user !== undefined && (row.author_id === user.id || (row.visibility === 'internal' && !user.external))
  );
}

const visibleSnippets = (ctx: RequestContext): Snippet[] =>
  ofProject<Snippet>(ctx, 'snippets').filter((row) => canSee(ctx, row));

const findSnippet = (ctx: RequestContext): Snippet =>
  findById(ctx, visibleSnippets(ctx), 'snippet_id', 'Snippet');

/** Return the snippet if the caller is its author or a Maintainer. @throws HttpError 403, 404 */
function findEditable(ctx: RequestContext): Snippet {
  const row = findSnippet(ctx);
  if (row.author_id !== ctx.requireUser().id) ctx.requireRole('maintainer');
  return row;
}

function view(ctx: RequestContext, row: Snippet): object {
  const web_url = `/${ctx.project.path_with_namespace}/-/snippets/${row.id}`;
  return {
    ...row,
    file_name: filesOf(row)[0]?.path,
    author: ctx.table<User>('users').get(row.author_id),
    imported: false,
    imported_from: 'none',
    web_url,
    raw_url: `${web_url}/raw`,
  };
}

/** Return the title, description and visibility that the request sets. @throws HttpError 400 */
function settingsFrom(ctx: RequestContext): Partial<Omit<Snippet, 'id'>> {
  const { params } = ctx;
  const changes: Partial<Omit<Snippet, 'id'>> = {};
  const title = params.text('title');
  if (title !== undefined) {
    if (title.trim() === '') throw ctx.badRequest({ title: cannotBeBlank });
    if ([...title].length > maxTitle) throw ctx.badRequest({ title: tooLong(maxTitle) });
    changes.title = title;
  }
  if (params.has('description')) changes.description = params.text('description') ?? '';
  const visibility = oneOf(visibilities, params.text('visibility'));
  if (visibility) changes.visibility = visibility;
  return changes;
}

/** Return the files of a new snippet: from `files`, or else from the deprecated `file_name` and `content`. */
function firstFiles(ctx: RequestContext): readonly SnippetFile[] {
  const files = ctx.params.rows('files') ?? [];
  const content = ctx.params.text('content');
  const single = { file_path: ctx.params.text('file_name') || 'snippetfile1.txt', content };
  const all: readonly Hash[] = files.length > 0 || content === undefined ? files : [single];
  return applyChanges(
    ctx,
    [],
    all.map((file) => ({ ...file, action: 'create' })),
  );
}

/** Return the files after an update: by `files`, or else by the deprecated `file_name` and `content`. */
function nextFiles(ctx: RequestContext, row: Snippet): readonly SnippetFile[] {
  const files = filesOf(row);
  const changes = ctx.params.rows('files') ?? [];
  if (changes.length > 0) return applyChanges(ctx, files, changes);
  const content = ctx.params.text('content');
  const name = ctx.params.text('file_name');
  if (content === undefined && name === undefined) return files;
  if (files.length > 1)
    throw ctx.badRequest('To update snippets with multiple files, you must use the `files` parameter');
  const { path, content: text } = defined(files[0]);
  const action = name === undefined || name === path ? 'update' : 'move';
  return applyChanges(ctx, files, [
    { action, file_path: name ?? path, previous_path: path, content: content ?? text },
  ]);
}

export const snippets = behaviors('snippets', {
  list: (ctx) =>
    ctx.list(
      visibleSnippets(ctx).sort((a, b) => b.id - a.id),
      { view: (row) => view(ctx, row) },
    ),

  get: (ctx) => ctx.one(view(ctx, findSnippet(ctx))),

  create: (ctx) => {
    const settings = settingsFrom(ctx);
    const files = firstFiles(ctx);
    ctx.checkSpam();
    const now = ctx.time();
    const row = ctx.table<Snippet>('snippets').insert({
      project_id: ctx.project.id,
      author_id: ctx.requireUser().id,
      title: '',
      description: '',
      visibility: 'private',
      created_at: now,
      updated_at: now,
      versions: withFiles([], files, now),
      user_agent: ctx.request.headers.get('user-agent') ?? '',
      ip_address: '127.0.0.1',
      antispam_submitted: ctx.spam !== 'off',
      ...settings,
    });
    return ctx.one(view(ctx, row));
  },

  update: (ctx) => {
    const row = findEditable(ctx);
    const settings = settingsFrom(ctx);
    const now = ctx.time();
    const versions = withFiles(row.versions, nextFiles(ctx, row), now);
    ctx.checkSpam();
    ctx.table<Snippet>('snippets').update(row, { ...settings, versions, updated_at: now });
    return ctx.one(view(ctx, row));
  },

  delete: (ctx) => {
    ctx.remove('snippets', findEditable(ctx));
    return ctx.noContent();
  },

  raw: (ctx) => ctx.raw(filesOf(findSnippet(ctx))[0]?.content ?? '', plain),

  'raw-file': (ctx) => {
    const files = filesAt(findSnippet(ctx), defined(ctx.slots.text('ref')));
    const file = files?.find(({ path }) => path === ctx.slots.text('file_path'));
    if (!file) throw ctx.notFound(files ? 'File' : 'Reference');
    return ctx.raw(file.content, plain);
  },

  'user-agent': (ctx) => ctx.one(findSnippet(ctx)),
});
