/** Read a whole list for a task. */
import { Failure } from '../../../errors.ts';
import { expectJson } from '../../../http/body/expect.ts';
import { Announced } from '../../../http/policy/pages.ts';
import { notObjects } from '../../../output/json/rows.ts';
import { parseWhole, unparsable } from '../../../output/json/values.ts';
import { type Call, plan } from '../../../spec/request.ts';
import type { Row } from '../../../spec/resource.ts';
import { collect } from '../../../support/bytes.ts';
import { isRecord } from '../../../support/record.ts';
import { requestBase, toRequest } from '../../request/build.ts';
import { maxPerPage, withPaging } from '../../request/paging.ts';
import type { Session } from '../../session/model.ts';

type Parse = (text: string) => unknown;

/**
 * Read the rows of a list, page by page.
 * @throws Failure for a page that fails, or if fewer rows arrived than the service announced
 */
export async function* readRows(
  session: Session,
  call: Call,
  parse: Parse = parseWhole,
): AsyncGenerator<Row> {
  const { endpoint } = call;
  const client = await session.client(endpoint.access);
  const paging = { follow: true, perPage: maxPerPage, parallel: 1 };
  const values = await withPaging(session, endpoint, call.values, paging);
  const base = await requestBase(session, endpoint);
  const request = await toRequest(plan({ ...call, values }), base, session.context);
  let rows = 0;
  const announced = new Announced();
  let url = request.url;
  for await (const reply of client.pages(request)) {
    url = reply.url;
    announced.onPage(reply);
    const text = (await collect(expectJson(reply, request.method))).toString('utf8');
    for (const row of await parseRows(text, parse, { method: request.method, url, status: reply.status })) {
      rows += 1;
      yield row;
    }
  }
  const shortage = announced.shortage(rows);
  if (shortage !== undefined)
    throw new Failure('server_error', shortage, { exchange: { method: request.method, url } });
}

async function parseRows(
  text: string,
  parse: Parse,
  exchange: { method: string; url: string; status: number },
): Promise<readonly Row[]> {
  let parsed: unknown;
  try {
    parsed = await parse(text);
  } catch (cause) {
    throw unparsable(cause, exchange);
  }
  if (!Array.isArray(parsed) || !parsed.every(isRecord)) throw notObjects(exchange);
  return parsed;
}
