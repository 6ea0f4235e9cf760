/** `--wait`: poll an operation that the service carries out in the background until it ends. */
import { Failure, forPerson, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Call } from '../../spec/request.ts';
import type { Result } from '../../spec/result.ts';
import { scalarText } from '../../support/record.ts';
import type { Progress, Response, Task, TaskContext } from '../context.ts';

interface State {
  /** One word: `started`. */
  readonly status: string;
  readonly ended: boolean;
}

interface Polled<T> {
  /** `migration 23` */
  readonly name: string;
  readonly fetch: () => Promise<T>;
  /** Called once for each value. */
  readonly stateOf: (value: T) => State;
  /** A value that is known already. */
  readonly start?: T | undefined;
  /** The command that continues after a timeout. */
  readonly resume: string;
}

/** An operation of the service. */
export interface Operation extends Polled<Response> {
  readonly endpoint: Endpoint;
}

const first = 500;
const longestPause = 10_000;
const growth = 1.5;

/** Milliseconds. */
export const timeoutOf = ({ line }: TaskContext, seconds = 600): number =>
  (line.options.waitTimeout ?? seconds) * 1000;

function checkFlags({ wait, watch, waitTimeout, download, notify }: TaskContext['line']['options']): void {
  if (wait && watch !== undefined) throw usage('--wait and --watch cannot be used together');
  for (const [flag, value] of Object.entries({ 'wait-timeout': waitTimeout, notify, download }))
    if (!wait && value !== undefined) throw usage(`--${flag} requires --wait`);
}

type Step = (task: TaskContext, call: Call) => Promise<Result>;

/**
 * A task that waits with `--wait`. In a dry run, it describes the request only.
 * @param wait sends the call and waits
 * @param prepare by default, the call of the command line
 * @param run what it does without `--wait`: by default, the ordinary command
 */
export function waitable(
  wait: Step,
  prepare = (task: TaskContext): Promise<Call> => task.prepare(),
  run: Step = (task, call) => task.run(call),
): Task {
  return async (task) => {
    const { options } = task.line;
    checkFlags(options);
    const call = await prepare(task);
    if (!options.wait) return run(task, call);
    return task.dryRun ? task.requests([call]) : wait(task, call);
  };
}

/** Milliseconds that a request may take beyond the timeout, for example because it is retried. */
const grace = 5_000;

/**
 * Fetch at growing intervals until the end or the timeout.
 * @param timeout milliseconds
 * @param longest milliseconds between two requests at most
 * @returns the last value, with a failure `unsuccessful` after the timeout
 * @throws Failure `unsuccessful` if the service does not even answer the first request in this time
 */
export async function fetchUntilEnd<T>(
  task: TaskContext,
  { name, fetch, stateOf, start, resume }: Polled<T>,
  timeout: number,
  longest = longestPause,
): Promise<{ readonly value: T; readonly late?: Failure }> {
  const deadline = task.now() + timeout;
  let timer: NodeJS.Timeout | undefined;
  // The limit of requests runs in real time, unlike the clock of the task in tests. Timers are limited to 2^31 ms.
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(timeout + grace, 2 ** 31 - 1));
  });
  const hint = forPerson(`the service continues; wait again with: ${resume}`);
  const lateAs = ({ status }: State) =>
    new Failure('unsuccessful', `${name} did not end within ${timeout / 1000} s: ${status}`, {
      hint,
      hasStarted: start !== undefined,
    });
  let waiting: Progress | undefined;
  try {
    let value = start ?? (await Promise.race([fetch(), late]));
    if (value === undefined)
      throw new Failure('unsuccessful', `no state of ${name} was received within ${timeout / 1000} s`);
    for (let step = Math.min(first, longest); ; step = Math.min(step * growth, longest)) {
      const state = stateOf(value);
      if (state.ended) return { value };
      const text = `waiting for ${name}: ${state.status}`;
      if (waiting) waiting.step(text);
      else waiting = task.waiting(text);
      const left = deadline - task.now();
      if (left <= 0) return { value, late: lateAs(state) };
      await task.pause(Math.min(step, left));
      const next = await Promise.race([fetch(), late]);
      if (next === undefined) return { value, late: lateAs(state) };
      value = next;
    }
  } catch (error) {
    // The operation itself did not fail.
    if (!start || !(error instanceof Failure) || error.kind === 'unsuccessful') throw error;
    throw error.withHints(...hint).with({ hasStarted: true });
  } finally {
    clearTimeout(timer);
    waiting?.end();
  }
}

/**
 * Poll until the operation ends or `--wait-timeout` elapses.
 * @returns the last response, with a failure `unsuccessful` after a timeout
 */
export async function waitForOutcome(task: TaskContext, operation: Operation): Promise<Result> {
  const { name, endpoint } = operation;
  const { value, late } = await fetchUntilEnd(task, operation, timeoutOf(task));
  if (late) return task.response(value, endpoint, { failure: late });
  return task.response(value, endpoint, { notes: [{ how: 'done', text: `Finished ${name}` }] });
}

/** An attribute that identifies the resource, as text. @throws Failure `server_error` if the response lacks it */
export function attributeOf(value: Response['value'], name: string): string {
  const found = scalarText(value[name]);
  if (found !== undefined) return found;
  throw new Failure('server_error', `the response lacks the documented attribute ${name}`);
}
