/** `--wait`: poll an operation that the service carries out in the background until it ends. */
import { Failure, forPerson, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Call } from '../../spec/request.ts';
import type { Note, Result } from '../../spec/result.ts';
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

export interface Outcome {
  readonly response: Response;
  readonly state: State;
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
  return async (task) => waitOrRun(task, await prepareToWait(task), wait, run);
}

/** Validate the command line of a command that can wait. */
async function prepareToWait(task: TaskContext): Promise<Call> {
  if (isWaiting(task)) timeoutOf(task);
  return task.prepare();
}

/** Send a prepared call and wait for its outcome if `--wait` is given. In a dry run, describe the request only. */
export async function waitOrRun(
  task: TaskContext,
  call: Call,
  wait: Step,
  run: Step = (_, prepared) => task.run(prepared),
): Promise<Result> {
  if (!isWaiting(task)) return run(task, call);
  timeoutOf(task);
  return task.dryRun ? task.requests([call]) : wait(task, call);
}

/** Something that is fetched until it has ended. */
interface Repeated<T> {
  /** `migration 23` */
  readonly name: string;
  readonly fetch: () => Promise<T>;
  readonly stateOf: (value: T) => Pick<State, 'status' | 'ended'>;
  /** Milliseconds. */
  readonly timeout: number;
  /** Milliseconds between two requests at most. */
  readonly longest?: number;
  /** A value that is known already. */
  readonly start?: T | undefined;
}

/** Milliseconds that a request may take beyond the timeout, for example because it is retried. */
const grace = 5_000;

/** A timeout for requests. It runs in real time, unlike the clock of the task in tests. */
function openLimit(timeout: number) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    // Timers are limited to 2^31 ms.
    timer = setTimeout(() => resolve(undefined), Math.min(timeout + grace, 2 ** 31 - 1));
  });
  return {
    /** @returns undefined if the request takes longer than the timeout allows */
    within: <T>(request: Promise<T>): Promise<T | undefined> => Promise.race([request, late]),
    end: () => clearTimeout(timer),
  };
}

/**
 * Fetch at growing intervals until the end or the timeout.
 * @throws Failure `unsuccessful` if the service does not even answer the first request in this time
 */
export async function fetchUntilEnd<T>(
  task: TaskContext,
  { name, fetch, stateOf, timeout, longest = longestPause, start }: Repeated<T>,
): Promise<{ value: T; timedOut: boolean }> {
  const deadline = task.now() + timeout;
  const limit = openLimit(timeout);
  let waiting: Waiting | undefined;
  try {
    let value = start ?? (await limit.within(fetch()));
    if (value === undefined)
      throw new Failure('unsuccessful', `no state of ${name} was received within ${timeout / 1000} s`);
    let state = stateOf(value);
    if (state.ended) return { value, timedOut: false };
    waiting = task.waiting(`waiting for ${name}: ${state.status}`);
    for (let step = Math.min(first, longest); ; step = Math.min(step * growth, longest)) {
      const left = deadline - task.now();
      if (left <= 0) return { value, timedOut: true };
      await task.pause(Math.min(step, left));
      const next = await limit.within(fetch());
      if (next === undefined) return { value, timedOut: true };
      value = next;
      state = stateOf(value);
      if (state.ended) return { value, timedOut: false };
      waiting.say(`waiting for ${name}: ${state.status}`);
    }
  } finally {
    limit.end();
    waiting?.end();
  }
}

/** Poll until the operation ends or `--wait-timeout` elapses. @param start a response that is known already */
export async function poll(
  task: TaskContext,
  operation: Operation,
  fetch: () => Promise<Response>,
  start?: Response,
): Promise<Outcome> {
  let state: State | undefined;
  const stateOf = ({ value }: Response) => {
    state = operation.stateOf(value);
    return state;
  };
  const timeout = timeoutOf(task);
  const { name } = operation;
  const { value, timedOut } = await fetchUntilEnd(task, { name, fetch, stateOf, timeout, start });
  return { response: value, state: state ?? operation.stateOf(value.value), timedOut };
}

/** The last response and the outcome: a failure `unsuccessful` after a timeout, or if the operation failed. */
export function outcomeResult(
  task: TaskContext,
  operation: Operation,
  endpoint: Endpoint,
  { response, state, timedOut }: Outcome,
): Result {
  const { name, resume } = operation;
  const unsuccessful = (message: string, ...hints: readonly string[]) =>
    task.response(response, endpoint, {
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
  return task.response(response, endpoint, { notes });
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
  const found = value[name];
  if (['string', 'number', 'bigint'].includes(typeof found)) return String(found);
  throw new Failure('server_error', `the response lacks the documented attribute ${name}`);
}
