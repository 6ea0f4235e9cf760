/** The one place where text becomes visible to a person: on a terminal, in a note, a plan or a dry run. */
import { tokensIn } from '../../config/tokens.ts';
import { redactor, redactValue } from '../../http/redact.ts';
import { printable } from '../../support/text/printable.ts';
import type { Env } from '../context.ts';

export interface Visible {
  /** The known tokens. More become known during a command. */
  readonly tokens: string[];
  /** Make a text one line, without control characters and with known tokens masked. */
  clean(text: string): string;
  /** Copy a value that is shown before it is sent, as in a dry run or a plan, with known tokens masked. */
  withoutTokens<T>(value: T): T;
}

export function createVisible(env: Env): Visible {
  const tokens = tokensIn(env);
  const redact = redactor(tokens);
  return {
    tokens,
    clean: (text) => printable(redact(text)),
    withoutTokens: <T>(value: T) => redactValue(value, redact) as T,
  };
}
