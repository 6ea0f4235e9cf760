import type { Options } from '../argv/flags.ts';
import { printRows, printValue } from '../call/print.ts';
import type { Context } from '../context.ts';
import type { Session } from '../session/model.ts';
import { withSession } from '../session/session.ts';

/** Data of a command that is not a response of the service: rows or an object. */
export type Data = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * Run a command that prints rows, an object, or with `undefined` nothing, in the format of its options.
 * @returns exit code 0
 */
export async function printData(
  options: Options,
  context: Context,
  data: (session: Session) => Data | undefined | Promise<Data | undefined>,
): Promise<0> {
  await withSession(options, context, async (session) => {
    const value = await data(session);
    if (Array.isArray(value)) await printRows(session, value);
    else if (value !== undefined) await printValue(session, value);
  });
  return 0;
}
