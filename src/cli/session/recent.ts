/** Projects and groups that this user worked with. Completion offers them for `--project` and `--group`. */
import { join } from 'node:path';
import { pathsOf, stateFile } from '../../config/paths.ts';
import type { ScopeName } from '../../config/scope.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { replaceFileSync } from '../../support/atomic-write.ts';
import { readOwn } from '../../support/own-files.ts';
import { isRecord } from '../../support/record.ts';
import type { Context } from '../context.ts';
import type { Session } from './model.ts';

/** Paths by server (its origin, or `--sandbox`, whose port changes) and kind, the most recently used first. The file may be damaged. */
type Servers = Readonly<Record<string, Readonly<Partial<Record<ScopeName, unknown>>> | undefined>>;

const fileName = 'seen.json';
const limit = 100;

function serverOf({ settings, root }: Session): string {
  const { from } = settings.baseUrl ?? {};
  return from === '--sandbox' ? from : new URL(root()).origin;
}

function read({ env }: Context): Servers {
  try {
    const { state } = pathsOf(env);
    if (state === undefined) return {};
    const value: unknown = JSON.parse(readOwn(join(state, fileName)).toString('utf8'));
    return isRecord(value) ? (value as Servers) : {};
  } catch {
    return {};
  }
}

export function recentPaths(session: Session, kind: ScopeName): readonly string[] {
  const paths = read(session.context)[serverOf(session)]?.[kind];
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}

/** Save the path of a project or group that a command worked with. Ids are not saved. */
export async function remember(session: Session, { scope }: Endpoint, path: string): Promise<void> {
  if (!scope || /^\d+$/.test(path)) return;
  try {
    const file = stateFile(session.context.env, fileName);
    const known = recentPaths(session, scope.name);
    if (known[0] === path) return;
    const servers = read(session.context);
    const server = serverOf(session);
    const next = [path, ...known.filter((one) => one !== path)].slice(0, limit);
    const all = { ...servers, [server]: { ...servers[server], [scope.name]: next } };
    replaceFileSync(file, `${JSON.stringify(all, undefined, 1)}\n`);
  } catch {
    // Best effort: an error here must not fail the command.
  }
}
