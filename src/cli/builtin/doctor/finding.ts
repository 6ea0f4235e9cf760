/** The findings of `svc doctor`. */
import { Failure, type Kind } from '../../../errors.ts';
import type { Session } from '../../session/model.ts';

/** Milliseconds. */
export const day = 86_400_000;
/** Days before an expiration that cause a warning. */
export const warningDays = 14;

export type Facts = Readonly<Record<string, string | null>>;

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly remedy: string | null;
  /** The message for programs. */
  readonly facts?: Facts;
  /** The kind of failure that a command would report. */
  readonly kind?: Kind;
}

export const ok = (check: string, message: string, facts?: Facts): Finding => ({
  check,
  status: 'ok',
  message,
  remedy: null,
  ...(facts ? { facts } : {}),
});
export const warn = (check: string, message: string, remedy: string, facts?: Facts): Finding => ({
  ...ok(check, message, facts),
  status: 'warn',
  remedy,
});
export const fail = (check: string, kind: Kind, message: string, remedy: string, facts?: Facts): Finding => ({
  ...ok(check, message, facts),
  status: 'fail',
  remedy,
  kind,
});

export function fromFailure(check: string, failure: Failure): Finding {
  const remedy = failure.hints[0] ?? 'svc config explain shows the settings in effect';
  return fail(check, failure.kind, failure.message, remedy);
}

/** Limit the time of a check. @throws Failure `network` after the timeout */
export async function withTimeout<T>(session: Session, step: string, promise: Promise<T>): Promise<T> {
  const { timeout } = session.settings;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new Failure('network', `${step} took longer than ${timeout.value / 1000} s`, {
            hint: 'check the network connection',
          }),
        ),
      timeout.value,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
