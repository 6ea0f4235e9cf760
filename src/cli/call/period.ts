/** `--since` and `--until`: the part of a list that is in a period. */
import { usage } from '../../errors.ts';
import { readBatches } from '../../output/printer.ts';
import { momentOf } from '../../spec/flag.ts';
import { counted, kebab, plural } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import { type Body, type Result, type Rows, sayNote } from '../../spec/result.ts';
import { jsonStream } from '../../support/bytes.ts';
import { valueAt } from '../../support/record.ts';
import { pagingOf } from '../request/build.ts';
import type { Session } from '../session/model.ts';
import { sendCall } from './call.ts';
import { moreNotes } from './list.ts';

type Period = ReturnType<typeof readPeriod>;

/** @returns milliseconds since the epoch @throws Failure `usage` for a time that does not exist, or a period that is empty */
function readPeriod({ options, context }: Session) {
  const now = context.now();
  const since = momentOf(options.since, now, 'since');
  const until = momentOf(options.until, now, 'until');
  if (since !== undefined && until !== undefined && since >= until)
    throw usage('--since must be earlier than --until');
  return { since, until };
}

/** Request the part of a list that is in the period of the flags. Without `--limit`, all of it. */
export async function sendInPeriod(session: Session, call: Call, area: string): Promise<Result> {
  const { endpoint, values } = call;
  const { limit } = pagingOf(session, endpoint, values);
  const { limit: _, ...options } = session.options;
  if ('page' in values) throw usage('--since and --until cannot be used with --page');
  const period = readPeriod(session);
  const whole = { ...session, options: { ...options, all: true as const } };
  if (!endpoint.period || 'after' in endpoint.period) {
    const { after = '', before = '' } = endpoint.period ?? {};
    const times = Object.entries({ [after]: period.since, [before]: period.until }).flatMap(([name, time]) =>
      time === undefined ? [] : [[name, new Date(time).toISOString()] as const],
    );
    const twice = times.find(([name]) => name in values);
    if (twice) throw usage(`--since and --until cannot be used with --${kebab(twice[0])}`);
    const part = { ...call, values: { ...values, ...Object.fromEntries(times) } };
    return sendCall(limit === undefined ? whole : session, part, area);
  }
  const result = await sendCall(whole, call, area);
  if (result.kind !== 'rows') return result;
  const { pages, noteTimeless } = partOf(result, period, endpoint.period.attributes);
  return {
    ...result,
    limit,
    pages,
    summarize({ rows, more }) {
      if (more) return moreNotes(session, endpoint, { rows, limit });
      if (rows === 0) return [sayNote(`No ${plural(endpoint.noun ?? 'result')} found in this period.`)];
      return noteTimeless();
    },
  };
}

/** The rows of a list that are in a period. Rows without a time are kept. Pages are read until one contains an older row. */
function partOf(
  { pages, endpoint }: Rows,
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: Period,
  attributes: readonly string[],
) {
  let timeless = 0;
  async function* kept(): AsyncGenerator<Body> {
    for await (const page of pages) {
      const part: unknown[] = [];
      let isEnd = false;
      await readBatches(page, async (rows) => {
        for (const row of rows) {
          const times = attributes.map((path) => Date.parse(String(valueAt(row, path))));
          const time = times.find((one) => !Number.isNaN(one));
          if (time === undefined) timeless += 1;
          else if (time < since) isEnd = true;
          if (time === undefined || (time >= since && time < until)) part.push(row);
        }
      });
      yield jsonStream(part);
      if (isEnd) return;
    }
  }
  const text = () => `Included ${counted(timeless, endpoint?.noun ?? 'result')} without a time.`;
  return { pages: kept(), noteTimeless: () => (timeless > 0 ? [sayNote(text())] : []) };
}
