/**
 * `svc __complete -- <words>`: print what can replace the last word, for the completion scripts of the shells.
 *
 * The first line is `values`, `files` or `folders`, a tab, and the part of the word that precedes each value. For `values`, one line
 * per value follows, with an optional description after a tab.
 */

import { Writable } from 'node:stream';
import { pathsOf } from '../../../config/paths.ts';
import { readProfiles } from '../../../config/profiles.ts';
import { isRecord } from '../../../support/record.ts';
import { printable } from '../../../support/text/printable.ts';
import { withoutUser } from '../../../support/url.ts';
import { abortSignal } from '../../../support/waiting/cancellation.ts';
import { type Options, optionName, serverFlags } from '../../argv/flags.ts';
import { lookUp } from '../../catalogue.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { recentPaths } from '../../session/recent.ts';
import { withSession } from '../../session/session.ts';
import { type CacheKey, claim, readCache, writeCache } from './cache.ts';
import { type Offer, offerFor } from './offers.ts';
import type { Candidate } from './rows.ts';
import { readTyped, type Typed } from './typed.ts';

/** Milliseconds from the start of the process until the service must have responded, if no values are cached. */
const patience = 800;
/** Milliseconds that a background process waits for the service. */
const backgroundPatience = 5_000;

const isCandidates = (value: unknown): value is readonly Candidate[] =>
  Array.isArray(value) && value.every((one) => isRecord(one) && typeof one['value'] === 'string');

/** The flags that select the service. The rest of the line is incomplete and may be invalid. */
function connectionOf({ values }: Typed): Options {
  const given = serverFlags.filter(([name]) => values.has(name));
  return Object.fromEntries(
    given.map(([name, { kind }]) => [optionName(name), kind === undefined || values.get(name)]),
  );
}

/** A request for the values of an offer. */
interface Query {
  readonly source: NonNullable<Offer['source']>;
  readonly typed: Typed;
  readonly options: Options;
  /** Milliseconds until the result is of no use. */
  readonly left: number;
  /** Use values of the last day, not only those of the last minute. */
  readonly acceptsOld: boolean;
  /** Called with the key of values that are not in the cache, or that are old. */
  readonly onMissing: (key: CacheKey) => void;
}

async function fromService(query: Query, session: Session): Promise<readonly Candidate[]> {
  // A token command may prompt for a password.
  if (session.settings.accessToken?.from.endsWith('(token_command)')) return [];
  const { fetchCandidates, findRows } = await import('./rows.ts');
  const rows = await findRows(query.source, query.typed, session);
  const credential = rows && (await session.credential(rows.endpoint.access));
  if (!rows || !credential) return [];
  // Another token may see other rows. The key contains only a digest of the token.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const tokenDigest = createHash('sha256').update(credential.header.join(': ')).digest('hex');
  // A sandbox for one command has a new port each time.
  const root = session.settings.baseUrl?.from === '--sandbox' ? '--sandbox' : session.root();
  const key = [query.source, root, rows.endpoint.path, rows.slots, tokenDigest];
  const kept = readCache(session.context, key);
  if (isCandidates(kept?.value) && kept.isFresh) return kept.value;
  query.onMissing(key);
  if (isCandidates(kept?.value) && query.acceptsOld) return kept.value;
  const found = await fetchCandidates(session, rows);
  writeCache(session.context, key, found);
  return found;
}

async function candidatesFor(query: Query, context: Context): Promise<readonly Candidate[]> {
  const { source, options, left } = query;
  if (source === 'profile') {
    const { profiles } = readProfiles(pathsOf(context.env));
    return Object.entries(profiles).map(([value, { base_url: doc }]) => ({
      value,
      ...(doc ? { doc: withoutUser(doc) } : {}),
    }));
  }
  const timeout = Math.ceil(left) / 1000;
  return withSession({ ...options, timeout, quiet: true, retries: 0 }, context, async (session) =>
    source === 'project' || source === 'group'
      ? recentPaths(session, source).map((value) => ({ value }))
      : fromService(query, session),
  );
}

/** Merge equal values: a variable with two scopes is one value with both descriptions. */
function distinct(found: readonly Candidate[]): Candidate[] {
  const merged = new Map<string, string>();
  for (const { value, doc = '' } of found) {
    const before = merged.get(value);
    merged.set(value, before === undefined || before === doc ? doc : `${before}; ${doc}`);
  }
  return [...merged].map(([value, doc]) => ({ value, doc }));
}

/** Numbers are sorted, the newest first, because the order of a list may be another. */
function ordered(values: readonly Candidate[]): readonly Candidate[] {
  const isNumeric = values.every(({ value }) => /^\d+$/.test(value));
  return isNumeric ? [...values].sort((a, b) => Number(b.value) - Number(a.value)) : values;
}

/** Format an offer, without control characters. */
function linesOf({ kind, lead, text }: Offer, values: readonly Candidate[]): string {
  const shown = ordered(distinct(values))
    .map(({ value, doc }) => ({ value: printable(value), doc: printable(doc ?? '') }))
    .filter(({ value }) => value !== '' && value.startsWith(text));
  const lines = shown.map(({ value, doc }) => `${value}${doc === '' ? '' : `\t${doc}`}\n`);
  return kind === 'values' && lines.length === 0 ? '' : `${kind}\t${lead}\n${lines.join('')}`;
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
    timer = setTimeout(() => resolve(undefined), query.left);
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

/** Repeat the request in a process that the shell does not wait for, so that the next completion finds new rows in the cache. */
function continueInBackground(words: readonly string[], { program, env, cwd }: Context): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const [command = '', ...start] = program;
  const args = [...start, '__complete', background, '--', ...words];
  spawn(command, args, { detached: true, windowsHide: true, env, cwd, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

async function complete(rest: readonly string[], context: Context): Promise<string> {
  const at = rest.indexOf('--');
  const words = rest.slice(at + 1);
  const isBackground = rest.slice(0, Math.max(0, at)).includes(background);
  const typed = await readTyped(words, lookUp);
  const offer = at < 0 ? undefined : await offerFor(typed, lookUp);
  if (!offer) return '';
  const { source, values = [] } = offer;
  if (source === undefined) return linesOf(offer, values);
  let missing: CacheKey | undefined;
  const query: Query = {
    source,
    typed,
    options: connectionOf(typed),
    left: isBackground ? backgroundPatience : Math.max(0, patience - (context.elapsed?.() ?? 0)),
    acceptsOld: !isBackground,
    onMissing: (key) => {
      missing = key;
    },
  };
  const found = await findInTime(query, context);
  if (isBackground) return '';
  if (missing && isOutdated(missing, context)) continueInBackground(words, context);
  // A shell would insert such a value as a flag.
  const safe = (found ?? []).filter(({ value }) => !value.startsWith('-'));
  return linesOf(offer, [...values, ...safe]);
}

/** Whether values are not in the cache now, and no other process fetches them. */
function isOutdated(key: CacheKey, context: Context): boolean {
  return readCache(context, key)?.isFresh !== true && claim(context, key);
}

/**
 * Print the values for the words after `--`. Prints nothing on failure or after the time limit.
 * @param rest the words after `__complete`
 */
export async function runUnparsed(rest: readonly string[], context: Context): Promise<ExitCode> {
  const lines = await complete(rest, context);
  await new Promise<void>((done) => context.stdout.write(lines, () => done()));
  context.leave?.(0);
  return 0;
}
