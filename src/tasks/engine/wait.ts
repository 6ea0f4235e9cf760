/** `--wait`: poll an operation that the service carries out in the background until it ends. */
import { Failure, forPerson, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Call } from '../../spec/request.ts';
import type { Note, Result } from '../../spec/result.ts';
import { scalarText } from '../../support/record.ts';
import type { Response, Task, TaskContext, Waiting } from '../context.ts';

/** The state that one poll shows. */
export interface State {
  /** One word: `started`. */
  readonly status: string;
  readonly ended: boolean;
  /** Hints for an unsuccessful outcome. */
  readonly failed?: readonly string[];
  /** A note about a successful outcome, for standard error. */
  readonly note?: string;
}

export interface Operation {
  /** `migration 23` */
  readonly name: string;
  /** The command that continues after a timeout. */
  readonly resume: string;
  readonly stateOf: (value: Response['value']) => State;
}

export interface Outcome<T = Response, S = State> {
  /** The response to the last request. */
  readonly value: T;
  readonly state: S;
  readonly timedOut: boolean;
}

/** Milliseconds between two polls: at first, and at most. */
const first = 500;
const longestPause = 10_000;
const growth = 1.5;
const defaultSeconds = 600;

/** Milliseconds. */
export const timeoutOf = ({ line }: TaskContext, seconds = defaultSeconds): number =>
  (line.options.waitTimeout ?? seconds) * 1000;

/** Whether `--wait` is given. @throws Failure `usage` for flags that require `--wait` or cannot be used with it */
function isWaiting({ line: { options } }: TaskContext): boolean {
  if (options.wait === true) {
    if (options.watch !== undefined) throw usage('--wait and --watch cannot be used together');
    return true;
  }
  if (options.waitTimeout !== undefined) throw usage('--wait-timeout requires --wait');
  if (options.download !== undefined) throw usage('--download requires --wait');
  return false;
}

type Step = (task: TaskContext, call: Call) => Promise<Result>;

/** A task that waits with `--wait`. @param run what it does otherwise: by default, the ordinary command */
export function waitable(wait: Step, run?: Step): Task {
  return async (task) => {
    isWaiting(task);
    return waitOrRun(task, await task.prepare(), wait, run);
  };
}

/** Send a prepared call and wait for its outcome if `--wait` is given. In a dry run, describe the request only. */
export async function waitOrRun(
  task: TaskContext,
  call: Call,
  wait: Step,
  run: Step = (_, prepared) => task.run(prepared),
): Promise<Result> {
  if (!isWaiting(task)) return run(task, call);
  return task.dryRun ? task.requests([call]) : wait(task, call);
}

/** Something that is fetched until it has ended. */
interface Repeated<T, S> {
  /** `migration 23` */
  readonly name: string;
  readonly fetch: () => Promise<T>;
  /** Called once for each value. */
  readonly stateOf: (value: T) => S;
  /** Milliseconds. */
  readonly timeout: number;
  /** Milliseconds between two requests at most. */
  readonly longest?: number | undefined;
  /** A value that is known already. */
  readonly start?: T | undefined;
}

/** Milliseconds that a request may take beyond the timeout, for example because it is retried. */
const grace = 5_000;

/**
 * Fetch at growing intervals until the end or the timeout.
 * @throws Failure `unsuccessful` if the service does not even answer the first request in this time
 */
export async function fetchUntilEnd<T, S extends Pick<State, 'status' | 'ended'>>(
  task: TaskContext,
  { name, fetch, stateOf, timeout, longest = longestPause, start }: Repeated<T, S>,
): Promise<Outcome<T, S>> {
  const deadline = task.now() + timeout;
  let timer: NodeJS.Timeout | undefined;
  // The limit of requests runs in real time, unlike the clock of the task in tests. Timers are limited to 2^31 ms.
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(timeout + grace, 2 ** 31 - 1));
  });
  let waiting: Waiting | undefined;
  try {
    let value = start ?? (await Promise.race([fetch(), late]));
    if (value === undefined)
      throw new Failure('unsuccessful', `no state of ${name} was received within ${timeout / 1000} s`);
    for (let step = Math.min(first, longest); ; step = Math.min(step * growth, longest)) {
      const state = stateOf(value);
      if (state.ended) return { value, state, timedOut: false };
      const text = `waiting for ${name}: ${state.status}`;
      if (waiting) waiting.say(text);
      else waiting = task.waiting(text);
      const left = deadline - task.now();
      if (left <= 0) return { value, state, timedOut: true };
      await task.pause(Math.min(step, left));
      const next = await Promise.race([fetch(), late]);
      if (next === undefined) return { value, state, timedOut: true };
      value = next;
    }
  } finally {
    clearTimeout(timer);
    waiting?.end();
  }
}

/** Poll until the operation ends or `--wait-timeout` elapses. @param start a response that is known already */
export async function poll(
  task: TaskContext,
  { name, stateOf }: Operation,
  fetch: () => Promise<Response>,
  start?: Response,
): Promise<Outcome> {
  const timeout = timeoutOf(task);
  return fetchUntilEnd(task, { name, fetch, stateOf: ({ value }) => stateOf(value), timeout, start });
}

/** The last response and the outcome: a failure `unsuccessful` after a timeout, or if the operation failed. */
export function outcomeResult(
  task: TaskContext,
  operation: Operation,
  endpoint: Endpoint,
  { value, state, timedOut }: Outcome,
): Result {
  const { name, resume } = operation;
  const unsuccessful = (message: string, ...hints: readonly string[]) =>
    task.response(value, endpoint, {
      failure: new Failure('unsuccessful', message, { hint: forPerson(...hints) }),
    });
  if (timedOut)
    return unsuccessful(
      `${name} did not end within ${timeoutOf(task) / 1000} s; its status is ${state.status}`,
      `the service continues; wait again with: ${resume}`,
    );
  if (state.failed) return unsuccessful(`${name} ended as ${state.status}`, ...state.failed);
  const notes: Note[] = [{ how: 'done', text: `Finished ${name}` }];
  if (state.note) notes.push({ how: 'say', text: state.note });
  return task.response(value, endpoint, { notes });
}

/** Poll until the operation ends, and return the outcome. */
export async function waitForOutcome(
  task: TaskContext,
  operation: Operation,
  endpoint: Endpoint,
  fetch: () => Promise<Response>,
  start?: Response,
): Promise<Result> {
  return outcomeResult(task, operation, endpoint, await poll(task, operation, fetch, start));
}

/** An attribute that identifies the resource, as text. @throws Failure `server_error` if the response lacks it */
export function attributeOf(value: Response['value'], name: string): string {
  const found = scalarText(value[name]);
  if (found !== undefined) return found;
  throw new Failure('server_error', `the response lacks the documented attribute ${name}`);
}
