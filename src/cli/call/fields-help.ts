import { usage } from '../../errors.ts';
import { Measure } from '../../output/table/width.ts';
import { wrapWords } from '../../output/table/wrap.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { attributesOf } from './columns.ts';

/** Descriptions are not wrapped to fewer columns. */
const minRoom = 16;

/** Print the fields of the responses with type and description, for `--fields help`. */
export function printFields(endpoints: readonly Endpoint[], context: Context): ExitCode {
  const rows = endpoints.flatMap(({ returns }) => ('fields' in returns ? attributesOf(returns.fields) : []));
  if (rows.length === 0)
    throw usage('the fields of this command are not documented', 'use -o json to see them');
  const known = new Map(rows);
  const width = Math.max(...[...known.keys()].map((path) => path.length));
  const { isTTY, columns = 0 } = context.stdout;
  const measure = new Measure();
  const lines = [...known].map(([path, { kind, doc, deprecated }]) => {
    const note = deprecated === undefined ? '' : ` (deprecated: ${deprecated})`;
    const left = `${path.padEnd(width)}  ${kind.padEnd(8)}  `;
    const room = isTTY ? columns - left.length : 0;
    const right = room < minRoom ? [doc + note] : wrapWords(doc + note, room, measure, 'keep');
    return left + right.join(`\n${' '.repeat(left.length)}`);
  });
  context.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
