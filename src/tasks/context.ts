/**
 * The interface between tasks and the program. Tasks do not depend on HTTP, formats or settings, so that tests can run them against a fake.
 */

import { type Failure, forPerson, type Kind, unwritable, usage } from '../errors.ts';
import { type Command, type Declaration, type Effect, pathOf } from '../spec/command.ts';
import type { Endpoint, Scope } from '../spec/endpoint.ts';
import type { FlagSpecs, OptionsOf } from '../spec/flag.ts';
import type { Call } from '../spec/request.ts';
import type { Row, Target } from '../spec/resource.ts';
import type { Frame, Result } from '../spec/result.ts';
import { decode } from '../support/bytes.ts';
import { mapInOrder } from '../support/in-order.ts';
import type { Fill } from '../support/placeholders.ts';
import { checkReplaceable, createOrReplace } from '../support/system/user-file.ts';
import type { Pen, Tone } from '../support/text/pen.ts';
import type { PlanPart } from './engine/plan-text.ts';

export interface TaskOptions {
  readonly data?: string | undefined;
  readonly wait?: true | undefined;
  readonly waitTimeout?: number | undefined;
  readonly notify?: true | undefined;
  readonly watch?: number | true | undefined;
  readonly download?: string | undefined;
  readonly outputFile?: string | undefined;
  readonly yes?: true | undefined;
  readonly quiet?: true | undefined;
  readonly output?: string | undefined;
  readonly json?: true | undefined;
  readonly csv?: true | undefined;
  readonly fields?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly jq?: string | undefined;
}

/** The command line of a task, before its values are validated. */
export interface TaskLine {
  readonly args: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly options: TaskOptions;
  readonly words: readonly string[];
  /** The words after `--`. */
  readonly tail: readonly string[];
  /** Flags that may be repeated, in order. */
  readonly repeated: readonly (readonly [flag: string, value: string])[];
  readonly project?: string;
  readonly group?: string;
}

export interface ChosenTarget extends Target {
  readonly isFlag: boolean;
}

/** The response to a call: parsed for decisions, and as bytes for printing, which keeps every number exact. */
export interface Response {
  readonly value: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
  /** The service processes the request in the background (202). */
  readonly accepted: boolean;
}

/** A state on the terminal. It also ends with the command. */
export interface Progress {
  /** Begin the next step, or show the next state. @param subject what it is about: `LOG_LEVEL` */
  step(subject?: string): void;
  end(): void;
}

/** A request to a server that is not the service, such as the receiver of a webhook. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Texts to mask in the response, in case the server repeats them. */
  readonly secrets: readonly string[];
  /** Complete a request that has begun even if the user interrupts the task. */
  readonly complete?: true;
}

export interface Incoming {
  readonly status: number;
  /** The start of the body. */
  readonly text: string;
}

/** A JSON value in the state folder that only one process at a time uses. */
export interface SavedState {
  /** The value when it was opened; undefined if there is none. */
  readonly value: unknown;
  /** Replace the value. It is on the disk when the promise resolves. */
  save(value: unknown): Promise<void>;
  remove(): Promise<void>;
  close(): void;
}

/** One target of `svc each`, and the command line to run for it. */
export interface TargetLine {
  /** The words after `svc`. */
  readonly words: readonly string[];
  /** Fills in the row of the target, if the words have placeholders. */
  readonly fill?: Fill;
  readonly target?: Target;
  /** For messages: the project or the group, or else the number of the row. */
  readonly name: string;
  readonly row?: number;
}

export interface TargetResult {
  readonly exit: number;
  readonly failure?: Failure;
  /** The kind of the error, if it is not that of the failure. */
  readonly kind?: string;
  /** The error without secrets, for the journal: its kind, or `unknown`, and its message. */
  readonly error?: { readonly kind: string; readonly message: string } | undefined;
  /** The service may have executed a request that must not be sent twice. */
  readonly uncertain: boolean;
  /** The user interrupted it after it had printed something. */
  readonly interrupted?: true;
}

export interface Subcommand {
  /** `variables set` */
  readonly path: string;
  /** The command line, without secrets: `svc variables delete KEY` */
  shown(): string;
  readonly summary: string;
  readonly effect: Effect;
  /** The calls that it may send; empty for a task. */
  readonly endpoints: readonly Endpoint[];
  readonly area: string;
  readonly idempotent: boolean;
  /**
   * Parse and validate a command line. Nothing is sent.
   * @returns the project or group that the command line names
   * @throws Failure `usage`
   */
  check(line: TargetLine): Promise<string | undefined>;
  /** The digest of each file and variable that the command lines checked so far read, by its name. `-` is standard input. */
  readonly files: ReadonlyMap<string, string>;
  /** Run a command line, and keep what it prints until `print`. @throws only an interruption before it printed anything, or a bug */
  run(line: TargetLine): Promise<TargetResult>;
  print(line: TargetLine, result: TargetResult): Promise<void>;
  end(): Promise<void>;
}

/** The service that a command uses, for a confirmation. */
export function serverName(task: Pick<Caller, 'server'>): string {
  const server = task.server();
  return server === 'sandbox' ? 'the sandbox' : new URL(server).host;
}

export interface Caller {
  /**
   * Choose the endpoint for the command line and validate its values.
   * @param change endpoints, or parts of the command line, that replace those of the command
   * @throws Failure `usage`
   */
  prepare(change?: { endpoints?: readonly Endpoint[]; line?: Partial<TaskLine> }): Promise<Call>;
  /** Run one call like an ordinary command: confirm and send it, or describe the request in a dry run. */
  run(call: Call): Promise<Result>;
  /** Send one call. @throws Failure with hints for any response that is not a success */
  call(call: Call): Promise<Response>;
  /**
   * Read a list to its end.
   * @param numbers `exact`: an ExactNumber in place of each number that a JavaScript number would change
   * @param maxPages the pages to read; by default all
   * @param mayChange rows are added or removed all the time, such as jobs
   * @throws Failure if it does not arrive as a whole, or its total changes between two pages
   */
  rows(
    call: Call,
    how?: { readonly numbers?: 'exact'; readonly maxPages?: number; readonly mayChange?: boolean },
  ): AsyncIterable<Row>;
  text(call: Call): Promise<string>;
  /** Check the file that `--download` names. @returns a function that saves the response to a call in it; undefined without the flag */
  download(): Promise<((call: Call) => Promise<void>) | undefined>;
  /**
   * Return a function that streams the bytes of a file of the service that were added since the last call, each once.
   * @throws Failure while reading: `network` if it does not arrive as a whole, `server_error` if its beginning has changed
   */
  appended(call: Call): () => AsyncIterable<Uint8Array>;
  /** The requests of calls, for a dry run. */
  requests(calls: readonly Call[]): Promise<Result>;
  /** The response of a call as the result of the command. That of a command that writes is printed on request only. */
  response(response: Pick<Response, 'bytes'>, endpoint: Endpoint, frame?: Frame): Result;
  /** The URL of a call as it would be sent, with its secrets masked. */
  url(call: Call): string;
  /** The service that the command uses, for keys of saved state. The same in each run. */
  server(): string;
  /** Check that the command may write, before it reads or sends anything. @throws Failure `usage` in read-only mode */
  requireWrite(method?: 'POST' | 'PUT'): void;
  /**
   * Post to another server, without a token, retries or redirects. Read-only mode, the audit log and `--har` apply.
   * @throws Failure `network`
   */
  post(request: Outgoing): Promise<Incoming>;
}

export interface Reporter {
  /** Print a note on standard error, unless `--quiet`. */
  note(text: string): void;
  /** Print a warning on standard error, also with `--quiet`. */
  warn(text: string): void;
  /** Confirm a write that `call` sent, as its endpoint states. */
  confirmed(call: Call, response: Response): void;
  /** Show the progress of the task on a terminal: `importing variables: 3 of 12`. @param total the number of steps, if known */
  progress(label: string, total?: number): Progress;
  /** Show a state and how long it lasts. Without a terminal, print each state once. */
  waiting(state: string): Progress;
  /** Print text on standard output before the task ends: unchanged, but without control characters on a terminal. @throws errors of the stream */
  write(text: string): Promise<void>;
  /** Print lines on standard output before the task ends, on a terminal in color and wrapped. */
  paint(lines: readonly (readonly [tone: Tone, text: string])[]): Promise<boolean>;
  showPlan(parts: readonly PlanPart[]): Promise<void>;
  /** Mask these texts in everything that is printed on standard error. */
  conceal(secrets: readonly string[]): void;
}

interface Asker {
  /** Whether the user can be asked, or can use a program on the terminal. */
  readonly canPrompt: boolean;
  /**
   * Ask for confirmation, unless `--yes` gives it.
   * @throws Failure `usage` if it is denied, or if prompting is not possible
   */
  confirm(question: string): Promise<void>;
  /**
   * Open a picture on the terminal.
   * @param onResize draws again
   * @param onKey gets a character, or `up`, `down`, `escape` or `interrupt` (Ctrl-C)
   * @returns undefined if it cannot be redrawn
   */
  openView(onResize: () => void, onKey: (key: string) => void): Promise<View | undefined>;
  /** Open a web page of the service in the browser. @returns what was done */
  browse(url: string): Promise<string>;
  /** Ask for a secret on the terminal; undefined if prompting is not possible. */
  askSecret(question: string): Promise<string | undefined>;
}

export interface View {
  /** Draw in place of what was drawn before. @param paint returns at most `height` lines */
  draw(paint: (pen: Pen, height: number) => readonly string[]): void;
  /** Leave the last picture on the screen, and restore the terminal. */
  end(): void;
}

export interface Machine {
  path(typed: string): string;
  /**
   * Read a file, or standard input for `-`.
   * @param what the flag, for errors
   * @param limit bytes
   */
  read(path: string, what: string, limit?: number): Promise<Uint8Array>;
  /** The names of the files in a folder; undefined for another path. */
  folder(path: string): Promise<string[] | undefined>;
  /** The path of a file in the state folder of the user, which is created. @throws Failure if there is none */
  stateFile(name: string): Promise<string>;
  /** Open saved state. @throws Failure `usage` without a state folder or if another process uses it, `internal` if it is unusable */
  openState(name: string): Promise<SavedState>;
  /** Run another program with the terminal of this one. @returns its exit code */
  spawn(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number>;
  /** Run an editor, which handles Ctrl-C itself. @returns its exit code */
  openEditor(command: string, args: readonly string[]): Promise<number>;
}

/** The project of the command line or the settings. @throws Failure `usage` */
export function projectOf(task: TaskContext): Target {
  const scoped = task.target();
  if (scoped?.scope === 'project') return { scope: 'project', id: scoped.id };
  throw usage(
    `${pathOf(task.command)} requires --project <id|path>`,
    forPerson(
      'set SVC_PROJECT in place of the flag, or save a default with svc profiles set project <id|path>',
    ),
  );
}

/** The start of a response on one line, for the details of a failure. */
export function startOf({ text }: Incoming): string[] {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? [] : [line.length > 200 ? `${line.slice(0, 200)}…` : line];
}

export const valuesOf = ({ line }: TaskContext, flag: string): string[] =>
  line.repeated.flatMap(([name, value]) => (name === flag ? [value] : []));

/** The longest file that a task reads as a whole, in bytes. */
export const textLimit = 256 * 1024 * 1024;

/** Read a text file, or standard input for `-`. @param flag the flag or argument that names it @throws Failure `usage` */
export async function readText(
  { read }: Pick<Machine, 'read'>,
  path: string,
  flag: string,
  limit = textLimit,
): Promise<string> {
  const text = decode(await read(path, flag, limit));
  if (text === undefined) throw usage(`${flag}: ${path === '-' ? 'standard input' : path} is not UTF-8 text`);
  return text.replace(/^\ufeff/, '');
}

/** A file of a flag, which replaces an earlier one. */
interface NewFile {
  readonly flag: string;
  readonly path: string;
  /** As typed. */
  readonly name: string;
  readonly isEarlier: (start: string) => boolean;
  readonly hints: string[];
}

/** Write a file, or without a text check that it can be written. @throws Failure `usage` */
export async function writeNew({ flag, path, name, isEarlier, hints }: NewFile, text?: string) {
  try {
    if (text === undefined) checkReplaceable(path, isEarlier);
    else await createOrReplace(path, text, isEarlier);
  } catch (error) {
    throw unwritable(`${flag}: cannot write ${name}`, error, hints);
  }
}

/** A user, group, project or member to add or to change. */
export interface WorldRow {
  /** `world.yaml:3:5`, for errors. */
  readonly at: string;
  readonly attributes: Row;
  readonly members: readonly WorldRow[];
}

/** Resources of the service, as the content of a copy. */
export interface CopyContent {
  readonly rows: Readonly<Record<'users' | 'groups' | 'projects', readonly WorldRow[]>>;
  apply(service: Pick<Caller, 'rows' | 'call' | 'text'>): Promise<void>;
}

/** How the requests of a run in a copy fail. */
export interface CopyLimits {
  readonly faults?: readonly object[];
  /** The number of writes before the process seems to be killed. */
  readonly stopAfter?: number;
}

export interface Copy {
  restore(): Promise<void>;
  /**
   * Run a function in the copy, without output and confirmation. Requests to it are not those of a service: read-only mode allows them, and
   * the audit log does not list them.
   * @returns the methods of its writes, of those that succeeded, and its result unless it was stopped
   */
  run<T>(
    act: (task: TaskContext) => Promise<T>,
    limits?: CopyLimits,
  ): Promise<{
    readonly writes: readonly string[];
    readonly successes: readonly string[];
    readonly result?: T;
  }>;
  /** The events that webhooks would have received since `restore`, and the number of these webhooks. */
  deliveries(): Promise<{ readonly webhooks: number; readonly events: number }>;
  close(): Promise<void>;
}

export interface TaskContext extends Caller, Reporter, Asker, Machine {
  openCopy(content: CopyContent): Promise<Copy>;
  readonly command: Command;
  readonly line: TaskLine;
  /** Requests are described instead of sent: `--dry-run` or `--curl`. */
  readonly dryRun: boolean;
  /** `svc each` runs the command, also for other targets. */
  readonly isOneOfSeveral: boolean;
  /** `-o`, or another source of the output format; undefined if only the default applies. */
  readonly format: string | undefined;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** @param use `sent`: the value becomes a part of requests, so svc each resumes a run only with the same value */
  env(name: string, use?: 'sent'): string | undefined;
  readonly signal: AbortSignal;
  /** Wait. @throws the reason of an interruption */
  pause(milliseconds: number): Promise<void>;
  /** The id or path of a project or group that a user named, by its URL for example. @param from the flag or file that names it */
  scopeId(scope: 'project' | 'group', value: string, from: string): string;
  /** The project or group of the command line, or else of the settings. @param flagsOnly leaves out the settings */
  target(flagsOnly?: boolean): ChosenTarget | undefined;
  /** Copy a value with the known tokens masked, for a plan in a format for programs. */
  withoutTokens<T>(value: T): T;
  /** A command for a hint: `svc` and these words, quoted, with the flags of this command that select the target, service and credential. */
  resumeCommand(words: readonly string[]): string;
}

export interface EachContext extends TaskContext {
  /** The command of the words after `--`. */
  readonly subcommand: Subcommand;
  /** Call a function when the reader of the output closes the pipe, instead of ending the process. */
  onReaderGone(act: () => void): void;
}

/** Options of a task that may be omitted. */
export type Maybe<T> = { readonly [K in keyof T]?: T[K] | undefined };

export type Task = (task: TaskContext) => Promise<Result>;

/** A task with options of its own, which may be omitted. */
export type TaskWith<O> = (task: TaskContext, options: Maybe<O>) => Promise<Result>;

/** A command that is a task. */
export interface TaskCommand extends Declaration {
  /** By default, a task that has `prints` reads, and any other writes. */
  readonly effect: Effect;
  /** Descriptions and the words after the name of the command, without `--project` or `--group` if it accepts only one of them. */
  readonly examples: Readonly<Record<string, string>>;
  /** Running it again has a further effect: another message, another run of a program. */
  readonly idempotent?: false;
  /** The failures that only some commands can have: exit codes 9, 10 and 11. */
  readonly exits?: readonly Kind[];
  readonly flags?: FlagSpecs;
  /** The flags of the program that it accepts besides those of the connection; by default, those for what it prints. */
  readonly shared?: readonly string[];
  readonly scopes?: readonly Scope[];
  /** Describes the rows or the object that it prints, for `--fields help` and the schema. */
  readonly prints?: Endpoint;
  /** The formats that `--output` accepts, if they are its own. */
  readonly formats?: readonly string[];
  /** How `svc mcp` offers it. Without it, the command is not a tool: it needs a terminal, a file or another program, or prints secrets. */
  readonly tool?: TaskTool;
  /** It reads the same pages again until something happens. */
  readonly polls?: true;
  readonly notInEach?: string;
  /** A flag without which it never ends, so that `svc each` requires it. */
  readonly endsWith?: string;
  readonly run: Task;
}

/** A task as a tool. It prints an object, or rows. */
export interface TaskTool {
  /** Its flags that are parameters of the tool. */
  readonly flags: readonly string[];
  /** Texts in place of those of the command, which are about exit codes and terminals. */
  readonly summary?: string;
  readonly doc?: string;
  /** In place of that of the command. */
  readonly run?: Task;
  /** Seconds to wait by default, if it waits: shorter than the time after which programs give up. */
  readonly wait?: number;
}

const sharedByObject = [
  ...['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'no-header', 'dry-run', 'curl'],
];
export const sharedByRows = [...sharedByObject, 'sort-by', 'csv-safe', 'wrap', 'all-fields'];
export const sharedByPlan = [...sharedByRows, 'yes', 'show-secrets'];

/** Declare a task. The names of its flags type its options. */
export function taskCommand<const F extends FlagSpecs = Readonly<Record<never, never>>>(
  draft: Omit<TaskCommand, 'effect' | 'flags' | 'tool' | 'run'> & {
    readonly effect?: Effect;
    readonly flags?: F;
    readonly tool?: TaskTool & { readonly flags: readonly (keyof F)[] };
    readonly run: (task: TaskContext, options: OptionsOf<F>) => ReturnType<Task>;
  },
): TaskCommand {
  const { prints, polls } = draft;
  const printed = prints?.returns.kind === 'list' ? sharedByRows : sharedByObject;
  const shared = prints ? [...printed, ...(polls ? ['notify'] : [])] : [];
  // The options were parsed with these flags.
  return {
    effect: prints ? 'read' : 'write',
    shared,
    ...draft,
    run: (task) => draft.run(task, task.line.options as OptionsOf<F>),
  };
}

export interface AreaTasks {
  /** An endpoint of the area as the command line presents it, with further ones; omitted if none differs. */
  present?(endpoint: Endpoint): Endpoint | readonly Endpoint[];
  readonly runners?: Readonly<Record<string, Task>>;
  /** The failures that only some commands can have, by the name of a command with a runner. */
  readonly exits?: Readonly<Record<string, readonly Kind[]>>;
  readonly commands?: readonly TaskCommand[];
}

/** Map names, several at a time, with progress. @throws the first error, and the reason of an interruption */
export async function mapWithProgress<R>(
  { progress, signal }: Pick<TaskContext, 'progress' | 'signal'>,
  label: string,
  names: readonly string[],
  run: (name: string) => Promise<R>,
  concurrency = 4,
): Promise<R[]> {
  const steps = progress(label, names.length);
  const results = await mapInOrder(names, concurrency, async (name) => {
    signal.throwIfAborted();
    const result = await run(name);
    steps.step(name);
    return result;
  });
  steps.end();
  signal.throwIfAborted();
  return results;
}
