/** `--wait`: poll an operation that the service carries out in the background until it ends. */
import { Failure, forPerson, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Call } from '../../spec/request.ts';
import type { Result, Task, TaskContext, Waiting } from '../context.ts';

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
  readonly stateOf: (value: Result['value']) => State;
}

export interface Outcome {
  readonly result: Result;
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

type Step = (task: TaskContext, call: Call) => Promise<void>;

/** A task that waits with `--wait`. @param run what it does otherwise: by default, the ordinary command */
export function waitable(wait: Step, run?: Step): Task {
  return async (task) => waitOrRun(task, await prepareToWait(task), wait, run);
}

/** Validate the command line of a command that can wait. */
async function prepareToWait(task: TaskContext): Promise<Call> {
  if (isWaiting(task)) timeoutOf(task);
  return task.prepare();
}

/** Send a prepared call and wait for its outcome if `--wait` is given. In a dry run, print the request only. */
export async function waitOrRun(
  task: TaskContext,
  call: Call,
  wait: Step,
  run: Step = (_, prepared) => task.run(prepared),
): Promise<void> {
  if (!isWaiting(task)) return run(task, call);
  timeoutOf(task);
  if (task.dryRun) return task.show(call);
  await wait(task, call);
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
  fetch: () => Promise<Result>,
  start?: Result,
): Promise<Outcome> {
  let state: State | undefined;
  const stateOf = ({ value }: Result) => {
    state = operation.stateOf(value);
    return state;
  };
  const timeout = timeoutOf(task);
  const { name } = operation;
  const { value, timedOut } = await fetchUntilEnd(task, { name, fetch, stateOf, timeout, start });
  return { result: value, state: state ?? operation.stateOf(value.value), timedOut };
}

/** Print the last response and report the outcome. @throws Failure `unsuccessful` after a timeout or a failure */
export async function reportOutcome(
  task: TaskContext,
  operation: Operation,
  endpoint: Endpoint,
  { result, state, timedOut }: Outcome,
): Promise<void> {
  await task.print(result, endpoint);
  if (timedOut) {
    const seconds = timeoutOf(task) / 1000;
    throw new Failure(
      'unsuccessful',
      `${operation.name} did not end within ${seconds} s; its status is ${state.status}`,
      { hint: forPerson(`the service continues; wait again with: ${operation.resume}`) },
    );
  }
  if (state.failed)
    throw new Failure('unsuccessful', `${operation.name} ended as ${state.status}`, {
      hint: forPerson(...state.failed),
    });
  task.done(`Finished ${operation.name}`);
  if (state.note) task.note(state.note);
}

/** Poll until the operation ends, then print and report the outcome. */
export async function waitAndReport(
  task: TaskContext,
  operation: Operation,
  endpoint: Endpoint,
  fetch: () => Promise<Result>,
  start?: Result,
): Promise<void> {
  await reportOutcome(task, operation, endpoint, await poll(task, operation, fetch, start));
}

/** An attribute that identifies the resource, as text. @throws Failure `server_error` if the response lacks it */
export function attributeOf(value: Result['value'], name: string): string {
  const found = value[name];
  if (['string', 'number', 'bigint'].includes(typeof found)) return String(found);
  throw new Failure('server_error', `the response lacks the documented attribute ${name}`);
}
