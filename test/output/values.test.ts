import { constants } from 'node:buffer';
import { expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { asTooLarge } from '../../src/output/json/values.ts';

/** The error of Node for a string that exceeds the maximum length. */
const tooLong = Object.assign(
  new Error(`Cannot create a string longer than ${constants.MAX_STRING_LENGTH}`),
  {
    code: 'ERR_STRING_TOO_LONG',
  },
);

function thrownBy(act: () => never): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

it.each([
  ['too long for a string', tooLong],
  ['too long for a string made of strings', new RangeError('Invalid string length')],
  ['too deep for recursion', new RangeError('Maximum call stack size exceeded')],
])('%s is a server error, not a bug', (_, error) => {
  const failure = thrownBy(() => asTooLarge(error));
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ kind: 'server_error', cause: error });
});

it('throws other errors unchanged', () => {
  const error = new TypeError('x is not a function');
  expect(thrownBy(() => asTooLarge(error))).toBe(error);
});
