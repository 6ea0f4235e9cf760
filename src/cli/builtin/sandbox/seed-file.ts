/** The file of `--seed-file`, as content of a new sandbox. The package for tests reads it too. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, tooLarge, usage } from '../../../errors.ts';
import { responseFailure } from '../../../http/errors/response.ts';
import type { Content, Send } from '../../../sandbox/index.ts';
import { type Call, plan } from '../../../spec/request.ts';
import { collect, decode, once, valueLimit } from '../../../support/bytes.ts';
import { errnoText } from '../../../support/errno.ts';
import { jsonText } from '../../../support/json.ts';
import { isRecord } from '../../../support/record.ts';
import type { Reading } from '../../../tasks/engine/codecs.ts';

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** @param what for errors: `seed file` @throws Failure `usage` */
async function readBytes(path: string, { cwd }: Place, what: string): Promise<Uint8Array> {
  try {
    return await collect(createReadStream(resolve(cwd, path)), valueLimit, () => tooLarge(path, valueLimit));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`cannot read ${what}${path}: ${errnoText(error)}`);
  }
}

/**
 * Read a file of users, groups, projects and state documents.
 * @param path for errors, as the user typed it
 * @throws Failure `usage` with the position of the error
 */
export async function readSeedFile(
  path: string,
  place: Place,
): Promise<Required<Pick<Content, 'rows' | 'prepare'>>> {
  const { readWorld } = await import('../../../tasks/world.ts');
  const text = decode(await readBytes(path, place, 'seed file '));
  if (text === undefined) throw usage(`the seed file ${path} is not UTF-8 text`);
  const references = {
    env: (name: string) => place.env[name],
    read: (file: string) => readBytes(file, place, ''),
  };
  const { rows, apply } = await readWorld(path, text.replace(/^\ufeff/, ''), references);
  return { rows, prepare: (send) => apply(serviceOf(send)) };
}

const root = 'http://sandbox.localhost/api/v4';
const perPage = 100;

/** Let a task send its calls to a sandbox that does not listen yet. */
export function serviceOf(send: Send): Reading {
  const request = async (call: Call): Promise<Response> => {
    const { method, target, json } = plan(call);
    const url = `${root}${target}`;
    const headers = { 'private-token': 'sandbox-admin', 'content-type': 'application/json' };
    const body = json === undefined ? {} : { body: jsonText(json) };
    const response = await send(new Request(url, { method, headers, ...body }));
    if (response.ok) return response;
    const { status, headers: received } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const reply = { status, headers: [...received], body: once(bytes), url, discard: async () => {} };
    const policy = { redact: (one: string) => one, now: Date.now };
    throw await responseFailure(reply, { method, url, headers: [] }, policy);
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
