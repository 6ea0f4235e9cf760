/** `--wait`: ask until a thing that the service does in the background has ended. */
import { Failure, usage } from '../../errors.ts';
import type { Reply } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { plan } from '../../spec/request.ts';
import { pause } from '../../support/pause.ts';
import { toRequest } from '../request/build.ts';
import { type Prepared, planOf } from '../request/validate.ts';
import type { Session } from '../session/session.ts';
import { openProgress } from '../terminal/progress.ts';
import { call, isDry, outgoingOf, perform, requireToken } from './call.ts';
import { withHints } from './hints.ts';
import { openOutput } from './print.ts';
import { readWhole, type Whole } from './read-body.ts';

/** What one look at it says. */
export interface Look {
  /** In a word: `started`. */
  readonly status: string;
  readonly ended: boolean;
  /** It ended otherwise than was wished for: what helps. */
  readonly failed?: readonly string[];
  /** What is to be said of an end that is well. */
  readonly note?: string;
}

export interface Waiting {
  /** `migration 23` */
  readonly name: string;
  /** The command that goes on where this one gave up. */
  readonly goOn: string;
  readonly judge: (value: Readonly<Record<string, unknown>>) => Look;
}

/** Milliseconds between two looks: at first, and at most. */
const first = 500;
const longest = 10_000;
const growth = 1.5;
/** Seconds. */
const usualTimeout = 600;

/** Milliseconds. @throws Failure `usage` */
function timeoutOf({ options }: Session): number {
  const typed = options.waitTimeout as string | undefined;
  if (typed === undefined) return usualTimeout * 1000;
  if (!/^\d{1,7}(\.\d{1,3})?s?$/.test(typed))
    throw usage(`--wait-timeout wants a number of seconds, not ${JSON.stringify(typed)}`);
  return Number.parseFloat(typed) * 1000;
}

/** Whether `--wait` was given. @throws Failure `usage` for a flag that is of no use without it, or beside it */
export function wantsWait({ options }: Pick<Session, 'options'>): boolean {
  if (options.wait === true) {
    if (options.watch !== undefined) throw usage('--wait and --watch exclude each other');
    return true;
  }
  for (const flag of ['wait-timeout', 'download'])
    if (options[flag] !== undefined) throw usage(`--${flag} goes with --wait`);
  return false;
}

/** Make a call and read its answer whole. */
export async function fetchWhole(
  session: Session,
  endpoint: Endpoint,
  slots: Readonly<Record<string, string>>,
): Promise<Whole> {
  return readWhole(await fetchReply(session, endpoint, slots));
}

/** Make a call that takes nothing but its slots. @throws Failure with hints, for any status that is an error */
export async function fetchReply(
  session: Session,
  endpoint: Endpoint,
  slots: Readonly<Record<string, string>>,
): Promise<Reply> {
  try {
    const client = await session.client(endpoint.access);
    const outgoing = await outgoingOf(session, endpoint);
    return await call(client, await toRequest(plan(endpoint, slots, {}), outgoing, session.context));
  } catch (error) {
    throw await withHints(error, endpoint, session);
  }
}

/**
 * Make the call of a command, and hand on what it answered; with `--dry-run` and `--curl` only say what would be sent.
 * @returns undefined where nothing was sent
 */
export async function begin(prepared: Prepared): Promise<Whole | undefined> {
  const { session, endpoint } = prepared;
  timeoutOf(session);
  if (isDry(session)) {
    await perform(prepared);
    return undefined;
  }
  const request = await toRequest(planOf(prepared), await outgoingOf(session, endpoint), session.context);
  try {
    await requireToken(session, endpoint);
    return await readWhole(await call(await session.client(endpoint.access), request), request.method);
  } catch (error) {
    throw await withHints(error, endpoint, session);
  }
}

/**
 * Look until it has ended.
 * @param start what is known of it already, where something is
 * @returns the last look and what it saw
 * @throws Failure `outcome` where it takes longer than `--wait-timeout`; the signal's reason
 */
export async function waitUntil(
  session: Session,
  waiting: Waiting,
  look: () => Promise<Whole>,
  start?: Whole,
): Promise<{ whole: Whole; look: Look; late: boolean }> {
  const { now, signal } = session.context;
  const deadline = now() + timeoutOf(session);
  let whole = start ?? (await look());
  let seen = waiting.judge(whole.value);
  if (seen.ended) return { whole, look: seen, late: false };
  const progress = await openProgress(session, `waiting for ${waiting.name}: ${seen.status}`);
  try {
    for (let step = first; ; step = Math.min(step * growth, longest)) {
      const left = deadline - now();
      if (left <= 0) return { whole, look: seen, late: true };
      await pause(Math.min(step, left), signal);
      whole = await look();
      seen = waiting.judge(whole.value);
      if (seen.ended) return { whole, look: seen, late: false };
      progress.say(`waiting for ${waiting.name}: ${seen.status}`);
    }
  } finally {
    progress.end();
  }
}

/** Print what was seen last. */
export async function printWhole(session: Session, endpoint: Endpoint, { bytes }: Whole): Promise<void> {
  const output = await openOutput(session, endpoint);
  await output.object(
    (async function* () {
      yield bytes;
    })(),
  );
}

/** @throws Failure `outcome` where it did not end, or not well */
export function judgeEnd(
  session: Session,
  waiting: Waiting,
  { look, late }: { look: Look; late: boolean },
): void {
  if (late) {
    throw new Failure(
      'outcome',
      `${waiting.name} has not ended after ${timeoutOf(session) / 1000} s: it is ${look.status}`,
      { hint: `it goes on without svc: ${waiting.goOn}` },
    );
  }
  if (look.note) session.notes.say(look.note);
  if (look.failed) {
    throw new Failure('outcome', `${waiting.name} ended as ${look.status}`, { hint: look.failed });
  }
}
