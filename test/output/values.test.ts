import { constants } from 'node:buffer';
import { expect, it } from 'vitest';
import { asTooLarge } from '../../src/output/json/values.ts';
import { isNestedTooDeeply } from '../../src/support/json.ts';
import { failureOf } from '../support/failures.ts';

/** The error of Node for a string that exceeds the maximum length. */
const text = `Cannot create a string longer than ${constants.MAX_STRING_LENGTH}`;
const tooLong = Object.assign(new Error(text), { code: 'ERR_STRING_TOO_LONG' });

it.each([
  ['too long for a string', tooLong],
  ['too long for a string made of strings', new RangeError('Invalid string length')],
  ['too deep for recursion', new RangeError('Maximum call stack size exceeded')],
])('%s is a server error, not a bug', async (_, error) => {
  const failure = await failureOf(() => asTooLarge(error));
  expect(failure).toMatchObject({ kind: 'server_error', cause: error });
});

it('brackets in strings are no levels of JSON; throws other errors unchanged', async () => {
  const [lists, text] = ['['.repeat(2_000), '"\\"[['.repeat(2_000)];
  expect([isNestedTooDeeply(lists), isNestedTooDeeply(JSON.stringify([text, text]))]).toEqual([true, false]);
  const error = new TypeError('x is not a function');
  await expect((async () => asTooLarge(error))()).rejects.toBe(error);
});
