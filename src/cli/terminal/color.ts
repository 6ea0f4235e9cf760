import type { Env, Sink } from '../context.ts';

/** Whether a variable is set and not empty. */
export const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/**
 * Whether text on a stream is colored: `--color`, then NO_COLOR, CLICOLOR_FORCE, CLICOLOR, TERM=dumb, then whether the stream is a
 * terminal (interface section 3).
 * @param choice the value of `--color`
 */
export function isColored(choice: string | undefined, env: Env, stream: Pick<Sink, 'isTTY'>): boolean {
  if (choice === 'always') return true;
  if (choice === 'never' || isSet(env['NO_COLOR'])) return false;
  if (isSet(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return true;
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}
