/** Snippets of a project (section 4.8). */

import { encodedPath } from '../../../support/url.ts';
import { type Collection, collection, findRow } from '../../core/collection.ts';
import { type AreaHandlers, type Context, fileResponse, one } from '../../core/context.ts';
import { badRequest, HttpError, httpError, notFound } from '../../core/http-error.ts';
import { defined } from '../../core/lookup.ts';
import type { Hash } from '../../core/request/params.ts';
import type { User, Visibility } from '../../core/rows.ts';
import { cannotBeBlank, tooLong } from '../../core/validation.ts';
import { applyChanges, filesAt, filesOf, type Snippet, type SnippetFile, withFiles } from './snippet.ts';

const plain = 'text/plain; charset=utf-8';
const maxTitle = 255;

/** Return the files of a new snippet: from `files`, or else from the deprecated `file_name` and `content`. */
function firstFiles({ params }: Context): readonly SnippetFile[] {
  const files = params.list<Hash>('files') ?? [];
  const content = params.text('content');
  const single = { file_path: params.text('file_name') || 'snippetfile1.txt', content };
  const all: readonly Hash[] = files.length > 0 || content === undefined ? files : [single];
  return applyChanges(
    [],
    all.map((file) => ({ ...file, action: 'create' })),
  );
}

/** Return the files after an update: by `files`, or else by the deprecated `file_name` and `content`. */
function nextFiles({ params }: Context, row: Snippet): readonly SnippetFile[] {
  const files = filesOf(row);
  const changes = params.list<Hash>('files') ?? [];
  if (changes.length > 0) return applyChanges(files, changes);
  const content = params.text('content');
  const name = params.text('file_name');
  if (content === undefined && name === undefined) return files;
  if (files.length > 1)
    throw badRequest('To update snippets with multiple files, you must use the `files` parameter');
  const { path, content: text } = defined(files[0]);
  const action = name === undefined || name === path ? 'update' : 'move';
  return applyChanges(files, [
    { action, file_path: name ?? path, previous_path: path, content: content ?? text },
  ]);
}

const all: Collection<Snippet> = {
  table: 'snippets',
  order: '-id',
  visible: (ctx, { visibility, author_id }) => {
    const { user } = ctx;
    if (visibility === 'public' || ctx.hasRole('guest')) return true;
    return user !== undefined && (author_id === user.id || (visibility === 'internal' && !user.external));
  },
  view: (ctx, row) => {
    const web_url = `/${ctx.project.path_with_namespace}/-/snippets/${row.id}`;
    return {
      ...row,
      file_name: filesOf(row)[0]?.path,
      files: filesOf(row).map(({ path }) => ({ path, raw_url: `${web_url}/raw/main/${encodedPath(path)}` })),
      author: ctx.table<User>('users').get(row.author_id),
      imported: false,
      imported_from: 'none',
      web_url,
      raw_url: `${web_url}/raw`,
    };
  },
  permit: (ctx, row) => {
    if (row.author_id !== ctx.requireUser().id) ctx.requireRole('maintainer');
  },
  defaults: (ctx) => ({
    author_id: ctx.requireUser().id,
    description: '',
    visibility: 'private',
    user_agent: ctx.request.headers.get('user-agent') ?? '',
    ip_address: '127.0.0.1',
    antispam_submitted: ctx.spam !== 'off',
  }),
  changes: (ctx, row) => {
    const { params } = ctx;
    const title = params.text('title');
    const visibility = params.text('visibility') as Visibility | undefined;
    if (title?.trim() === '') throw badRequest({ title: cannotBeBlank });
    if ([...(title ?? '')].length > maxTitle) throw badRequest({ title: tooLong(maxTitle) });
    const files = row ? nextFiles(ctx, row) : firstFiles(ctx);
    checkSpam(ctx);
    return {
      ...(title === undefined ? {} : { title }),
      ...(visibility === undefined ? {} : { visibility }),
      ...(params.has('description') ? { description: params.text('description') ?? '' } : {}),
      versions: withFiles(row?.versions ?? [], files, ctx.time()),
    };
  },
};

export const snippets: AreaHandlers = {
  area: 'snippets',
  collection: collection(all),
  handlers: {
    raw: (ctx) => fileResponse(filesOf(findRow(ctx, all))[0]?.content ?? '', plain),

    'raw-file': (ctx) => {
      const files = filesAt(findRow(ctx, all), defined(ctx.slots.text('ref')));
      const file = files?.find(({ path }) => path === ctx.slots.text('file_path'));
      if (!file) throw notFound(files ? 'File' : 'Reference');
      return fileResponse(file.content, plain);
    },

    'user-agent': (ctx) => one(ctx, findRow(ctx, all)),
  },
};

/** Return a header such as `X-Service-Spam-Log-Id`. Clients send other vendor names in place of `Service`. */
function serviceHeader(headers: Headers, name: string): string | undefined {
  for (const [key, value] of headers)
    if (key.startsWith('x-') && key.endsWith(`-${name}`) && value) return value;
  return undefined;
}

/** @throws HttpError 400 if the sandbox rejects content, 409 if it demands a CAPTCHA and the request has no solution */
function checkSpam(ctx: Context): void {
  const { headers } = ctx.request;
  const error = 'Your content was recognized as spam and was discarded.';
  if (ctx.spam === 'off') return;
  if (ctx.spam === 'reject') throw httpError(400, { error });
  const logs = ctx.table('spam_logs');
  const log = logs.get(Number(serviceHeader(headers, 'spam-log-id')));
  if (log && log['user_id'] === ctx.requireUser().id && serviceHeader(headers, 'captcha-response')) {
    logs.remove(log);
    return;
  }
  const { id } = logs.insert({ user_id: ctx.requireUser().id, created_at: ctx.time() });
  throw new HttpError(409, {
    needs_captcha_response: true,
    spam_log_id: id,
    captcha_site_key: 'sandbox-captcha-site-key',
    message: { error: 'Your content was recognized as possible spam. Solve the CAPTCHA to proceed.' },
  });
}
