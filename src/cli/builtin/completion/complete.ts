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
import { fieldAt, kindAt, pathOfColumn } from '../../../spec/column.ts';
import { scopesOf } from '../../../spec/command.ts';
import { type Endpoint, returnedFields } from '../../../spec/endpoint.ts';
import { fieldOf, isSecret, keysOf } from '../../../spec/field.ts';
import { guarded } from '../../../spec/mask.ts';
import { kebab } from '../../../spec/names.ts';
import type { Call } from '../../../spec/request.ts';
import type { Row } from '../../../spec/resource.ts';
import { replaceFileSync } from '../../../support/atomic-write.ts';
import type { ColumnKind } from '../../../support/column.ts';
import { attempt } from '../../../support/errno.ts';
import { checkOwnFolder, makeFolder, readOwn } from '../../../support/own-files.ts';
import { groupBy, scalarText, valueAt } from '../../../support/record.ts';
import { printable } from '../../../support/text/printable.ts';
import { withoutUser } from '../../../support/url.ts';
import { type Options, optionName, serverFlags } from '../../argv/flags.ts';
import { lookUp } from '../../catalogue.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { recentPaths } from '../../session/recent.ts';
import { withSession } from '../../session/session.ts';
import { type Candidate, type Offer, offerFor, type Source, type TypedLine } from './offers.ts';

/** Milliseconds from the start of the process until the service must have responded, if no values are cached. */
const deadline = 800;
/** Milliseconds that a background process waits for the service. No other process is started in this time. */
const backgroundDeadline = 5_000;
/** Milliseconds in which values are used without a request. */
const freshTime = 60_000;
/** Milliseconds in which cached values are used. */
const lifetime = 24 * 60 * 60_000;

interface Cached {
  readonly values: readonly Candidate[];
  /** When they arrived, in milliseconds since 1970. */
  readonly fetched: number;
  /** Until when no process needs to fetch them again. */
  readonly freshUntil: number;
}

/** Return the path of a file in a folder that only this user can change, and remove files that are too old. */
function cacheFile({ env, now }: Context, name: string): string {
  const { cache } = pathsOf(env);
  if (cache === undefined) throw new Error('no cache folder');
  const folder = join(cache, 'completion');
  checkOwnFolder(folder);
  makeFolder(folder);
  for (const file of readdirSync(folder).map((other) => join(folder, other)))
    if (statSync(file).mtimeMs < now() - lifetime) rmSync(file, { force: true });
  return join(folder, name);
}

/** Run a function on a file of the cache. @returns undefined if it is missing, damaged or cannot be written */
const inCache = <T>(context: Context, name: string, use: (file: string) => T): T | undefined =>
  attempt(() => use(cacheFile(context, name)));

interface Asking {
  readonly line: TypedLine;
  /** Milliseconds until the values are of no use. */
  readonly left: number;
  /** Fetches values again in a process that the shell does not wait for; absent in that process. */
  readonly refresh?: () => void;
}

/**
 * Prepare the call of a list command. Its project or group comes from the command line or the settings, and its arguments are those with
 * the same name on the command line: the `5` of `hooks resend 5`.
 */
async function listCall(area: string, name: string, typed: TypedLine, session: Session): Promise<Call> {
  const { command } = await lookUp.find({ area, command: name });
  if (!command) throw new Error(`no command ${name}`);
  const { prepareCall } = await import('../../request/prepare.ts');
  const given = (typed.command?.arguments ?? []).map(({ field }, at) => [field, typed.args[at]] as const);
  const isAccepted = (name: string) => command.arguments.some(({ field }) => field === name);
  const args = given.filter(([field, word]) => word !== undefined && isAccepted(field));
  const fields = typed.command?.area === area ? typed.command.endpoints[0]?.offers : undefined;
  const scopes = scopesOf(command).flatMap(({ name }) => (typed.values.has(name) ? [name] : []));
  return prepareCall(session, command, {
    ...{ words: [], tail: [], fields: fields ?? {}, options: {}, repeated: [] },
    args: Object.fromEntries(args) as Record<string, string>,
    ...Object.fromEntries(scopes.map((scope) => [scope, typed.values.get(scope)])),
  });
}

/** The columns that tell a person which row it is, by kind: the first text in this order names the row. */
const described: readonly (ColumnKind | undefined)[] = ['name', 'text', 'state', 'person'];
const maxTexts = 4;
const maxLength = 60;

/**
 * Return a function that describes a row by its columns: its name, then other texts in parentheses. For a value inside an object, these
 * are the attributes of that object.
 */
function describerOf(endpoint: Endpoint, attribute: string): (row: Row) => string {
  const fields = returnedFields(endpoint);
  const parent = attribute.slice(0, Math.max(attribute.lastIndexOf('.'), 0));
  const columns =
    parent === ''
      ? endpoint.columns.map(pathOfColumn)
      : Object.keys(keysOf(fieldAt(fields, parent)) ?? {}).map((name) => `${parent}.${name}`);
  const rank = (path: string) => described.indexOf(kindAt(fields, path));
  const paths = columns
    .filter((path) => rank(path) >= 0 && path !== attribute && !isSecret(fieldAt(fields, path)))
    .sort((one, other) => rank(one) - rank(other));
  return (row) => {
    const texts = paths.flatMap(
      (path) => scalarText(guarded(fieldAt(fields, path), valueAt(row, path))) || [],
    );
    const [head = '', ...others] = texts.slice(0, maxTexts);
    const text = others.length === 0 ? head : `${head} (${others.join(', ')})`;
    return [...text].length > maxLength ? `${[...text].slice(0, maxLength - 1).join('')}…` : text;
  };
}

/** Prepare the list of a source such as `branches/list/name`. @returns its call, and a function that reads its values */
export async function listOf(source: Source, line: TypedLine, session: Session) {
  const [area = '', name = '', attribute = ''] = source.split('/');
  const call = await listCall(area, name, line, session);
  const describe = describerOf(call.endpoint, attribute);
  const attributes = returnedFields(call.endpoint);
  const { area: typedArea, endpoints: [endpoint] = [] } = line.command ?? {};
  // Flags of the command that is typed which are attributes of the rows, such as the scope of a variable.
  const selecting = Object.keys((typedArea === area && endpoint?.flags) || {}).filter(
    (flag) => fieldOf(attributes, flag) && !line.values.has(kebab(flag)),
  );
  async function* read(maxPages: number): AsyncGenerator<Candidate> {
    const { listRows } = await import('../../request/response.ts');
    for await (const row of listRows(session, call, { maxPages })) {
      const selector = selecting.flatMap((flag) => [
        `--${kebab(flag)}`,
        scalarText(valueAt(row, flag)) ?? '',
      ]);
      const candidate = { value: scalarText(valueAt(row, attribute)) ?? '', doc: describe(row) };
      yield selector.length > 0 ? { ...candidate, selector } : candidate;
    }
  }
  return { call, read };
}

/** Return the values of a list such as `branches/list/name`: those of the last day, or else a response within the time that is left. */
async function fromService(source: Source, { line, left, refresh }: Asking, session: Session) {
  const { context, settings } = session;
  // A token command may prompt for a password.
  if (settings.accessToken?.from.endsWith('(token_command)')) return [];
  const { call, read: readValues } = await listOf(source, line, session);
  const { endpoint, slots, values: filters } = call;
  const credential = await session.credential(endpoint.access);
  if (!credential) return [];
  const fetchValues = async (): Promise<Candidate[]> => {
    const values: Candidate[] = [];
    for await (const value of readValues(1)) values.push(value);
    return values;
  };
  // A sandbox for one command has a new port each time.
  const root = settings.baseUrl?.from === '--sandbox' ? '--sandbox' : session.root();
  // Another token may see other rows. The name contains only a digest.
  const { createHash } = await import('node:crypto');
  const key = JSON.stringify([source, root, endpoint.path, slots, filters, credential.header]);
  const file = `${createHash('sha256').update(key).digest('hex')}.json`;
  const now = context.now();
  const read = (path: string) => JSON.parse(readOwn(path).toString('utf8')) as Cached;
  const write = (cached: Cached) =>
    inCache(context, file, (path) => {
      replaceFileSync(path, JSON.stringify(cached));
      return true;
    });
  const found = refresh && inCache(context, file, read);
  const cached = found && found.fetched > now - lifetime ? found : undefined;
  if (cached && cached.freshUntil > now) return cached.values;
  const known = cached?.values.length ? cached.values : undefined;
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, left, undefined));
  const values = known ?? (await Promise.race([fetchValues().catch(() => undefined), late]));
  if (known || !values) {
    // If the cache cannot be written, each completion would start a process.
    const claim = { values: [], fetched: now, ...cached, freshUntil: now + backgroundDeadline };
    if (refresh && write(claim)) refresh();
  } else write({ values, fetched: now, freshUntil: now + freshTime });
  return values ?? [];
}

/** The flags that select the service. The rest of the line is incomplete and may be invalid. */
export function connectionOf({ values }: TypedLine): Options {
  const connection = serverFlags.flatMap(([name, { kind }]) =>
    values.has(name) ? [[optionName(name), kind === undefined || values.get(name)]] : [],
  );
  return { ...Object.fromEntries(connection), quiet: true, retries: 0 };
}

export async function valuesOf(source: Source, asking: Asking, context: Context) {
  if (source === 'profile')
    return Object.entries(readProfiles(pathsOf(context.env)).profiles).map(([value, { base_url: doc }]) => ({
      value,
      ...(doc ? { doc: withoutUser(doc) } : {}),
    }));
  const options = connectionOf(asking.line);
  return withSession(options, context, async (session) => {
    if (source === 'project' || source === 'group')
      return recentPaths(session, source).map((value) => ({ value }));
    return fromService(source, asking, { ...session, notes: { ...session.notes, warn() {} } });
  });
}

/** Add a value to those found. Equal values are one with both descriptions, such as a variable with two scopes. */
export function merge(found: Map<string, string>, { value, doc = '' }: Candidate): void {
  const before = found.get(value);
  found.set(value, before === undefined || before === doc ? doc : `${before}; ${doc}`);
}

const folded = (value: string): string => value.toLowerCase().replaceAll('-', '_');

/** Format an offer, without values that have control characters. Numbers are sorted, the newest first: the order of a list may be another. */
function linesOf({ kind, lead, text }: Offer, values: readonly Candidate[]): string {
  const merged = new Map<string, string>();
  // Two values that are shown alike would be one word with a description for a shell.
  for (const candidate of values)
    if (printable(candidate.value) === candidate.value) merge(merged, candidate);
  // A shell that ignores case, and takes - for _, would insert the description of values that are alike.
  const alike = groupBy(merged.keys(), folded);
  const all = [...merged]
    .map(([value, doc]) => ({ value, doc: alike.get(folded(value))?.length === 1 ? printable(doc) : '' }))
    .filter(({ value }) => value !== '' && value.startsWith(text));
  if (all.every(({ value }) => /^\d+$/.test(value))) all.sort((a, b) => Number(b.value) - Number(a.value));
  const lines = all.map(({ value, doc }) => `${value}${doc === '' ? '' : `\t${doc}`}\n`);
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
  const { line, offer } = await offerFor(words);
  if (!offer) return '';
  const { source, values = [] } = offer;
  if (source === undefined) return linesOf(offer, values);
  const left = deadline - (context.elapsed?.() ?? 0);
  const asking =
    rest[0] === background
      ? { line, left: backgroundDeadline }
      : { line, left: Math.max(0, left), refresh: () => completeInBackground(words, context) };
  const found = await valuesOf(source, asking, context).catch(() => []);
  // A shell would insert such a value as a flag.
  return linesOf(offer, [...values, ...found.filter(({ value }) => !value.startsWith('-'))]);
}

/** Print the values for the words after `__complete … --`. Prints nothing on failure or after the time limit. */
export async function runUnparsed(rest: readonly string[], context: Context): Promise<ExitCode> {
  const lines = await complete(rest, context);
  await new Promise<void>((done) => context.stdout.write(lines, () => done()));
  context.leave?.(0);
  return 0;
}
