/** Run one command line, from argv to exit code. */

import { Failure } from '../errors.ts';
import { errorCode } from '../support/errno.ts';
import type { Cancellation } from '../support/waiting/cancellation.ts';
import { splitArgv } from './argv/split.ts';
import type { Context } from './context.ts';
import { dispatch } from './dispatch.ts';
import type { ExitCode } from './exit-codes.ts';
import { errorOutput, report } from './report.ts';

/**
 * Run one command line.
 * @param argv the words after `svc`
 * @returns the exit code; errors are reported on `context.stderr`
 */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  const split = splitArgv(argv);
  try {
    return await dispatch(split, context);
  } catch (error) {
    // The reader closed the pipe (`| head`), which is not an error.
    if (errorCode(error) === 'EPIPE') return 0;
    const { createCleaner } = await import('./terminal/clean.ts');
    return report(causeOf(error, context.signal), errorOutput(split, context), createCleaner(context.env));
  }
}

/** After a signal, return the signal as the cause, unless the error is its failure with more details. */
function causeOf(error: unknown, { aborted, reason }: Cancellation): unknown {
  const reported = error instanceof Failure && reason instanceof Failure && error.kind === reason.kind;
  return aborted && reason instanceof Failure && !reported ? reason : error;
}
