/** Download to a temporary file, which is renamed when it is complete. */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../errors.ts';
import { renameFile, replaceFile } from '../../support/atomic-write.ts';
import { errnoText, UnsuitableFile } from '../../support/errno.ts';
import { safeFileName } from '../../support/system/file-name.ts';
import { isStream, placeNew } from '../../support/system/user-file.ts';
import { percentDecoded } from '../../support/url.ts';
import { type Header, header, headerParameters, type Reply, utf8 } from '../transport.ts';
import { vendorHeaders } from '../vendor.ts';

/** The destination of a download. */
export interface DownloadFile {
  /** A file, a folder (existing, or with a trailing slash), or a device such as `/dev/null`. */
  readonly path: string;
  /** Replace an existing file. */
  readonly force: boolean;
}

/**
 * Check the destination of a download before anything is sent.
 * @throws Failure `internal` if the file exists and `force` is not set, or if the folder does not exist
 */
export async function checkDestination(path: string, force: boolean): Promise<'file' | 'folder' | 'device'> {
  const stats = await stat(path).catch(ifMissing(path));
  if (stats?.isDirectory()) return 'folder';
  if (/[/\\]$/.test(path)) throw new Failure('internal', `no such folder: ${path}`);
  if (stats && isStream(path)) return 'device';
  await checkVacant(path, force);
  if (stats && !stats.isFile()) return 'device';
  const folder = await stat(dirname(path)).catch(ifMissing(dirname(path)));
  if (!folder?.isDirectory()) throw new Failure('internal', `no such folder: ${dirname(path)}`);
  return 'file';
}

/**
 * Write the body of a response to a path, completely or not at all.
 * @returns the path and the number of bytes written
 * @throws Failure `internal` for errors of the file system, `server_error` for a body that does not match its headers, `network` for an
 *   interrupted body
 */
export async function download(
  reply: Reply,
  options: DownloadFile,
): Promise<{ readonly path: string; readonly bytes: number }> {
  try {
    const kind = await checkDestination(options.path, options.force);
    if (kind === 'device') {
      // Standard output can be a file with content.
      const handle = await open(options.path, 'a').catch(failWith(options.path));
      try {
        return { path: options.path, bytes: await write(reply, handle, options.path) };
      } finally {
        await handle.close();
      }
    }
    const path = kind === 'folder' ? join(options.path, nameFor(reply)) : options.path;
    await checkVacant(path, options.force);
    // Replace the target of a symbolic link, but not if the service chose the name.
    const target = kind === 'folder' ? path : await realpath(path).catch(() => path);
    return await writeTemporary(reply, path, target, options);
  } catch (error) {
    await reply.discard();
    throw error;
  }
}

async function writeTemporary(reply: Reply, path: string, target: string, { force }: DownloadFile) {
  const old = await lstat(target).catch(() => undefined);
  const suffix = randomBytes(6).toString('hex');
  const fill = async (handle: FileHandle) => {
    if (old?.isFile()) await handle.chmod(old.mode & 0o777).catch(() => {});
    return { path, bytes: await write(reply, handle, path) };
  };
  return replaceFile(target, fill, {
    draft: join(dirname(target), `.${basename(target)}.${suffix}.part`),
    mode: 0o666,
    // Without `force`, a file created in the meantime is not overwritten.
    place: (draft) => (force ? renameFile : placeNew)(draft, target).catch(failWith(target)),
  }).catch((error: unknown) => {
    const isCreating = error instanceof Error && 'syscall' in error && error.syscall === 'open';
    throw isCreating ? writeFailure(dirname(target), error) : error;
  });
}

/** The body of a response. @throws Failure `server_error` at its end if its length or SHA-256 is not that of the headers */
export async function* verified(reply: Reply): AsyncGenerator<Uint8Array> {
  const expected = expectedBody(reply.headers);
  // The hash is that of the whole file.
  const hash = expected.sha256 && reply.status !== 206 ? createHash('sha256') : undefined;
  let bytes = 0;
  for await (const chunk of reply.body) {
    hash?.update(chunk);
    yield chunk;
    bytes += chunk.length;
  }
  if (expected.length !== undefined && bytes !== expected.length) {
    throw damaged(reply, `received ${bytes} of ${expected.length} bytes`);
  }
  if (hash && hash.digest('hex') !== expected.sha256) {
    throw damaged(reply, 'its SHA-256 differs from the one in the response headers');
  }
}

async function write(reply: Reply, handle: FileHandle, path: string): Promise<number> {
  let bytes = 0;
  for await (const chunk of verified(reply)) {
    await handle.appendFile(chunk).catch(failWith(path));
    bytes += chunk.length;
  }
  await handle.sync().catch((error: NodeJS.ErrnoException) => {
    // Devices and pipes do not support sync.
    if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw writeFailure(path, error);
  });
  return bytes;
}

/** The length and hash of the body according to the headers. The length of an encoded body is ignored. */
function expectedBody(headers: readonly Header[]) {
  const length = header(headers, 'content-length');
  const sha256 = vendorHeaders(headers).get('content-sha256')?.trim().toLowerCase();
  const encoded = /\S/.test((header(headers, 'content-encoding') ?? '').replace(/identity/i, ''));
  return {
    length: !encoded && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
    sha256: sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined,
  };
}

/** The file name in a folder: from the response headers, else the last segment of the URL. */
function nameFor(reply: Reply): string {
  const name =
    dispositionName(reply.headers) ?? safeFileName(vendorHeaders(reply.headers).get('file-name') ?? '');
  return name ?? safeFileName(lastSegment(reply.url)) ?? 'download';
}

const lastSegment = (url: string): string => percentDecoded(new URL(url).pathname.split('/').pop() ?? '');

async function checkVacant(path: string, force: boolean): Promise<void> {
  const stats = await lstat(path).catch(ifMissing(path));
  if (!stats) return;
  if (stats.isDirectory()) throw new Failure('internal', `${path} is a folder`);
  if (!force) throw exists(path);
}

function exists(path: string): Failure {
  return new Failure('internal', `${path} already exists`, { hint: 'use --force to overwrite it' });
}

function damaged(reply: Reply, message: string): Failure {
  return new Failure('server_error', `the download is damaged: ${message}`, {
    exchange: { method: 'GET', url: reply.url, status: reply.status },
  });
}

function writeFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof UnsuitableFile) return exists(path);
  return new Failure('internal', `cannot write ${path}: ${errnoText(error)}`, { cause: error });
}

const failWith =
  (path: string) =>
  (error: unknown): never => {
    throw writeFailure(path, error);
  };

const ifMissing =
  (path: string) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== 'ENOENT') throw writeFailure(path, error);
  };

/** Return the safe file name of `Content-Disposition` (RFC 6266). `filename*` takes precedence over `filename`. */
export function dispositionName(headers: readonly Header[]): string | undefined {
  const value = header(headers, 'content-disposition');
  if (value === undefined) return undefined;
  const params = headerParameters(value);
  const extended = extendedValue(params.get('filename*'));
  const name = extended ?? utf8(params.get('filename') ?? '');
  return safeFileName(name);
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187). */
function extendedValue(value: string | undefined): string | undefined {
  const [, charset, encoded] = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value ?? '') ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return charset.toLowerCase() === 'utf-8' ? utf8(bytes) : bytes;
}
