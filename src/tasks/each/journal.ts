/** The journal of `svc each`: what was started and what ended, so that an interrupted run can be resumed. */
import { hash, randomBytes } from 'node:crypto';
import { Failure, unusable, usage } from '../../errors.ts';
import type { Target } from '../../spec/resource.ts';
import { errorCode } from '../../support/errno.ts';
import { appendTo, openForAppending, readCompleteLines } from '../../support/journal.ts';
import { jsonIn } from '../../support/json.ts';
import { isRecord } from '../../support/record.ts';
import { shellQuote } from '../../support/shell.ts';
import { removeLeftovers } from '../../support/system/leftovers.ts';
import { acquireLock, LockTimeout } from '../../support/waiting/lock.ts';
import type { TargetResult } from '../context.ts';
import { targetKey } from '../engine/model.ts';

/** How a target ended in earlier runs. `unknown`: it may have been executed. */
export type Earlier = 'done' | 'failed' | 'unknown';

export interface Entry {
  readonly target: string;
  /** Identifies a row in place of its name, which is its number: its content, or the digest of the content on a line. */
  readonly row?: string | undefined;
}

/** The first line of a run. A journal holds digests instead of values, because values may be secret. */
interface Facts {
  /** Salt and digest of the command, so that a journal is not resumed with another one. */
  readonly command: string;
  /** The name of the command, which earlier versions did not keep. */
  readonly name?: string | undefined;
  /** The service: a run for a test system is not resumed with another one. */
  readonly server: string;
  /** Digests of the files that the command reads, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The targets that were read from standard input, so that the run can be resumed without them. */
  readonly targets?: readonly ReturnType<typeof targetKey>[] | undefined;
  readonly total: number;
}

export interface Line extends Entry {
  readonly state: 'started' | 'done' | 'failed';
  readonly at: string;
  readonly exit?: number;
  readonly error?: TargetResult['error'];
  /** The failure does not tell whether the request was executed. */
  readonly unknown?: true;
  /** With this line, all targets of the run are done. */
  readonly complete?: true;
}

export type Journal = Awaited<ReturnType<typeof openJournal>>;

type Ended = Pick<TargetResult, 'exit' | 'uncertain' | 'error'>;

interface Run {
  /** The words of the command, before rows are filled in. */
  readonly words: readonly string[];
  readonly name?: string;
  readonly server: string;
  readonly files?: ReadonlyMap<string, string>;
  readonly targets?: readonly Target[] | undefined;
  readonly total: number;
  readonly resume: boolean;
  readonly now: () => number;
}

/** Milliseconds. A process that was killed may need a moment to end. */
const lockWait = 3_000;

export const keyOf = ({ target, row }: Entry): string => (row === undefined ? ` ${target}` : row);

function digest(salt: string, value: unknown): string {
  return hash('sha256', `${salt}${JSON.stringify(value)}`).slice(0, 16);
}

/** The digests of the files of this run. @throws Failure `usage` for a file that changed since an earlier one */
function checkFiles(files: ReadonlyMap<string, string>, earlier: readonly Facts[], salt: string) {
  const known = new Map(earlier.flatMap((one) => Object.entries(one.files)));
  const now = [...files].map(([name, content]) => [name, digest(salt, content)] as const);
  const [changed] = now.find(([name, content]) => (known.get(name) ?? content) !== content) ?? [];
  if (changed !== undefined)
    throw usage(
      `${changed === '-' ? 'standard input' : changed} is not what the earlier run read`,
      'resume with the same content, or start another run without --resume',
    );
  return Object.fromEntries(now);
}

/**
 * Open a journal for this process alone.
 * @throws Failure `usage` if it is in use, if a new journal exists already, or if one to resume belongs to another command or service, or other files
 */
export async function openJournal(path: string, run: Run) {
  const { words, name, server, files = new Map(), targets, total, resume, now } = run;
  const unusableJournal = (error: unknown, hint?: string) => unusable(`the journal ${path}`, error, hint);
  const lock = await acquireLock(`${path}.lock`, lockWait).catch((error: unknown) => {
    if (error instanceof LockTimeout)
      throw usage(`the journal ${path} is in use by process ${error.owner}`, 'wait until it ends');
    throw unusableJournal(error, anotherFile);
  });
  try {
    const { runs, lines, complete, isCut } = resume ? await readLines(path) : noLines;
    const [first] = runs;
    const salt = first?.command.split('.', 1)[0] ?? randomBytes(8).toString('hex');
    const command = `${salt}.${digest(salt, words)}`;
    if (first && first.command !== command)
      throw usage(`the journal ${path} belongs to another command`, 'resume with the same command and flags');
    if (first && first.server !== server)
      throw usage(`the journal ${path} is of ${first.server}, not ${server}`, 'resume with the same service');
    const facts: Facts = {
      ...{ command, name, server, files: checkFiles(files, runs, salt) },
      ...{ targets: targets?.map(targetKey), total },
    };
    const states = new Map(
      lines.map((line) => [keyOf(line), { target: line.target, earlier: earlierOf(line) }]),
    );
    const recorded = ({ target, row }: Entry): Entry =>
      row === undefined ? { target } : { target, row: digest(salt, row) };
    const { handle, size } = await openForAppending(path);
    if (!resume && size > 0) {
      await handle.close();
      throw usage(
        `the journal ${path} exists already`,
        `use --resume ${shellQuote(path)}, or name another file`,
      );
    }
    // A process that was killed may have left part of a line.
    const appender = appendTo(handle, isCut ? complete : undefined);
    const fail = (error: unknown) => {
      throw unusableJournal(error);
    };
    const textOf = (line: object) => `${JSON.stringify({ ...line, at: new Date(now()).toISOString() })}\n`;
    let isWritten = resume;
    let header = textOf(facts);
    const write = async (line: string, flush: boolean) => {
      const text = `${header}${line}`;
      header = '';
      await appender.append(text, flush).catch(fail);
      isWritten = true;
    };
    return {
      path,
      /** Whether the journal has the header that a resumed run requires. A full disk may prevent it. */
      isWritten: () => isWritten,
      earlier: (entry: Entry): Earlier | undefined => states.get(keyOf(recorded(entry)))?.earlier,
      /** The targets of earlier runs that are not among these. */
      others(entries: readonly Entry[]) {
        const keys = new Set(entries.map((entry) => keyOf(recorded(entry))));
        return [...states].flatMap(([key, state]) => (keys.has(key) ? [] : [state]));
      },
      async started(entry: Entry): Promise<void> {
        // A suspended process loses its lock after ten seconds.
        if (!lock.isHeld()) {
          const message = `another process took over the journal ${path} while svc was suspended`;
          throw new Failure(isWritten ? 'partial' : 'usage', message);
        }
        await write(textOf({ ...recorded(entry), state: 'started' }), true);
      },
      /** Write the line with the next ones. @param complete all targets of the run are done */
      ended(entry: Entry, { exit, uncertain, error }: Ended, complete = false): void {
        const line: Omit<Line, 'at'> = {
          ...recorded(entry),
          state: exit === 0 ? 'done' : 'failed',
          exit,
          ...(error && { error }),
          ...(uncertain && { unknown: true }),
          ...(complete && { complete: true }),
        };
        // The next start, or the end of the journal, reports the same error.
        write(textOf(line), false).catch(() => {});
      },
      async close(): Promise<void> {
        // A resumed run without another target does not change the journal.
        if (!resume && header !== '' && lock.isHeld()) write('', true).catch(() => {});
        await appender.close().catch(fail).finally(lock.release);
      },
    };
  } catch (error) {
    lock.release();
    throw error instanceof Failure ? error : unusableJournal(error, anotherFile);
  }
}

const anotherFile = 'name another file with --journal';

export function earlierOf({ state, unknown }: Line): Earlier {
  return state === 'started' || unknown ? 'unknown' : state;
}

/** The names of journals that the user did not choose: the time, and a random number. */
const ownName = /^\d{8}T\d{6}Z-[0-9a-f]{8}\.ndjson$/;
/** Milliseconds since the last line of a journal of a completed run. */
const keptFor = 30 * 24 * 60 * 60 * 1000;

export function journalName(now: number, random: Buffer): string {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${random.toString('hex', 0, 4)}.ndjson`;
}

/** Remove old journals of completed runs. Journals with something to resume, journals in use and other files stay. */
export function removeOldJournals(folder: string, now: number): Promise<void> {
  return removeLeftovers(folder, async (name, found, path) => {
    if (!ownName.test(name) || !found.isFile() || now - found.mtimeMs < keptFor) return false;
    const { lines, isCut } = await readLines(path);
    return !isCut && lines.at(-1)?.complete === true;
  });
}

/** Return the targets that a journal keeps. @throws Failure `usage` if it keeps none */
export async function keptTargets(path: string): Promise<Target[]> {
  const { runs } = await readLines(path);
  const kept = runs.findLast(({ targets }) => targets)?.targets;
  if (kept)
    return kept.map(({ project, group }) =>
      project === undefined
        ? { scope: 'group', id: String(group) }
        : { scope: 'project', id: String(project) },
    );
  throw usage(`no targets given, and the journal ${path} contains no list`, 'name the targets of the run');
}

const noLines = { runs: [] as Facts[], lines: [] as Line[], complete: 0, isCut: false };

/** Read the complete lines, and their length in bytes. @throws Failure `usage` for another file */
export async function readLines(path: string): Promise<typeof noLines> {
  const {
    lines,
    end: complete,
    size,
  } = await readCompleteLines(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw usage(`there is no journal ${path}`);
    throw unusable(`the journal ${path}`, error);
  });
  const hint = 'name a file that svc each wrote';
  // Nothing was sent before the first line was complete. The bytes may be another file of the user, which appending would truncate.
  if (complete === 0 && size > 0) throw usage(`${path} is not a journal`, hint);
  const parsed = lines.map((line, at) => {
    const value = parseLine(line.toString());
    if (!value) throw usage(`${path}, line ${at + 1} is not a line of a journal`, hint);
    return value;
  });
  return {
    ...{ complete, isCut: complete < size },
    runs: parsed.filter((line) => 'command' in line),
    lines: parsed.filter((line) => 'state' in line),
  };
}

function parseLine(text: string): Line | Facts | undefined {
  const value = jsonIn(text);
  const { command, state, target, at } = isRecord(value) ? value : {};
  const isLine = ['started', 'done', 'failed'].includes(state as string) && typeof target === 'string';
  const isRun = state === undefined && typeof command === 'string';
  return typeof at === 'string' && (isLine || isRun) ? (value as unknown as Line | Facts) : undefined;
}
