import { usage } from '../../../errors.ts';
import type { Session } from '../../session/model.ts';
import { evaluate } from './engine.ts';
import { compileError } from './program.ts';

/**
 * Check `--jq` and `--raw-strings` before anything is sent.
 * @throws Failure `usage` for a program that does not compile, or for flags that cannot be used together
 */
export async function checkProgram({ options, settings, context }: Session): Promise<void> {
  const { jq: program, rawStrings } = options;
  if (program === undefined) throw usage('--raw-strings (-r) requires --jq');
  const { value, source, from } = settings.output;
  if (source === 'flag' && value === 'raw') throw usage(`--jq and ${from} raw cannot be used together`);
  if (source === 'flag' && rawStrings === true && !['json', 'ndjson'].includes(value))
    throw usage(`--raw-strings (-r) and ${from} ${value} cannot be used together`);
  if (program.includes('\0')) throw usage('--jq: a program must not contain NUL');
  const { exitCode, stderr } = await evaluate('', program, 'ndjson', context.signal);
  if (exitCode !== 0) throw compileError(stderr);
}
