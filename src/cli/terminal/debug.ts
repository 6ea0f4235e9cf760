/** With `NODE_DEBUG`, Node prints its internals on standard error, such as the environment of child processes. */
import type { Env } from '../../config/paths.ts';
import { redactor } from '../../http/redact.ts';
import { isSecretName } from '../../spec/mask.ts';

/** Mask the values of secret variables in everything that is written to a stream. */
export function hideSecrets(stream: NodeJS.WriteStream, env: Env): void {
  const secrets = Object.entries(env).filter(
    ([name]) => isSecretName(name) || /secret|password|proxy$/i.test(name),
  );
  const redact = redactor(secrets.map(([, value]) => value ?? ''));
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? redact(chunk) : chunk, ...rest);
}
