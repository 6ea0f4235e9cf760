/**
 * The interface between tasks and the program. Tasks do not depend on HTTP, formats or settings, so that tests can run them against a fake.
 */
import type { Command } from '../spec/command.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import type { Call } from '../spec/request.ts';

/** The flags of the program that tasks read. */
export interface TaskOptions {
  readonly data?: string | undefined;
  readonly wait?: true | undefined;
  readonly waitTimeout?: string | undefined;
  readonly watch?: string | true | undefined;
  readonly download?: string | undefined;
}

/** The command line of a task, before its values are validated. */
export interface TaskLine {
  readonly args: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly options: TaskOptions;
}

/** The response to a call: parsed for decisions, and as bytes for printing, which keeps every number exact. */
export interface Result {
  readonly value: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
  /** The service processes the request in the background (202). */
  readonly accepted: boolean;
}

/** The progress of a task with several steps. */
export interface Progress {
  /** Begin the next step. @param subject what it is about: `LOG_LEVEL` */
  step(subject?: string): void;
  end(): void;
}

/** The state of something that a task waits for. */
export interface Waiting {
  say(state: string): void;
  end(): void;
}

/** A file that a download goes to, checked before the first request. */
export interface Target {
  readonly path: string;
  readonly force: boolean;
}

export interface TaskContext {
  readonly command: Command;
  readonly line: TaskLine;
  /** Requests are printed instead of sent: `--dry-run` or `--curl`. */
  readonly dryRun: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  env(name: string): string | undefined;
  /**
   * Choose the endpoint for the command line and validate its values.
   * @param change endpoints or a command line that replace those of the command
   * @throws Failure `usage`
   */
  prepare(change?: { endpoints?: readonly Endpoint[]; line?: TaskLine }): Promise<Call>;
  /** Run one call like an ordinary command: confirm, send and print, or print the request in a dry run. */
  run(call: Call): Promise<void>;
  /** Send one call. @throws Failure with hints for any response that is not a success */
  call(call: Call): Promise<Result>;
  /** Print the request of a call in a dry run. */
  show(call: Call): Promise<void>;
  print(result: Result, endpoint: Endpoint): Promise<void>;
  /** Print a note on standard error, unless `--quiet`. */
  note(text: string): void;
  /** Report success to a person at a terminal. */
  done(text: string): void;
  /** Show what the task is doing on a terminal: `importing variables: 3 of 12`. @param total the number of steps, if known */
  progress(label: string, total?: number): Progress;
  /** Show a state and how long it lasts. Without a terminal, print each state once. */
  waiting(state: string): Waiting;
  /** Wait. @throws the reason of an interruption */
  pause(milliseconds: number): Promise<void>;
  /**
   * Read a file, or standard input for `-`.
   * @param what the flag, for errors
   * @param limit bytes
   */
  read(path: string, what: string, limit?: number): Promise<Uint8Array>;
  /** Ask for a secret on the terminal; undefined if prompting is not possible. */
  askSecret(question: string): Promise<string | undefined>;
  /** Mask these texts in everything that is printed on standard error. */
  conceal(secrets: readonly string[]): void;
  /** Check the file that `--download` names; undefined without the flag. */
  target(): Promise<Target | undefined>;
  /** Send a call and save its response. */
  save(call: Call, target: Target): Promise<void>;
}

/** A function that runs a command in place of a single request. */
export type Task = (task: TaskContext) => Promise<void>;

/** The tasks of an area of the API. */
export interface AreaTasks {
  /** The endpoints of the area as the command line presents them; omitted if they do not differ. */
  present?(endpoints: readonly Endpoint[]): readonly Endpoint[];
  /** By command name. */
  readonly runners: Readonly<Record<string, Task>>;
}
