/** `svc __complete <source> -- words`: print values from the service or the files of the user for shell completion. */

import { Writable } from 'node:stream';
import { pathsOf } from '../../../config/paths.ts';
import { readProfiles } from '../../../config/profiles.ts';
import { isRecord } from '../../../support/record.ts';
import { printable } from '../../../support/text/printable.ts';
import { withoutUser } from '../../../support/url.ts';
import { abortSignal } from '../../../support/waiting/cancellation.ts';
import type { Options } from '../../argv/flags.ts';
import type { SplitArgv } from '../../argv/split.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';
import { recentPaths } from '../../session/recent.ts';
import { withSession } from '../../session/session.ts';
import type { Builtin } from '../define.ts';
import { type CacheKey, cached, claim } from './cache.ts';
import type { Candidate } from './rows.ts';

/** Milliseconds from the start of the process to its output. Until its end there are up to 20 more, with a limit of 150. */
const patience = 130;
/** Milliseconds for values from the cache, on a machine that is slow to start Node. */
const minPatience = 40;
/** Milliseconds that a background process waits for the service. */
const backgroundPatience = 5_000;

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

/** A request for values. */
interface Query {
  readonly source: string;
  /** The words of the command line up to the one being typed. */
  readonly words: readonly string[];
  /** Milliseconds until the result is of no use; undefined if there is no limit. */
  readonly left: number | undefined;
  /** Called with the key in the cache before a request is sent. */
  readonly onFetch?: (key: CacheKey) => void;
  /** Called with earlier values before a request is sent. */
  readonly onStale?: (values: readonly Candidate[]) => void;
}

async function fromService(
  query: Query,
  flags: LineOptions,
  session: Session,
): Promise<readonly Candidate[]> {
  // A token command may prompt for a password.
  if (session.settings.accessToken?.from.endsWith('(token_command)')) return [];
  const { fetchCandidates, findRows } = await import('./rows.ts');
  const rows = await findRows(query.source, query.words, flags, session);
  const credential = rows && (await session.credential(rows.endpoint.access));
  if (!rows || !credential) return [];
  // Another token may see other rows. The key contains only a digest of the token.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const tokenDigest = createHash('sha256').update(credential.header.join(': ')).digest('hex');
  // A sandbox for one command has a new port each time.
  const root = session.settings.baseUrl?.from === '--sandbox' ? '--sandbox' : session.root();
  const key = [query.source, root, rows.endpoint.path, rows.slots, tokenDigest];
  const fetch = () => {
    query.onFetch?.(key);
    return fetchCandidates(session, rows);
  };
  return cached(session.context, key, fetch, isCandidates, (values) => query.onStale?.(values));
}

async function candidatesFor(query: Query, context: Context): Promise<readonly Candidate[]> {
  const { source, words, left } = query;
  if (source === 'profile') {
    const { profiles } = readProfiles(pathsOf(context.env));
    return Object.entries(profiles).map(([value, { base_url: doc }]) => ({
      value,
      ...(doc ? { doc: withoutUser(doc) } : {}),
    }));
  }
  const flags = flagsIn(words);
  const { project: _, group: __, ...options } = flags;
  const timeout = left === undefined ? {} : { timeout: String(Math.ceil(left) / 1000) };
  return withSession({ ...options, ...timeout, quiet: true, retries: '0' }, context, async (session) =>
    source === 'project' || source === 'group'
      ? recentPaths(session, source).map((value) => ({ value }))
      : fromService(query, flags, session),
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

/** Find candidates without any output but the result. @returns undefined after the time limit and after a failure */
async function findInTime(query: Query, context: Context): Promise<readonly Candidate[] | undefined> {
  const timeout = new AbortController();
  const quiet: Context = {
    ...context,
    stdin: context.stdin,
    stdout: context.stdout,
    stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
    signal: AbortSignal.any([abortSignal(context.signal), timeout.signal]),
  };
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<undefined>((resolve) => {
    if (query.left !== undefined) timer = setTimeout(() => resolve(undefined), query.left);
  });
  try {
    return await Promise.race([candidatesFor(query, quiet), end]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    timeout.abort(new Error('timed out'));
  }
}

const background = '--background';

/** Send the request again in a process that the shell does not wait for, so that the next completion finds its rows in the cache. */
function continueInBackground({ source, words }: Query, { program, env, cwd }: Context): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const [command = '', ...start] = program;
  const args = [...start, '__complete', source, background, '--', ...words];
  spawn(command, args, { detached: true, windowsHide: true, env, cwd, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

async function complete({ command: source = '', rest }: SplitArgv, context: Context): Promise<string> {
  const at = rest.indexOf('--');
  const words = rest.slice(at + 1);
  if (rest.slice(0, at).includes(background)) {
    await findInTime({ source, words, left: backgroundPatience }, context);
    return '';
  }
  let key: CacheKey | undefined;
  let stale: readonly Candidate[] = [];
  const left = context.elapsed && Math.max(minPatience, patience - context.elapsed());
  const onStale = (values: readonly Candidate[]) => {
    stale = values;
  };
  const query: Query = { source, words, left, onFetch: (one) => (key = one), onStale };
  const found = await findInTime(query, context);
  if (!found && key && (await claim(context, key))) continueInBackground(query, context);
  return linesOf(found ?? stale);
}

const builtin: Builtin = {
  commands: [],
  /** Prints nothing on failure or after the time limit. */
  async raw(words, context) {
    const lines = await complete(words, context);
    await new Promise<void>((done) => context.stdout.write(lines, () => done()));
    context.leave?.(0);
    return 0;
  },
};

export default builtin;
