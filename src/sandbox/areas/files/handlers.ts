/** Files of a repository (section 4.4). */

import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { checkUnmodified } from '../../conditional.ts';
import {
  type AreaHandlers,
  type Context,
  fileResponse,
  type Handler,
  list,
  noContent,
  one,
} from '../../core/context.ts';
import { badRequest, invalidAt, notFound } from '../../core/http-error.ts';
import { defined } from '../../core/lookup.ts';
import { GitError } from '../../git/names.ts';
import type { FileContent } from '../../git/repository.ts';
import type { Action } from '../../git/writing.ts';
import stored from '../../seed/data/large.json' with { type: 'json' };
import { emitPush, openForReading, requirePush } from '../branches/protection.ts';

/** The files of Git LFS, compressed, by SHA-256. */
const largeFiles: ReadonlyMap<string, string> = new Map(Object.entries(stored));

/** Return the file of a Git LFS pointer; undefined for other content and unknown files. */
function largeFile(pointer: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(pointer.subarray(0, 1024)).toString('latin1');
  const [, oid = ''] =
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:(\w+)\n/.exec(text) ?? [];
  const content = largeFiles.get(oid);
  return content === undefined ? undefined : gunzipSync(Buffer.from(content, 'base64'));
}

interface Read {
  readonly file: FileContent;
  readonly path: string;
  readonly ref: string;
}

async function read(ctx: Context): Promise<Read> {
  const repository = await openForReading(ctx);
  const path = defined(ctx.slots.text('file_path'));
  const ref = ctx.params.text('ref') || ctx.project.default_branch;
  const file = await repository.readFile(ref, path);
  if (file) return { file, path, ref };
  throw notFound((await repository.resolve(ref)) ? 'File' : 'Commit');
}

async function readRaw(ctx: Context): Promise<Read> {
  const found = await read(ctx);
  const bytes = ctx.params.bool('lfs') ? largeFile(found.file.bytes) : undefined;
  if (!bytes) return found;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...found, file: { ...found.file, bytes, size: bytes.length, sha256 } };
}

function factsOf({ file, path, ref }: Read) {
  return {
    file_name: path.slice(path.lastIndexOf('/') + 1),
    file_path: path,
    size: file.size,
    encoding: 'base64',
    content_sha256: file.sha256,
    ref,
    blob_id: file.blobId,
    commit_id: file.commitId,
    last_commit_id: file.lastCommitId,
    execute_filemode: file.executable,
  };
}

/** Encode a header value: headers hold the bytes of UTF-8 and no control characters. */
const headerText = (value: unknown): string =>
  Buffer.from(String(value).replace(/[\x00-\x1f\x7f]/g, encodeURIComponent), 'utf8').toString('latin1');

function withHeaders(response: Response, found: Read): Response {
  for (const [name, value] of Object.entries(factsOf(found)))
    response.headers.set(`X-Service-${name.replaceAll('_', '-')}`, headerText(value));
  return response;
}

function rangeOf(ctx: Context): { start: number; end: number } | undefined {
  const { start, end } = ctx.params.hash('range') ?? {};
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  if (end < start) throw invalidAt(['range', 'start'], 'must not be greater than range[end]');
  return { start, end };
}

const headersOnly =
  (reader: (ctx: Context) => Promise<Read>): Handler =>
  async (ctx) =>
    withHeaders(new Response(null), await reader(ctx));

/** The error of every failed commit: the service gives no reason. */
const commitFailed = () => badRequest('Your changes could not be committed');

function contentOf(ctx: Context): Uint8Array {
  const content = ctx.params.text('content') ?? '';
  if (ctx.params.text('encoding') !== 'base64') return Buffer.from(content, 'utf8');
  const compact = content.replace(/\s+/g, '');
  const bytes = Buffer.from(compact, 'base64');
  const padded = bytes.toString('base64');
  if (compact !== padded && compact !== padded.replace(/={1,2}$/, '')) throw commitFailed();
  return bytes;
}

async function commit(
  ctx: Context,
  action: Action['action'],
): Promise<{ file_path: string; branch: string }> {
  const { params, project } = ctx;
  const user = ctx.requireUser();
  const path = defined(ctx.slots.text('file_path'));
  const text = (name: string) => params.text(name) ?? '';
  const [branch, message] = [text('branch'), text('commit_message')];
  const bytes = contentOf(ctx);
  const executable = params.bool('execute_filemode');
  requirePush(ctx, branch);
  if (message.trim() === '') throw commitFailed();
  const repository = await ctx.repository(project.id);
  if (action === 'delete') {
    const file = await repository.readFile(branch, path);
    checkUnmodified(ctx.request, file && (await repository.commit(file.lastCommitId))?.committed_date);
  }
  const before = (await repository.branch(branch))?.sha;
  try {
    const after = await repository.commitFile({
      branch,
      message,
      committer: { name: user.name, email: user.email },
      change: { action, path, bytes, ...(executable === undefined ? {} : { executable }) },
      time: new Date(ctx.now()),
      startBranch: text('start_branch'),
      authorName: text('author_name'),
      authorEmail: text('author_email'),
      expectLastCommitId: text('last_commit_id'),
    });
    await emitPush(ctx, repository, branch, before, after);
  } catch (error) {
    if (error instanceof GitError) throw commitFailed();
    throw error;
  }
  return { file_path: path, branch };
}

export const files: AreaHandlers = {
  area: 'files',
  handlers: {
    async get(ctx) {
      const found = await read(ctx);
      const content = Buffer.from(found.file.bytes).toString('base64');
      return withHeaders(await one(ctx, { ...factsOf(found), content }), found);
    },
    head: headersOnly(read),
    async raw(ctx) {
      const found = await readRaw(ctx);
      const { bytes } = found.file;
      const type = bytes.includes(0) ? 'application/octet-stream' : 'text/plain; charset=utf-8';
      return withHeaders(fileResponse(bytes, type), found);
    },
    'raw-head': headersOnly(readRaw),
    async blame(ctx) {
      const range = rangeOf(ctx);
      const found = await read(ctx);
      const repository = await ctx.repository(ctx.project.id);
      const ranges = await repository.blame(found.file.commitId, found.path, range);
      return withHeaders(await list(ctx, ranges ?? []), found);
    },
    'blame-head': (ctx) => {
      rangeOf(ctx);
      return headersOnly(read)(ctx);
    },
    create: async (ctx) => one(ctx, await commit(ctx, 'create')),
    update: async (ctx) => one(ctx, await commit(ctx, 'update')),
    async delete(ctx) {
      await commit(ctx, 'delete');
      return noContent();
    },
  },
};
