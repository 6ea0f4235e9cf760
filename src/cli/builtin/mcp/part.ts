/** Read a part of a response: one page of a list, or a piece of a text file. */
import { Failure, forPerson } from '../../../errors.ts';
import { expectType } from '../../../http/body/expect.ts';
import { checkedNext } from '../../../http/policy/pages.ts';
import type { Reply } from '../../../http/transport.ts';
import { parseExact } from '../../../output/json/values.ts';
import { type Call, plan } from '../../../spec/request.ts';
import { decode } from '../../../support/bytes.ts';
import { requireToken, sendRequest } from '../../call/call.ts';
import { addHints } from '../../call/failure/hints.ts';
import { downloadHeaders, requestBase, toRequest } from '../../request/build.ts';
import { withPaging } from '../../request/paging.ts';
import { readRows } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';

/** Bytes of a page, which is in memory as a whole. */
const pageLimit = 64 * 1024 * 1024;

export interface PageOfRows {
  readonly rows: readonly unknown[];
  /** The URL of the page. */
  readonly url: string;
  /** The URL of the next page. */
  readonly next: string | undefined;
}

interface PageOptions {
  /** Default number of rows per page. */
  readonly perPage: number;
  /** A page of the list; by default the first. */
  readonly url: string | undefined;
}

/** Read one page of a list, with keyset pagination if the list supports it. Numbers are exact. */
export async function readPage(
  session: Session,
  call: Call,
  { perPage, url }: PageOptions,
): Promise<PageOfRows> {
  const { endpoint } = call;
  try {
    await requireToken(session, endpoint);
    const paging = { follow: true, perPage: Number(call.values['per_page'] ?? perPage), parallel: 1 };
    const values = await withPaging(session, endpoint, call.values, paging);
    const first = await toRequest(
      plan({ ...call, values }),
      await requestBase(session, endpoint),
      session.context,
    );
    const request = url === undefined ? first : { ...first, url };
    const client = await session.client(endpoint.access);
    for await (const reply of client.pages(request, { maxPages: 1 }))
      return await pageOf(reply, request.url, session.root(), 'orOne' in endpoint.returns);
    throw new Error('a list without a page');
  } catch (error) {
    throw await addHints(error, call, session);
  }
}

async function pageOf(reply: Reply, url: string, root: string, orOne: boolean): Promise<PageOfRows> {
  const tooLarge = () =>
    new Failure('unsuccessful', 'the page is too large', { hint: 'use a smaller per_page' });
  const rows = await readRows(reply, { parse: parseExact, limit: pageLimit, tooLarge, orOne });
  const next = checkedNext(reply, new URL(root).origin, new Set([reply.url]));
  if (next instanceof Failure) throw next;
  return { rows, url, next };
}

export interface Piece {
  readonly text: string;
  /** Where the next piece begins; undefined at the end. */
  readonly next: number | undefined;
}

interface PieceOptions {
  /** Bytes before the piece. */
  readonly from: number;
  /** Bytes of the piece at most. */
  readonly limit: number;
}

/** Read a piece of a file. @throws Failure `unsuccessful` if it is not UTF-8 text */
export async function readPiece(session: Session, call: Call, { from, limit }: PieceOptions): Promise<Piece> {
  const { endpoint } = call;
  try {
    await requireToken(session, endpoint);
    const planned = await toRequest(plan(call), await requestBase(session, endpoint), session.context);
    const client = await session.client(endpoint.access);
    const reply = await sendRequest(client, {
      ...planned,
      headers: [...planned.headers, ...downloadHeaders],
    });
    if (endpoint.returns.kind === 'raw') await expectType(reply, endpoint.returns.type, endpoint.method);
    return pieceOf(await readUntil(reply, from + limit + 1), from, limit);
  } catch (error) {
    throw await addHints(error, call, session);
  }
}

/** Read the start of a body. */
async function readUntil(reply: Reply, end: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of reply.body) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= end) break;
  }
  await reply.discard();
  return Buffer.concat(chunks);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >> 6 === 0b10;

function pieceOf(bytes: Buffer, from: number, limit: number): Piece {
  let end = Math.min(bytes.length, from + limit);
  // A character has up to four bytes.
  for (let step = 0; step < 3 && isContinuation(bytes[end]); step++) end--;
  const text = decode(bytes.subarray(from, end));
  if (text === undefined || text.includes('\0'))
    throw new Failure('unsuccessful', 'the file is not UTF-8 text', {
      hint: forPerson('svc can download it with --output-file'),
    });
  return { text, next: end < bytes.length ? end : undefined };
}
