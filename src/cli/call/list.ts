import { Failure, forPerson, isFromSignal } from '../../errors.ts';
import { expectJson } from '../../http/body/expect.ts';
import type { Client } from '../../http/client.ts';
import { Announced, checkedNext, hasNextPage } from '../../http/policy/pages.ts';
import { header, type Reply, type Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { counted, plural } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import { type Body, type Note, type Result, sayNote } from '../../spec/result.ts';
import { peeked } from '../../support/bytes.ts';
import { commandLine } from '../../support/shell.ts';
import { serverFlags, wordsOf } from '../argv/flags.ts';
import type { Paging } from '../request/build.ts';
import { notReady } from '../request/response.ts';
import type { Session } from '../session/model.ts';
import { countText, shareOf } from '../terminal/progress.ts';
import type { FailedCall } from './hints.ts';

/** Request a list. The first page has arrived when this returns. A 202, or an endpoint that documents it, may return an object. */
export async function listResult(
  session: Session,
  client: Client,
  call: Pick<Call, 'endpoint'> & FailedCall,
  request: Request,
  { limit, perPage, parallel, follow }: Paging,
): Promise<Result> {
  const { endpoint } = call;
  const { context, notes, options } = session;
  const orOne = endpoint.returns.kind !== 'list' || endpoint.returns.orOne;
  const noun = plural(endpoint.noun ?? 'result');
  const announced = new Announced();
  let last: Reply | undefined;
  let reading: Reply | undefined;
  const totalIn = (reply?: Reply) => reply && header(reply.headers, 'x-total');
  const tally = { rows: 0 };
  const begun = context.now();
  const endProgress = session.progress.open(() => {
    const all = Number(totalIn(last)) || 0;
    const of = all > 0 ? Math.min(all, limit ?? all) : undefined;
    const amount = { done: tally.rows, total: of, elapsed: context.now() - begun };
    return tally.rows === 0 ? `fetching ${noun}` : { text: countText(amount, noun), share: shareOf(amount) };
  });
  async function* replies(): AsyncGenerator<Reply> {
    const all = client.pages(request, {
      maxPages: follow ? Number.POSITIVE_INFINITY : 1,
      // Pages beyond the limit or the period are not requested in advance.
      ahead: options.since === undefined ? Math.ceil((limit ?? Number.POSITIVE_INFINITY) / perPage) : 0,
      parallel,
      onSerial: () =>
        notes.sayOnce('Fetching one page at a time: the service does not report the last page.'),
    });
    try {
      for await (const reply of all) {
        const isKnown = announced.change() !== undefined;
        announced.onPage(reply);
        const change = announced.change(noun);
        if (change && !isKnown) notes.warn(`${change}: some may be missing or printed twice`);
        last = reply;
        reading = reply;
        yield reply;
        reading = undefined;
      }
    } finally {
      endProgress();
    }
  }
  const source = replies();
  const end = () => source.return(undefined);
  async function* pages(first: Body): AsyncGenerator<Body> {
    try {
      yield first;
      for await (const reply of source) yield expectJson(reply, request.method);
    } finally {
      await end();
    }
  }
  const explain = async (error: unknown, rows: number) => {
    const known = last ? withExchange(error, request.method, last) : error;
    const { addHints } = await import('./hints.ts');
    return addHints(incomplete(session, known, rows, reading, last), call, session);
  };
  try {
    const { value: reply } = await source.next();
    if (!reply) throw new Error('a list without a page');
    const isAccepted = reply.status === 202;
    const json = expectJson(reply, request.method);
    const { first, body } = orOne || isAccepted ? await peeked(json) : { first: '[', body: json };
    if (isAccepted && (first === undefined || (first === '{' && !orOne)))
      throw notReady({ method: request.method, url: reply.url, status: reply.status });
    noteAccepted(session, reply);
    if (first === '{') {
      await end();
      return { kind: 'object', endpoint, body, explain };
    }
    return {
      kind: 'rows',
      endpoint,
      pages: pages(body),
      tally,
      limit,
      nextPage() {
        const next = last && checkedNext(last, new URL(session.root()).origin, new Set([last.url]));
        if (next instanceof Failure) throw next;
        return next;
      },
      explain,
      summarize({ rows, more }) {
        if (more || (last && hasNextPage(last)))
          return moreNotes(session, endpoint, { rows, limit, total: totalIn(last) });
        const shortage = announced.shortage(rows, noun, limit);
        if (shortage !== undefined) return [{ how: 'warn', text: shortage }];
        const page = call.values?.['page'];
        const where = page === undefined || page === 1 ? 'found' : `on page ${page}`;
        return rows === 0 ? [sayNote(`No ${noun} ${where}.`)] : [];
      },
    };
  } catch (error) {
    await end();
    throw last ? withExchange(error, request.method, last) : error;
  }
}

/** Report a 202 for a read: the result is not ready (section 7). */
export function noteAccepted({ notes }: Session, { status }: Reply): void {
  if (status === 202) notes.say('not ready yet: the service is still working on it');
}

export function withExchange(error: unknown, method: string, { url, status }: Reply): unknown {
  if (!(error instanceof Failure) || error.kind !== 'server_error' || error.exchange) return error;
  return error.with({ exchange: { method, url, status } });
}

/** The note that a list has more results than were read. @param total the number of results, if known */
export function moreNotes(
  { options }: Session,
  { noun = 'result' }: Endpoint,
  read: { readonly rows: number; readonly limit?: number | undefined; readonly total?: string | undefined },
): Note[] {
  const { rows, limit, total } = read;
  const isSorted = options.sortBy !== undefined;
  const shown = counted(rows, noun);
  // The user requested no more than the limit.
  if (limit !== undefined) return isSorted ? [sayNote(`Sorted the first ${shown}; the list has more.`)] : [];
  const isKnown = /^\d+$/.test(total ?? '') && Number(total) >= rows;
  const of = isKnown ? `${rows} of ${counted(BigInt(total ?? rows), noun)}` : `${shown} of a longer list`;
  const sorted = isSorted ? '; only these are sorted' : '';
  return [sayNote(`Showing ${of}${sorted}. Use --all or --limit N for more.`)];
}

function incomplete(
  session: Session,
  error: unknown,
  rows: number,
  reading: Reply | undefined,
  last: Reply | undefined,
): unknown {
  if (rows === 0 || !(error instanceof Failure)) return error;
  const { kind, message, details, advice, exchange } = error;
  // An error of a jq program does not make the list incomplete.
  if (kind === 'internal' || kind === 'usage') return error;
  const [results, are] = rows === 1 ? ['result', 'is'] : [`${rows} results`, 'are'];
  if (session.omitsIncomplete)
    return error.with({ details: [...details, `the ${results} before it ${are} not printed`] });
  const text = `${message} (after ${rows === 1 ? '1 result' : results})`;
  if (isFromSignal(error)) return new Failure(kind, text, { cause: error });
  // A rejected link is reported with the page that contains it.
  const url = reading?.url ?? (exchange?.url === last?.url ? undefined : exchange?.url);
  const does = reading ? 'print this page again and continue' : 'continue with';
  return error.with({
    message: text,
    details: [...details, 'the printed list is incomplete'],
    hint: [...advice, ...(url === undefined ? [] : forPerson(`${does}: ${readAgain(session, url)}`))],
    cause: error,
  });
}

/** The command that prints this page and those after it. A sandbox for one command has another port the next time. */
function readAgain({ options, root }: Session, url: string): string {
  const isPath = options.sandbox === true && url.startsWith(`${root()}/`);
  const target = isPath ? url.slice(root().length) : url;
  return commandLine(['svc', 'api', 'GET', target, '--all', ...wordsOf(options, serverFlags)]);
}
