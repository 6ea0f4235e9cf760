/**
 * The project of a Git checkout, for `--project .`. A repository is read as data: svc runs neither programs nor hooks of it,
 * and follows no includes.
 */
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { usage } from '../../errors.ts';
import { parseUrl, percentDecoded, withoutUser } from '../../support/url.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Session } from './model.ts';

/** A remote without user information, which may be a token. */
interface Remote {
  readonly name: string;
  /** With the port, if it is an http or https URL. */
  readonly host: string;
  readonly isWeb: boolean;
  /** `acme/rocket` */
  readonly path: string;
}

/** Bytes. The settings of Git are not larger, and a device or a pipe would never end. */
const maxFile = 1024 * 1024;

/** Read a file of Git, if it exists. @throws Failure `usage` for another kind of file */
function readFile(path: string): string | undefined {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (stat.isFile() && stat.size <= maxFile) return fs.readFileSync(path, 'utf8').replaceAll('\0', '');
  throw usage(`--project .: ${path} is not a file of Git`, 'use --project <id|path>');
}

/** Return the folder of the repository that contains a folder, and the one of its settings, which worktrees share. */
function findRepository(cwd: string): { readonly gitdir: string; readonly common: string } | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const entry = join(folder, '.git');
    const stat = fs.statSync(entry, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return { gitdir: entry, common: entry };
    if (stat?.isFile()) {
      const [, target = ''] = /^gitdir: (.+)$/m.exec(readFile(entry) ?? '') ?? [];
      const gitdir = resolve(folder, target.trim());
      return { gitdir, common: resolve(gitdir, readFile(join(gitdir, 'commondir'))?.trim() ?? '.') };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Read the URL of a remote. @returns undefined for a remote on no server, such as a folder or a command */
function remoteAt(name: string, text: string): Remote | undefined {
  if (/[\u0000-\u001f\u007f]/.test(text)) return undefined;
  const [, sshHost, sshPath] = /^(?:[^@/:]+@)?([\w.-]+):(?!\/\/)([^:@][^@]*)$/.exec(text) ?? [];
  const url = sshHost === undefined ? parseUrl(text) : undefined;
  if (url && !/^(https?|ssh|git):$/.test(url.protocol)) return undefined;
  const isWeb = /^http/.test(url?.protocol ?? '');
  const host = url ? url[isWeb ? 'host' : 'hostname'] : sshHost;
  const at = url ? percentDecoded(url.pathname) : sshPath;
  if (host === undefined || host === '' || at === undefined) return undefined;
  const path = at
    .split('/')
    .filter(Boolean)
    .join('/')
    .replace(/\.git$/, '');
  return { name, host: host.toLowerCase(), isWeb, path };
}

/** Whether a remote is on the server of a base URL. Only http and https URLs name the port of the API. */
const isOn = ({ host, isWeb }: Remote, server: URL): boolean =>
  host === (isWeb ? server.host : server.hostname);

/**
 * Return the project of the checkout that contains a folder: that of the remote of the current branch, or else of `origin`.
 * @param root the root of the API; the remote must be on its host
 * @returns the path of the project: `acme/rocket`
 * @throws Failure `usage` outside of a checkout, or if the remote is on another host
 */
export async function projectOfCheckout(cwd: string, root: string): Promise<string> {
  const found = findRepository(cwd);
  if (!found) throw usage('--project .: this folder is not in a Git checkout', 'use --project <id|path>');
  readFile(join(found.gitdir, 'HEAD'));
  readFile(join(found.common, 'config'));
  const git = await import('isomorphic-git');
  const branch = await git.currentBranch({ fs, gitdir: found.gitdir }).catch(() => undefined);
  const settings = { fs, gitdir: found.common };
  const tracked: unknown = branch && (await git.getConfig({ ...settings, path: `branch.${branch}.remote` }));
  // The remote `.` is the repository itself, which a branch has that tracks another branch of it.
  const name = typeof tracked === 'string' && tracked !== '.' ? tracked : 'origin';
  const reading = (await git.listRemotes(settings)).map(async ({ remote }) => {
    // Git fetches from the first URL of a remote, and pushes to all.
    const [url] = await git.getConfigAll({ ...settings, path: `remote.${remote}.url` });
    return (typeof url === 'string' && remoteAt(remote, url)) || [];
  });
  const remotes = (await Promise.all(reading)).flat();
  const server = new URL(root);
  const prefix = server.pathname.replace(/\/api\/v4$/, '').slice(1);
  // A branch of another repository can have a URL as its remote.
  const remote = remotes.find((one) => one.name === name) ?? remoteAt(name, name);
  if (remote && isOn(remote, server)) {
    const { path: full } = remote;
    return prefix !== '' && full.startsWith(`${prefix}/`) ? full.slice(prefix.length + 1) : full;
  }
  const list = remotes.map((one) => `${one.name} ${one.host}/${one.path}`).join(', ') || 'none';
  throw usage(
    `--project .: the remote ${withoutUser(name)} is not on ${server.host}; remotes: ${list}`,
    'use --project <id|path>, or the base URL of that host',
  );
}

/** Return a session and a command line whose project is that of the checkout in place of `.`. */
export async function atCheckout<L extends Pick<CommandLine, 'project'>>(
  session: Session,
  line: L,
): Promise<[Session, L]> {
  const { context, root, settings } = session;
  const value = await projectOfCheckout(context.cwd, root());
  if (line.project !== undefined) return [session, { ...line, project: value }];
  const project = settings.project && { ...settings.project, value };
  return [{ ...session, settings: { ...settings, project } }, line];
}
