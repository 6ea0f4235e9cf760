/** The file of `--seed-file`, as content of a new sandbox. The package for tests reads it too. */
import { resolve } from 'node:path';
import { Failure, usage } from '../../../errors.ts';
import { responseFailure } from '../../../http/errors/response.ts';
import type { Reply } from '../../../http/transport.ts';
import type { Content, Send } from '../../../sandbox/index.ts';
import { type Call, plan } from '../../../spec/request.ts';
import { decode, once, valueLimit } from '../../../support/bytes.ts';
import { jsonText } from '../../../support/json.ts';
import { isRecord } from '../../../support/record.ts';
import type { Reading } from '../../../tasks/engine/codecs.ts';
import { readFile } from '../../argv/values.ts';
import type { Context } from '../../context.ts';

/**
 * Read a file of users, groups, projects and state documents.
 * @param path for errors, as the user typed it
 * @throws Failure `usage` with the position of the error
 */
export async function readSeedFile(
  path: string,
  place: Pick<Context, 'cwd' | 'env'>,
): Promise<Required<Pick<Content, 'rows' | 'prepare'>>> {
  const { readWorld } = await import('../../../tasks/world.ts');
  const read = (file: string, what: string) => readFile(resolve(place.cwd, file), what, valueLimit);
  const text = decode(await read(path, 'seed file'));
  if (text === undefined) throw usage(`the seed file ${path} is not UTF-8 text`);
  const references = {
    env: (name: string) => place.env[name],
    read: (file: string) => read(file, 'file'),
  };
  const { rows, apply } = await readWorld(path, text.replace(/^\ufeff/, ''), references);
  return { rows, prepare: (send) => apply(serviceOf(send)) };
}

const root = 'http://sandbox.localhost/api/v4';
const perPage = 100;

/** A response of a sandbox in this process as a reply of a transport. */
export async function replyOf(response: Response, url: string): Promise<Reply> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  return { status, headers: [...headers], body: once(bytes), url, discard: async () => {} };
}

/** Let a task send its calls to a sandbox that does not listen yet. */
export function serviceOf(send: Send): Reading {
  const request = async (call: Call): Promise<Response> => {
    const { method, target, json } = plan(call);
    const url = `${root}${target}`;
    const headers = { 'private-token': 'sandbox-admin', 'content-type': 'application/json' };
    const body = json === undefined ? {} : { body: jsonText(json) };
    const response = await send(new Request(url, { method, headers, ...body }));
    if (response.ok) return response;
    const policy = { redact: (one: string) => one, now: Date.now };
    throw await responseFailure(await replyOf(response, url), { method, url, headers: [] }, policy);
  };
  return {
    async call(call) {
      const bytes = new Uint8Array(await (await request(call)).arrayBuffer());
      const value: unknown = bytes.byteLength === 0 ? {} : JSON.parse(Buffer.from(bytes).toString('utf8'));
      return { value: isRecord(value) ? value : {}, bytes, accepted: false };
    },
    text: async (call) => (await request(call)).text(),
    async *rows(call) {
      const isPaged = 'page' in call.endpoint.takes;
      for (let page = 1; ; page++) {
        const values = isPaged ? { ...call.values, page, per_page: perPage } : call.values;
        const rows: unknown = await (await request({ ...call, values })).json();
        if (!Array.isArray(rows)) throw new Failure('internal', `not a list: ${call.endpoint.path}`);
        yield* rows;
        if (!isPaged || rows.length < perPage) return;
      }
    },
  };
}
