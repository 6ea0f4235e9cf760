/** The one place where text becomes visible to a person: on a terminal, in a note, a plan or a dry run. */
import { redactor, redactValue } from '../../http/redact.ts';
import { printable } from '../../support/text/printable.ts';
import type { Env } from '../context.ts';

/** A shorter text is a placeholder such as `token`, which many messages contain. */
const minLength = 8;

export interface Visible {
  /** The tokens of the environment, used or not, and those that became known. */
  readonly tokens: readonly string[];
  addToken(token: string): void;
  /** Make a text one line, without control characters and with known tokens masked. */
  clean(text: string): string;
  /** Copy a value that is shown before it is sent, as in a dry run or a plan, with known tokens masked. */
  withoutTokens<T>(value: T): T;
}

export function createVisible({ SVC_TOKEN, SVC_JOB_TOKEN, CI_JOB_TOKEN }: Env): Visible {
  const tokens: string[] = [];
  const addToken = (token = '') => void (token.length >= minLength && tokens.push(token));
  for (const token of [SVC_TOKEN, SVC_JOB_TOKEN, CI_JOB_TOKEN]) addToken(token);
  const redact = redactor(tokens);
  return {
    tokens,
    addToken,
    clean: (text) => printable(redact(text)),
    withoutTokens: <T>(value: T) => redactValue(value, redact) as T,
  };
}
