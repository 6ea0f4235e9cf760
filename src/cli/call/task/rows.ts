/** Read a whole list for a task. */
import { Failure } from '../../../errors.ts';
import { Announced } from '../../../http/policy/pages.ts';
import { type Call, plan } from '../../../spec/request.ts';
import type { Row } from '../../../spec/resource.ts';
import { requestBase, toRequest } from '../../request/build.ts';
import { maxPerPage, withPaging } from '../../request/paging.ts';
import { type Parse, readRows } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';

/**
 * Read the rows of a list, page by page.
 * @throws Failure for a page that fails, or if fewer rows arrived than the service announced
 */
export async function* readAllRows(session: Session, call: Call, parse?: Parse): AsyncGenerator<Row> {
  const { endpoint } = call;
  const client = await session.client(endpoint.access);
  const paging = { follow: true, perPage: maxPerPage, parallel: 1 };
  const values = await withPaging(session, endpoint, call.values, paging);
  const base = await requestBase(session, endpoint);
  const request = await toRequest(plan({ ...call, values }), base, session.context);
  const { method } = request;
  let rows = 0;
  const announced = new Announced();
  let { url } = request;
  for await (const reply of client.pages(request)) {
    ({ url } = reply);
    announced.onPage(reply);
    for (const row of await readRows(reply, { method, ...(parse ? { parse } : {}) })) {
      rows += 1;
      yield row;
    }
  }
  const shortage = announced.shortage(rows);
  if (shortage !== undefined) throw new Failure('server_error', shortage, { exchange: { method, url } });
}
