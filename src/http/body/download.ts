/** Downloads to a path: written beside it, and renamed into place only when whole (interface.md section 7). */
import {
  constants,
  type FileHandle,
  link,
  lstat,
  open,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../errors.ts';
import { errnoText } from '../../support/errno.ts';
import { percentDecoded } from '../text.ts';
import { type Header, header, type Reply } from '../transport.ts';
import { vendorHeaders } from '../vendor.ts';
import { dispositionName, safeFileName } from './filename.ts';

export { multipartBody } from './multipart.ts';

export interface DownloadOptions {
  /** A file, a folder (existing, or ending with a slash), or a device such as `/dev/null`. */
  readonly path: string;
  /** May replace a file that is there. */
  readonly force: boolean;
  /** What was asked for: its last segment names the file in a folder where the service gives no name. */
  readonly url?: string;
  /** Told as bytes come, and how many there will be where that is known. */
  readonly progress?: (bytes: number, total: number | undefined) => void;
}

/**
 * Look at the place where a download shall go, before anything is sent.
 * @throws Failure `internal` where a file is there and `force` is not given, or the folder is not there
 */
export async function checkDestination(path: string, force: boolean): Promise<'file' | 'folder' | 'device'> {
  const stats = await stat(path).catch(missing(path));
  if (stats?.isDirectory()) return 'folder';
  if (/[/\\]$/.test(path)) throw new Failure('internal', `no such folder: ${path}`);
  if (stats && !stats.isFile()) return 'device';
  await checkVacant(path, force);
  const folder = await stat(dirname(path)).catch(missing(dirname(path)));
  if (!folder?.isDirectory()) throw new Failure('internal', `no such folder: ${dirname(path)}`);
  return 'file';
}

/**
 * Write an answer's body to a path, whole or not at all.
 * @returns the path that was written, and its bytes
 * @throws Failure `internal` for what this machine refuses, `broken` for a body that is not what its headers say, `network` for
 *   one that breaks off; no file is left behind
 */
export async function download(
  reply: Reply,
  options: DownloadOptions,
): Promise<{ readonly path: string; readonly bytes: number }> {
  try {
    const kind = await checkDestination(options.path, options.force);
    if (kind === 'device') {
      const handle = await open(options.path, 'w').catch(refused(options.path));
      return { path: options.path, bytes: await write(reply, handle, options.path, options) };
    }
    const path = kind === 'folder' ? join(options.path, nameFor(reply, options.url)) : options.path;
    await checkVacant(path, options.force);
    // A link stays a link: the file that it leads to is replaced. Not so for a name that the service chose.
    const target = kind === 'folder' ? path : await realpath(path).catch(() => path);
    return await writeBeside(reply, path, target, options);
  } catch (error) {
    await reply.discard();
    throw error;
  }
}

async function writeBeside(reply: Reply, path: string, target: string, options: DownloadOptions) {
  const old = await lstat(target).catch(() => undefined);
  const suffix = process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex');
  const temporary = join(dirname(target), `.${basename(target)}.${suffix}.part`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const handle = await open(temporary, flags, 0o666).catch(refused(dirname(target)));
  try {
    if (old?.isFile()) await handle.chmod(old.mode & 0o777).catch(() => {});
    const bytes = await write(reply, handle, path, options);
    await settle(temporary, target, options.force);
    return { path, bytes };
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** The body into an open file, checked against what the headers say, and safely on the disk. Closes the file. */
async function write(
  reply: Reply,
  handle: FileHandle,
  path: string,
  options: DownloadOptions,
): Promise<number> {
  const expected = expectation(reply.headers);
  const hash = expected.sha256 ? process.getBuiltinModule('node:crypto').createHash('sha256') : undefined;
  let bytes = 0;
  try {
    for await (const chunk of reply.body) {
      hash?.update(chunk);
      await writeAll(handle, chunk).catch(refused(path));
      bytes += chunk.length;
      options.progress?.(bytes, expected.length);
    }
    if (expected.length !== undefined && bytes !== expected.length) {
      throw damaged(reply, `${bytes} bytes came where ${expected.length} were announced`);
    }
    if (hash && hash.digest('hex') !== expected.sha256) {
      throw damaged(reply, 'its SHA-256 is not the one that the service gave');
    }
    await handle.sync().catch((error: NodeJS.ErrnoException) => {
      // A device or a pipe can't be synced.
      if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw local(path, error);
    });
  } finally {
    await handle.close();
  }
  return bytes;
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
}

/** What the headers say of the body. A length counts for an unencoded body only. */
function expectation(headers: readonly Header[]) {
  const length = header(headers, 'content-length');
  const sha256 = vendorHeaders(headers).get('content-sha256')?.trim().toLowerCase();
  const encoded = /\S/.test((header(headers, 'content-encoding') ?? '').replace(/identity/i, ''));
  return {
    length: !encoded && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
    sha256: sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined,
  };
}

/** Into place. Without `force` a file that appeared meanwhile is left as it is. */
async function settle(temporary: string, target: string, force: boolean): Promise<void> {
  if (!force) {
    try {
      await link(temporary, target);
      await unlink(temporary);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists(target);
      // Some file systems know no hard links: look again, then rename.
      await checkVacant(target, force);
    }
  }
  await rename(temporary, target).catch(refused(target));
}

/** The file's name in a folder: the service's, else the end of the URL. */
function nameFor(reply: Reply, url: string | undefined): string {
  const told =
    dispositionName(reply.headers) ?? safeFileName(vendorHeaders(reply.headers).get('file-name') ?? '');
  return told ?? safeFileName(lastSegment(url ?? reply.url)) ?? 'download';
}

const lastSegment = (url: string): string => percentDecoded(new URL(url).pathname.split('/').pop() ?? '');

async function checkVacant(path: string, force: boolean): Promise<void> {
  const there = await lstat(path).catch(missing(path));
  if (!there) return;
  if (there.isDirectory()) throw new Failure('internal', `${path} is a folder`);
  if (!force) throw exists(path);
}

function exists(path: string): Failure {
  return new Failure('internal', `${path} exists already`, { hint: '--force overwrites it' });
}

function damaged(reply: Reply, message: string): Failure {
  return new Failure('server_error', `the download is damaged: ${message}`, {
    exchange: { method: 'GET', url: reply.url, status: reply.status },
  });
}

/** An error of the file system as a Failure `local`, in plain words. */
function local(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('internal', `can't write ${path}: ${errnoText(error)}`, { cause: error });
}

const refused =
  (path: string) =>
  (error: unknown): never => {
    throw local(path, error);
  };

/** Nothing there is an answer, not an error. */
const missing =
  (path: string) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== 'ENOENT') throw local(path, error);
  };
