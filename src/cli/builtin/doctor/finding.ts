/** The findings of `svc doctor`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, isFromSignal, type Kind } from '../../../errors.ts';
import type { Session } from '../../session/model.ts';

/** Days before an expiration that cause a warning. */
const warningDays = 14;

export type Facts = Readonly<Record<string, string | null>>;

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly remedy: string | null;
  /** The message for programs. */
  readonly facts: Facts | null;
  /** The kind of failure that a command would report. */
  readonly kind?: Kind;
}

export function ok(check: string, message: string, facts: Facts | null = null): Finding {
  return { check, status: 'ok', message, remedy: null, facts };
}

export function warn(check: string, message: string, remedy: string, facts?: Facts): Finding {
  return { ...ok(check, message, facts), status: 'warn', remedy };
}

export function fail(check: string, kind: Kind, message: string, remedy: string, facts?: Facts): Finding {
  return { ...ok(check, message, facts), status: 'fail', remedy, kind };
}

export function fromFailure(check: string, { kind, message, hints }: Failure): Finding {
  return fail(check, kind, message, hints[0] ?? 'svc config explain shows the settings in effect');
}

/** Run a check. A failure is a finding, but an interruption is thrown. */
export async function runCheck(
  check: string,
  run: () => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await run()].flat();
  } catch (error) {
    if (!(error instanceof Failure) || isFromSignal(error)) throw error;
    return [fromFailure(check, error)];
  }
}

/** Report a failure of a check on which no command depends. */
export const asWarning = (findings: readonly Finding[]): readonly Finding[] =>
  findings.map((one) => (one.status === 'fail' ? { ...one, status: 'warn' } : one));

/** @returns whole days from now until a time, and whether they are so few that the user should be warned */
export function daysUntil(time: number, { context }: Session): { days: number; isSoon: boolean } {
  const days = Math.floor((time - context.now()) / 86_400_000);
  return { days, isSoon: days < warningDays };
}

/** Limit the time of a check. @throws Failure `network` after the timeout */
export async function withTimeout<T>({ settings }: Session, step: string, promise: Promise<T>): Promise<T> {
  const { value } = settings.timeout;
  const timer = new AbortController();
  const late = sleep(value, undefined, timer).then(() => {
    const hint = 'check the network connection';
    throw new Failure('network', `${step} took longer than ${value / 1000} s`, { hint });
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}
