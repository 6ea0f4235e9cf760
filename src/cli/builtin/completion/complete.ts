/** `svc __complete <kind> -- words`: values that only the service or the user's files know, for a shell to offer. */

import { Writable } from 'node:stream';
import { areas } from '../../../api/index.ts';
import { pathsOf } from '../../../config/paths.ts';
import { readProfiles } from '../../../config/profiles.ts';
import { printable } from '../../../output/text.ts';
import { commandName } from '../../../spec/command.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { plan } from '../../../spec/request.ts';
import { collect } from '../../../support/bytes.ts';
import { withoutUser } from '../../../support/url.ts';
import type { Options } from '../../argv/flags.ts';
import type { SplitArgv } from '../../argv/split.ts';
import type { Context } from '../../context.ts';
import { requestBase, toRequest } from '../../request/build.ts';
import { maxPerPage } from '../../request/paging.ts';
import type { Session } from '../../session/model.ts';
import { seen } from '../../session/recent.ts';
import { openSession } from '../../session/session.ts';
import type { Builtin } from '../define.ts';
import { cached } from './cache.ts';

/** Milliseconds, of the 700 that a user waits at most: Node has started, which a busy machine does slowly, and has to end. */
const deadline = (): number => Math.min(550, Math.max(400, 640 - performance.now()));

interface Offer {
  readonly value: string;
  readonly doc?: string;
}

type Row = Readonly<Record<string, unknown>>;

/** What a list of the service gives: the area whose `list` it is, and how a row is offered. */
const lists: Readonly<Record<string, { readonly area: string; readonly offer: (row: Row) => Offer }>> = {
  branch: { area: 'branches', offer: ({ name }) => ({ value: String(name) }) },
  variable: {
    area: 'variables',
    offer: ({ key, environment_scope: scope }) => ({ value: String(key), doc: `scope ${scope}` }),
  },
  scope: {
    area: 'variables',
    offer: ({ environment_scope: scope }) => ({ value: String(scope) }),
  },
  job: {
    area: 'jobs',
    offer: ({ id, name, status, ref }) => ({ value: String(id), doc: `${name} (${status}, ${ref})` }),
  },
};

/** The flags that say where to ask, however the line goes on: it is not finished, and may be wrong. */
const valued: Readonly<Record<string, keyof LineOptions>> = {
  '-p': 'project',
  '--project': 'project',
  '-g': 'group',
  '--group': 'group',
  '--profile': 'profile',
  '--base-url': 'baseUrl',
  '--token-file': 'tokenFile',
  '--auth': 'auth',
  '--ca-file': 'caFile',
};

/** The options that decide which service is asked, and where. */
interface LineOptions extends Options {
  readonly project?: string;
  readonly group?: string;
}

function flagsIn(words: readonly string[]): LineOptions {
  const found: Record<string, string | boolean> = {};
  words.forEach((word, at) => {
    const [, flag = word, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
    const name = valued[flag];
    if (word === '--sandbox' || word === '--insecure') found[word.slice(2)] = true;
    const given = value ?? words[at + 1];
    // The last word is the one being typed.
    if (name !== undefined && given !== undefined && (value !== undefined || at + 1 < words.length - 1))
      found[name] = given;
  });
  return found;
}

/** The list of an area at the place that the line, or a setting, names. */
async function listAt(
  area: string,
  flags: LineOptions,
  session: Session,
): Promise<{ endpoint: Endpoint; id: string } | undefined> {
  const loaded = await areas.find(({ name }) => name === area)?.load();
  const endpoints = loaded?.default.endpoints.filter((one) => commandName(one) === 'list') ?? [];
  for (const place of ['project', 'group'] as const) {
    const id = flags[place] ?? session.settings[place]?.value;
    const endpoint = endpoints.find(({ scope }) => scope?.name === place);
    if (id !== undefined && endpoint && (place === 'group' || flags.group === undefined))
      return { endpoint, id };
  }
  return undefined;
}

async function rowsOf(session: Session, endpoint: Endpoint, id: string): Promise<Row[]> {
  const client = await session.client(endpoint.access);
  const planned = plan({ endpoint: endpoint, slots: { id }, values: { per_page: maxPerPage } });
  const reply = await client.send(
    await toRequest(planned, await requestBase(session, endpoint), session.context),
  );
  if (reply.status !== 200) throw new Error(String(reply.status));
  const rows = JSON.parse((await collect(reply.body)).toString('utf8')) as unknown;
  return Array.isArray(rows) ? (rows as Row[]) : [];
}

async function fromService(kind: string, flags: LineOptions, session: Session): Promise<readonly Offer[]> {
  const list = lists[kind];
  // A command that prints the token may ask for a password: it is not run for a completion.
  if (!list || session.settings.accessToken?.from.endsWith('(token_command)')) return [];
  const found = await listAt(list.area, flags, session);
  if (!found) return [];
  const { endpoint, id } = found;
  // Whose answers they are: another token may see other things. Kept is a digest of it alone.
  const { header = [] } = (await session.credential(endpoint.access)) ?? {};
  const { createHash } = process.getBuiltinModule('node:crypto');
  const asker = createHash('sha256').update(header.join(': ')).digest('hex');
  const key = [kind, session.root(), endpoint.path, id, asker];
  // A sandbox for one command has another port each time: its answers are not kept.
  const keep = session.settings.baseUrl?.from !== '--sandbox';
  const ask = async () => (await rowsOf(session, endpoint, id)).map(list.offer);
  return keep ? cached(session.context, key, ask) : ask();
}

async function offers(kind: string, words: readonly string[], context: Context): Promise<readonly Offer[]> {
  if (kind === 'profile') {
    const { profiles } = readProfiles(pathsOf(context.env));
    return Object.entries(profiles).map(([value, { base_url: doc }]) => ({
      value,
      ...(doc ? { doc: withoutUser(doc) } : {}),
    }));
  }
  const flags = flagsIn(words);
  const { project: _, group: __, ...options } = flags;
  const session = await openSession(
    { ...options, quiet: true, retries: '0', timeout: String(deadline() / 1000) },
    context,
  );
  try {
    if (kind === 'project' || kind === 'group')
      return (await seen(session, kind)).map((value) => ({ value }));
    return await fromService(kind, flags, session);
  } finally {
    await session.close();
  }
}

/** One a line, what it is behind a tab; what a terminal would obey is left out. */
function linesOf(found: readonly Offer[]): string {
  const unique = new Map(found.map(({ value, doc }) => [printable(value), printable(doc ?? '')]));
  return (
    [...unique]
      // A value that looks like a flag would be one.
      .filter(([value]) => value !== '' && !value.startsWith('-'))
      .map(([value, doc]) => `${value}${doc === '' ? '' : `\t${doc}`}\n`)
      .join('')
  );
}

async function complete({ command: kind = '', rest }: SplitArgv, context: Context): Promise<string> {
  const typed = rest.slice(rest.indexOf('--') + 1);
  const late = new AbortController();
  const quiet: Context = {
    ...context,
    stdin: context.stdin,
    stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
    signal: AbortSignal.any([context.signal, late.signal]),
  };
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<readonly Offer[]>((resolve) => {
    timer = setTimeout(() => resolve([]), deadline());
  });
  try {
    return linesOf(await Promise.race([offers(kind, typed, quiet), end]));
  } catch {
    return '';
  } finally {
    clearTimeout(timer);
    late.abort(new Error('too late'));
  }
}

const builtin: Builtin = {
  commands: [],
  /** Silent on any failure, and never later than the deadline. */
  async raw(words, context) {
    const lines = await complete(words, context);
    await new Promise<void>((done) => context.stdout.write(lines, () => done()));
    context.leave?.(0);
    return 0;
  },
};

export default builtin;
