import type { Endpoint } from '../../spec/endpoint.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { attributesOf } from './columns.ts';

/** Print the fields of the responses with type and description, for `--fields help`. */
export function printFields(endpoints: readonly Endpoint[], context: Context): ExitCode {
  const rows = endpoints.flatMap(({ returns }) => ('fields' in returns ? attributesOf(returns.fields) : []));
  const known = new Map(rows);
  const width = Math.max(...[...known.keys()].map((path) => path.length));
  const lines = [...known].map(([path, { kind, doc, deprecated }]) => {
    const note = deprecated === undefined ? '' : ` (deprecated: ${deprecated})`;
    return `${path.padEnd(width)}  ${kind.padEnd(8)}  ${doc}${note}`;
  });
  context.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
