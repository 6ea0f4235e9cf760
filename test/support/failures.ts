import { expect } from 'vitest';
import { Failure } from '../../src/errors.ts';

/** Return the failure of a function or a promise, which must fail. */
export async function failureOf(act: Promise<unknown> | (() => unknown)): Promise<Failure> {
  const error = await (typeof act === 'function' ? (async () => act())() : act).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
}
