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

/** An attribute of an answer without which there is nothing to go by, as text. @throws Failure `broken` where it is not there */
export function attributeOf(value: Whole['value'], name: string): string {
  const told = value[name];
  if (typeof told === 'string' || typeof told === 'number') return String(told);
  throw new Failure('broken', `the answer does not say its ${name}, as the API promises`);
}
