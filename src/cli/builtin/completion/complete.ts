/** `svc __complete <kind> -- words`: print values from the service or the files of the user for shell completion. */
import { Writable } from 'node:stream';
import { areas } from '../../../api/index.ts';
import { pathsOf } from '../../../config/paths.ts';
import { readProfiles } from '../../../config/profiles.ts';
import { scopePath } from '../../../config/scope.ts';
import { printable } from '../../../output/text.ts';
import { commandName } from '../../../spec/command.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { plan } from '../../../spec/request.ts';
import { collect } from '../../../support/bytes.ts';
import { isRecord } from '../../../support/record.ts';
import { withoutUser } from '../../../support/url.ts';
import type { Options } from '../../argv/flags.ts';
import type { SplitArgv } from '../../argv/split.ts';
import type { Context } from '../../context.ts';
import { requestBase, toRequest } from '../../request/build.ts';
import { maxPerPage } from '../../request/paging.ts';
import type { Session } from '../../session/model.ts';
import { recentPaths } from '../../session/recent.ts';
import { withSession } from '../../session/session.ts';
import type { Builtin } from '../define.ts';
import { cached } from './cache.ts';

/** Milliseconds. Completion takes at most 700, including the start and the end of Node. */
const deadline = (): number => Math.min(550, Math.max(400, 640 - performance.now()));

interface Candidate {
  readonly value: string;
  readonly doc?: string;
}

type Row = Readonly<Record<string, unknown>>;

/** The kinds of values that a list of the service provides. */
const lists: Readonly<
  Record<string, { readonly area: string; readonly toCandidate: (row: Row) => Candidate }>
> = {
  branch: { area: 'branches', toCandidate: ({ name }) => ({ value: String(name) }) },
  variable: {
    area: 'variables',
    toCandidate: ({ key, environment_scope: scope }) => ({ value: String(key), doc: `scope ${scope}` }),
  },
  scope: {
    area: 'variables',
    toCandidate: ({ environment_scope: scope }) => ({ value: String(scope) }),
  },
  job: {
    area: 'jobs',
    toCandidate: ({ id, name, status, ref }) => ({ value: String(id), doc: `${name} (${status}, ${ref})` }),
  },
};

/** The flags that select the service and the project. The rest of the line is incomplete and may be invalid. */
const flagOptions: Readonly<Record<string, keyof LineOptions>> = {
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

interface LineOptions extends Options {
  readonly project?: string;
  readonly group?: string;
}

const isCandidates = (value: unknown): value is readonly Candidate[] =>
  Array.isArray(value) && value.every((one) => isRecord(one) && typeof one['value'] === 'string');

function flagsIn(words: readonly string[]): LineOptions {
  const found: Record<string, string | true> = {};
  words.forEach((word, at) => {
    const [, flag = word, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
    const name = flagOptions[flag];
    if (word === '--sandbox' || word === '--insecure') found[word.slice(2)] = true;
    const given = value ?? words[at + 1];
    // The last word is the one being typed.
    if (name !== undefined && given !== undefined && (value !== undefined || at + 1 < words.length - 1))
      found[name] = given;
  });
  return found;
}

/** Find the list endpoint of an area for the project or group of the line or the settings. */
async function findList(
  area: string,
  flags: LineOptions,
  session: Session,
): Promise<{ endpoint: Endpoint; id: string } | undefined> {
  const loaded = await areas.find(({ name }) => name === area)?.load();
  const endpoints = loaded?.default.endpoints.filter((one) => commandName(one) === 'list') ?? [];
  for (const name of ['project', 'group'] as const) {
    const { baseUrl, [name]: setting } = session.settings;
    const value = flags[name] ?? setting?.value;
    const endpoint = endpoints.find(({ scope }) => scope?.name === name);
    if (value !== undefined && endpoint && (name === 'group' || flags.group === undefined))
      return { endpoint, id: scopePath(name, { value, from: `--${name}` }, baseUrl?.value) };
  }
  return undefined;
}

async function fetchRows(session: Session, endpoint: Endpoint, id: string): Promise<Row[]> {
  const client = await session.client(endpoint.access);
  const planned = plan({ endpoint, slots: { id }, values: { per_page: maxPerPage } });
  const reply = await client.send(
    await toRequest(planned, await requestBase(session, endpoint), session.context),
  );
  if (reply.status !== 200) throw new Error(String(reply.status));
  const rows: unknown = JSON.parse((await collect(reply.body)).toString('utf8'));
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

async function fromService(
  kind: string,
  flags: LineOptions,
  session: Session,
): Promise<readonly Candidate[]> {
  const list = lists[kind];
  // A token command may prompt for a password.
  if (!list || session.settings.accessToken?.from.endsWith('(token_command)')) return [];
  const found = await findList(list.area, flags, session);
  if (!found) return [];
  const { endpoint, id } = found;
  // Another token may see other rows. The key contains only a digest of the token.
  const { header = [] } = (await session.credential(endpoint.access)) ?? {};
  const { createHash } = process.getBuiltinModule('node:crypto');
  const tokenDigest = createHash('sha256').update(header.join(': ')).digest('hex');
  const key = [kind, session.root(), endpoint.path, id, tokenDigest];
  // A sandbox for one command has a new port each time.
  const isCacheable = session.settings.baseUrl?.from !== '--sandbox';
  const fetch = async () => (await fetchRows(session, endpoint, id)).map(list.toCandidate);
  return isCacheable ? cached(session.context, key, fetch, isCandidates) : fetch();
}

async function candidatesFor(
  kind: string,
  words: readonly string[],
  context: Context,
): Promise<readonly Candidate[]> {
  if (kind === 'profile') {
    const { profiles } = readProfiles(pathsOf(context.env));
    return Object.entries(profiles).map(([value, { base_url: doc }]) => ({
      value,
      ...(doc ? { doc: withoutUser(doc) } : {}),
    }));
  }
  const flags = flagsIn(words);
  const { project: _, group: __, ...options } = flags;
  const bounds = { quiet: true, retries: '0', timeout: String(deadline() / 1000) } as const;
  return withSession({ ...options, ...bounds }, context, async (session) =>
    kind === 'project' || kind === 'group'
      ? recentPaths(session, kind).map((value) => ({ value }))
      : fromService(kind, flags, session),
  );
}

/** Format candidates: one per line, with an optional description after a tab and without control characters. */
function linesOf(found: readonly Candidate[]): string {
  const unique = new Map(found.map(({ value, doc }) => [printable(value), printable(doc ?? '')]));
  return (
    [...unique]
      // A shell would insert such a value as a flag.
      .filter(([value]) => value !== '' && !value.startsWith('-'))
      .map(([value, doc]) => `${value}${doc === '' ? '' : `\t${doc}`}\n`)
      .join('')
  );
}

async function complete({ command: kind = '', rest }: SplitArgv, context: Context): Promise<string> {
  const typed = rest.slice(rest.indexOf('--') + 1);
  const timeout = new AbortController();
  const quiet: Context = {
    ...context,
    stdin: context.stdin,
    stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
    signal: AbortSignal.any([context.signal, timeout.signal]),
  };
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<readonly Candidate[]>((resolve) => {
    timer = setTimeout(() => resolve([]), deadline());
  });
  try {
    return linesOf(await Promise.race([candidatesFor(kind, typed, quiet), end]));
  } catch {
    return '';
  } finally {
    clearTimeout(timer);
    timeout.abort(new Error('timed out'));
  }
}

const builtin: Builtin = {
  commands: [],
  /** Prints nothing on failure or after the deadline. */
  async raw(words, context) {
    const lines = await complete(words, context);
    await new Promise<void>((done) => context.stdout.write(lines, () => done()));
    context.leave?.(0);
    return 0;
  },
};

export default builtin;
