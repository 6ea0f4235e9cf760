import { type Env, variable } from './paths.ts';

/** A shorter text is a placeholder such as `token`, which many messages contain. */
const minLength = 8;

/** The tokens that are masked wherever their text occurs. */
export const maskable = (tokens: readonly string[]): string[] =>
  tokens.filter(({ length }) => length >= minLength);

/** The tokens in the environment, also those that `svc` does not use. */
export function tokensIn(env: Env): string[] {
  const names = ['SVC_TOKEN', 'SVC_JOB_TOKEN', 'CI_JOB_TOKEN'];
  return maskable(names.flatMap((name) => variable(env, name) ?? []));
}
