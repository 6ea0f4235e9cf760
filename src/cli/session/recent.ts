/** Projects and groups that this user worked with: what a shell offers for `--project` and `--group`. */
import { dirname, join } from 'node:path';
import { pathsOf } from '../../config/paths.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { isOwnFolder, makeFolder, readOwn, writeOwn } from '../../support/own-files.ts';
import type { Context } from '../context.ts';
import type { Session } from './model.ts';

/** The latest first. */
type Seen = Readonly<Record<'project' | 'group', readonly string[]>>;

/** By server: its origin, or `--sandbox`, whose port is another each time. */
type Servers = Readonly<Record<string, Partial<Seen>>>;

const most = 100;

function serverOf({ settings, root }: Session): string {
  const { from } = settings.baseUrl ?? {};
  return from === '--sandbox' ? from : new URL(root()).origin;
}

function fileOf(context: Context): string | undefined {
  const { state } = pathsOf(context.env);
  return state === undefined ? undefined : join(state, 'seen.json');
}

function read(file: string): Servers {
  try {
    const value = JSON.parse(readOwn(file).toString('utf8')) as unknown;
    return typeof value === 'object' && value !== null ? (value as Servers) : {};
  } catch {
    return {};
  }
}

/** What was seen on the server in force; nothing where that can't be read. */
export async function seen(session: Session, kind: 'project' | 'group'): Promise<readonly string[]> {
  const file = fileOf(session.context);
  const known = file === undefined ? undefined : read(file)[serverOf(session)]?.[kind];
  return Array.isArray(known) ? known.filter((path) => typeof path === 'string') : [];
}

/** Note the path of a project or group that a command worked with. A number says nothing to a person, and is left out. */
export async function remember(session: Session, { scope }: Endpoint, path: string): Promise<void> {
  const file = fileOf(session.context);
  if (file === undefined || !scope || /^\d+$/.test(path)) return;
  try {
    if (!isOwnFolder(dirname(file))) return;
    const servers = read(file);
    const server = serverOf(session);
    const known = await seen(session, scope.name);
    if (known.includes(path)) return;
    const next = {
      ...servers,
      [server]: { ...servers[server], [scope.name]: [path, ...known].slice(0, most) },
    };
    makeFolder(dirname(file));
    writeOwn(file, `${JSON.stringify(next, undefined, 1)}\n`);
  } catch {
    // A convenience: what keeps it from being kept is no matter of the command's.
  }
}
