/** Snippets of a project (section 4.8). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Hash } from '../../core/params.ts';
import type { User, Visibility } from '../../core/rows.ts';
import { act, filesAt, filesOf, type Snippet, type SnippetFile, withFiles } from './snippet.ts';

const plain = 'text/plain; charset=utf-8';
const longestTitle = 255;

function maySee(ctx: RequestContext, row: Snippet): boolean {
  const { user } = ctx;
  if (row.visibility === 'public' || ctx.hasRole('guest')) return true;
  return (
    user !== undefined && (row.author_id === user.id || (row.visibility === 'internal' && !user.external))
  );
}

const visible = (ctx: RequestContext): Snippet[] =>
  ctx.table<Snippet>('snippets').filter((row) => row.project_id === ctx.project.id && maySee(ctx, row));

function meant(ctx: RequestContext): Snippet {
  const row = visible(ctx).find(({ id }) => id === ctx.slots.number('snippet_id'));
  if (!row) throw ctx.notFound('Snippet');
  return row;
}

/** One that the caller may change: its author, and Maintainers. @throws HttpError 403, 404 */
function own(ctx: RequestContext): Snippet {
  const row = meant(ctx);
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

/** Title, description and visibility, as far as the call gives them. @throws HttpError 400 */
function given(ctx: RequestContext): Partial<Omit<Snippet, 'id'>> {
  const { params } = ctx;
  const changes: Partial<Omit<Snippet, 'id'>> = {};
  const title = params.text('title');
  if (title !== undefined) {
    if (title.trim() === '') throw ctx.badRequest({ title: ["can't be blank"] });
    if ([...title].length > longestTitle) {
      throw ctx.badRequest({ title: [`is too long (maximum is ${longestTitle} characters)`] });
    }
    changes.title = title;
  }
  if (params.has('description')) changes.description = params.text('description') ?? '';
  if (params.text('visibility')) changes.visibility = params.text('visibility') as Visibility;
  return changes;
}

/** The files of a new snippet; of the deprecated `file_name` and `content` where the list of files is empty. */
function firstFiles(ctx: RequestContext): readonly SnippetFile[] {
  const files = ctx.params.rows('files') ?? [];
  const content = ctx.params.text('content');
  const old = { file_path: ctx.params.text('file_name') || 'snippetfile1.txt', content };
  const all: readonly Hash[] = files.length > 0 || content === undefined ? files : [old];
  return act(
    ctx,
    [],
    all.map((file) => ({ ...file, action: 'create' })),
  );
}

/** The files after a change; by the deprecated parameters where no list of changes is given. */
function nextFiles(ctx: RequestContext, row: Snippet): readonly SnippetFile[] {
  const files = filesOf(row);
  const changes = ctx.params.rows('files') ?? [];
  if (changes.length > 0) return act(ctx, files, changes);
  const content = ctx.params.text('content');
  const name = ctx.params.text('file_name');
  if (content === undefined && name === undefined) return files;
  if (files.length > 1)
    throw ctx.badRequest('To update snippets with multiple files, you must use the `files` parameter');
  const { path, content: text } = files[0] as SnippetFile;
  const action = name === undefined || name === path ? 'update' : 'move';
  return act(ctx, files, [
    { action, file_path: name ?? path, previous_path: path, content: content ?? text },
  ]);
}

export const snippets = behaviors('snippets', {
  /** The newest first. */
  list: (ctx) =>
    ctx.list(
      visible(ctx).sort((a, b) => b.id - a.id),
      { view: (row) => view(ctx, row) },
    ),

  get: (ctx) => ctx.one(view(ctx, meant(ctx))),

  create: (ctx) => {
    const settings = given(ctx);
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
    const row = own(ctx);
    const settings = given(ctx);
    const now = ctx.time();
    const versions = withFiles(row.versions, nextFiles(ctx, row), now);
    ctx.checkSpam();
    ctx.table<Snippet>('snippets').update(row, { ...settings, versions, updated_at: now });
    return ctx.one(view(ctx, row));
  },

  delete: (ctx) => {
    ctx.remove('snippets', own(ctx));
    return ctx.noContent();
  },

  raw: (ctx) => ctx.raw(filesOf(meant(ctx))[0]?.content ?? '', plain),

  'raw-file': (ctx) => {
    const files = filesAt(meant(ctx), ctx.slots.text('ref') as string);
    const file = files?.find(({ path }) => path === ctx.slots.text('file_path'));
    if (!file) throw ctx.notFound(files ? 'File' : 'Reference');
    return ctx.raw(file.content, plain);
  },

  'user-agent': (ctx) => ctx.one(meant(ctx)),
});
