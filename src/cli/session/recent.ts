/** Projects and groups that this user worked with. Completion offers them for `--project` and `--group`. */
import { dirname, join } from 'node:path';
import { pathsOf } from '../../config/paths.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { replaceFileSync } from '../../support/atomic-write.ts';
import { checkOwnFolder, makeFolder, readOwn } from '../../support/own-files.ts';
import { isRecord } from '../../support/record.ts';
import type { Context } from '../context.ts';
import type { Session } from './model.ts';

/** The most recently used first. */
type Recent = Readonly<Record<'project' | 'group', readonly string[]>>;

/** By server: its origin, or `--sandbox`, whose port changes. */
type Servers = Readonly<Record<string, Partial<Recent>>>;

const limit = 100;

function serverOf({ settings, root }: Session): string {
  const { from } = settings.baseUrl ?? {};
  return from === '--sandbox' ? from : new URL(root()).origin;
}

/** Omit invalid values: the file may be damaged. */
function recentOf(value: unknown): Partial<Recent> {
  if (!isRecord(value)) return {};
  const paths = (list: unknown) =>
    Array.isArray(list) ? list.filter((path): path is string => typeof path === 'string') : [];
  return { project: paths(value['project']), group: paths(value['group']) };
}

function fileOf(context: Context): string | undefined {
  const { state } = pathsOf(context.env);
  return state === undefined ? undefined : join(state, 'seen.json');
}

function read(file: string): Servers {
  try {
    const value: unknown = JSON.parse(readOwn(file).toString('utf8'));
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([server, one]) => [server, recentOf(one)]))
      : {};
  } catch {
    return {};
  }
}

/** Return the paths that were used on the server of a session. */
export function recentPaths(session: Session, kind: 'project' | 'group'): readonly string[] {
  const file = fileOf(session.context);
  return (file === undefined ? undefined : read(file)[serverOf(session)]?.[kind]) ?? [];
}

/** Save the path of a project or group that a command worked with. Ids are not saved. */
export async function remember(session: Session, { scope }: Endpoint, path: string): Promise<void> {
  const file = fileOf(session.context);
  if (file === undefined || !scope || /^\d+$/.test(path)) return;
  try {
    checkOwnFolder(dirname(file));
    const servers = read(file);
    const server = serverOf(session);
    const known = recentPaths(session, scope.name);
    if (known[0] === path) return;
    const next = [path, ...known.filter((one) => one !== path)].slice(0, limit);
    const all = { ...servers, [server]: { ...servers[server], [scope.name]: next } };
    makeFolder(dirname(file));
    replaceFileSync(file, `${JSON.stringify(all, undefined, 1)}\n`);
  } catch {
    // Best effort: an error here must not fail the command.
  }
}
