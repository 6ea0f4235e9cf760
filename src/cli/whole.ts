import { Failure } from '../errors.ts';
import type { Reply } from '../http/transport.ts';
import { collect } from './bytes.ts';

/** An answer that was read whole: its bytes for printing, its value for looking at. */
export interface Whole {
  readonly bytes: Uint8Array;
  readonly value: Readonly<Record<string, unknown>>;
}

/** @throws Failure `broken` for what is no JSON object: a login page, an empty answer */
export async function readWhole(reply: Reply): Promise<Whole> {
  const { expectJson } = await import('../http/promise.ts');
  const bytes = await collect(expectJson(reply));
  try {
    const value = JSON.parse(bytes.toString('utf8')) as unknown;
    if (typeof value === 'object' && value !== null) return { bytes, value: value as Whole['value'] };
  } catch {}
  throw new Failure('broken', 'the answer is not a JSON object', {
    exchange: { method: 'GET', url: reply.url, status: reply.status },
  });
}
