import type { Env } from '../../config/paths.ts';
import { redactor, redactValue } from '../../http/redact.ts';
import { isSecretName } from '../../spec/mask.ts';
import { printable } from '../../support/text/printable.ts';

/** Makes text safe to show: on a terminal, in a note, a plan or a dry run. */
export type Cleaner = ReturnType<typeof createCleaner>;

/** A shorter text is a placeholder such as `token`, which many messages contain. */
const minTokenLength = 8;

export function createCleaner({ SVC_TOKEN, SVC_JOB_TOKEN, CI_JOB_TOKEN }: Env) {
  const tokens: string[] = [];
  const addToken = (token = '') => void (token.length >= minTokenLength && tokens.push(token));
  for (const token of [SVC_TOKEN, SVC_JOB_TOKEN, CI_JOB_TOKEN]) addToken(token);
  const redact = redactor(tokens);
  return {
    /** The tokens of the environment, used or not, and those that became known. */
    tokens: tokens as readonly string[],
    addToken,
    /** Make a text one line, without control characters and with known tokens masked. */
    clean: (text: string) => printable(redact(text)),
    /** Copy a value that is shown before it is sent, as in a dry run or a plan, with known tokens masked. */
    withoutTokens: <T>(value: T) => redactValue(value, redact) as T,
  };
}

/** Mask the values of secret variables in everything that is written to a stream: with `NODE_DEBUG`, Node prints them. */
export function hideSecrets(stream: NodeJS.WriteStream, env: Env): void {
  const secrets = Object.entries(env).filter(
    ([name]) => isSecretName(name) || /secret|password|proxy$/i.test(name),
  );
  const redact = redactor(secrets.map(([, value]) => value ?? ''));
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? redact(chunk) : chunk, ...rest);
}
