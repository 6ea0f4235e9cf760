/**
 * `svc __complete -- <words>`: print what can replace the last word, for the completion scripts of the shells.
 *
 * The first line is `values`, `files` or `folders`, a tab, and the part of the word that precedes each value. For `values`, one line
 * per value follows, with an optional description after a tab.
 */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import { readProfiles } from '../../../config/profiles.ts';
import { replaceFileSync } from '../../../support/atomic-write.ts';
import { checkOwnFolder, makeFolder, readOwn } from '../../../support/own-files.ts';
import { printable } from '../../../support/text/printable.ts';
import { withoutUser } from '../../../support/url.ts';
import { optionName, serverFlags } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { recentPaths } from '../../session/recent.ts';
import { withSession } from '../../session/session.ts';
import { type Candidate, type Offer, offerFor, type Source } from './offers.ts';
import { readTyped, type Typed } from './typed.ts';

/** Milliseconds from the start of the process until the service must have responded, if no values are cached. */
const deadline = 800;
/** Milliseconds that a background process waits for the service. No other process is started in this time. */
const backgroundDeadline = 5_000;
/** Milliseconds in which values are used without a request. */
const freshTime = 60_000;

/** Milliseconds in which cached values are used. */
const lifetime = 24 * 60 * 60_000;

/** Values of the service. */
interface Cached {
  readonly values: readonly Candidate[];
  /** When they arrived, in milliseconds since 1970. */
  readonly fetched: number;
  /** Until when no process needs to fetch them again. */
  readonly freshUntil: number;
}

/** @throws Error if there is no folder that only this user can change */
function folderOf({ env }: Context): string {
  const { cache } = pathsOf(env);
  if (cache === undefined) throw new Error('no cache folder');
  const folder = join(cache, 'completion');
  checkOwnFolder(folder);
  return folder;
}

async function digest(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text).digest('hex');
}

/** Read values of the last day. @returns undefined if they are missing, damaged or older */
function readCache(context: Context, name: string): Cached | undefined {
  try {
    const found = JSON.parse(readOwn(join(folderOf(context), name)).toString('utf8')) as Cached;
    return found.fetched > context.now() - lifetime ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Write values, and remove those that are too old. @returns whether it succeeded */
function writeCache(context: Context, name: string, cached: Cached): boolean {
  try {
    const folder = folderOf(context);
    makeFolder(folder);
    for (const file of readdirSync(folder).map((other) => join(folder, other)))
      if (statSync(file).mtimeMs < context.now() - lifetime) rmSync(file, { force: true });
    replaceFileSync(join(folder, name), JSON.stringify(cached));
    return true;
  } catch {
    return false;
  }
}

/** How completion asks for values. */
interface Asking {
  readonly typed: Typed;
  /** Milliseconds until the values are of no use. */
  readonly left: number;
  /** Fetches values again in a process that the shell does not wait for; absent in that process. */
  readonly refresh?: () => void;
}

const after = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined));

/** Return the values of a list of the service: those of the last day, or else a response within the time that is left. */
async function fromService(
  source: Source,
  { typed, left, refresh }: Asking,
  session: Session,
): Promise<readonly Candidate[]> {
  const { context, settings } = session;
  // A token command may prompt for a password.
  if (settings.accessToken?.from.endsWith('(token_command)')) return [];
  const { fetchCandidates, findRows } = await import('./rows.ts');
  const rows = await findRows(source, typed, session);
  const credential = rows && (await session.credential(rows.endpoint.access));
  if (!rows || !credential) return [];
  // A sandbox for one command has a new port each time.
  const root = settings.baseUrl?.from === '--sandbox' ? '--sandbox' : session.root();
  // Another token may see other rows. The name contains only a digest.
  const key = [source, root, rows.endpoint.path, rows.slots, credential.header];
  const name = `${await digest(JSON.stringify(key))}.json`;
  const now = context.now();
  const cached = refresh && readCache(context, name);
  if (cached && cached.freshUntil > now) return cached.values;
  const known = cached?.values.length ? cached.values : undefined;
  const values =
    known ?? (await Promise.race([fetchCandidates(session, rows).catch(() => undefined), after(left)]));
  if (known || !values) {
    // If the cache cannot be written, each completion would start a process.
    const claim = { values: [], fetched: now, ...cached, freshUntil: now + backgroundDeadline };
    if (refresh && writeCache(context, name, claim)) refresh();
  } else writeCache(context, name, { values, fetched: now, freshUntil: now + freshTime });
  return values ?? [];
}

async function valuesOf(source: Source, asking: Asking, context: Context): Promise<readonly Candidate[]> {
  if (source === 'profile')
    return Object.entries(readProfiles(pathsOf(context.env)).profiles).map(([value, { base_url: doc }]) => ({
      value,
      ...(doc ? { doc: withoutUser(doc) } : {}),
    }));
  const { values } = asking.typed;
  // The flags that select the service. The rest of the line is incomplete and may be invalid.
  const connection = serverFlags.flatMap(([name, { kind }]) =>
    values.has(name) ? [[optionName(name), kind === undefined || values.get(name)]] : [],
  );
  const options = { ...Object.fromEntries(connection), quiet: true, retries: 0 };
  return withSession(options, context, async (session) =>
    source === 'project' || source === 'group'
      ? recentPaths(session, source).map((value) => ({ value }))
      : fromService(source, asking, session),
  );
}

/** Merge equal values: a variable with two scopes is one value with both descriptions. */
function distinct(found: readonly Candidate[]): Required<Candidate>[] {
  const merged = new Map<string, string>();
  for (const { value, doc = '' } of found) {
    const before = merged.get(value);
    merged.set(value, before === undefined || before === doc ? doc : `${before}; ${doc}`);
  }
  return [...merged].map(([value, doc]) => ({ value: printable(value), doc: printable(doc) }));
}

/** Format an offer, without control characters. Numbers are sorted, the newest first: the order of a list may be another. */
function linesOf({ kind, lead, text }: Offer, values: readonly Candidate[]): string {
  const all = distinct(values);
  if (all.every(({ value }) => /^\d+$/.test(value))) all.sort((a, b) => Number(b.value) - Number(a.value));
  const lines = all
    .filter(({ value }) => value !== '' && value.startsWith(text))
    .map(({ value, doc }) => `${value}${doc === '' ? '' : `\t${doc}`}\n`);
  return kind === 'values' && lines.length === 0 ? '' : `${kind}\t${lead}\n${lines.join('')}`;
}

const background = '--background';

/** Complete the same words in a process that the shell does not wait for, so that the next completion finds new values in the cache. */
function completeInBackground(words: readonly string[], { program, env, cwd }: Context): void {
  const [command = '', ...start] = program;
  const args = [...start, '__complete', background, '--', ...words];
  spawn(command, args, { detached: true, windowsHide: true, env, cwd, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

async function complete(rest: readonly string[], context: Context): Promise<string> {
  const at = rest.indexOf('--');
  if (at < 0) return '';
  const words = rest.slice(at + 1);
  const typed = await readTyped(words);
  const offer = await offerFor(typed);
  if (!offer) return '';
  const { source, values = [] } = offer;
  if (source === undefined) return linesOf(offer, values);
  const asking =
    rest[0] === background
      ? { typed, left: backgroundDeadline }
      : {
          typed,
          left: Math.max(0, deadline - (context.elapsed?.() ?? 0)),
          refresh: () => completeInBackground(words, context),
        };
  const found = await valuesOf(source, asking, context).catch(() => []);
  // A shell would insert such a value as a flag.
  return linesOf(offer, [...values, ...found.filter(({ value }) => !value.startsWith('-'))]);
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
