import { expect, test } from 'vitest';
import { Failure, forPerson } from '../../src/errors.ts';

test('a copy of a failure keeps its parts, and the audience of its hints', () => {
  const exchange = { method: 'GET', url: 'https://host.example/api/v4/version', status: 401 };
  const cause = new Error('socket');
  const hint = [...forPerson('set token-1'), 'check token-1'];
  const failure = new Failure('auth', 'token-1 is rejected', { hint, details: ['expired'], exchange, cause });
  const copy = failure
    .mapTexts((text) => text.replace('token-1', '***'))
    .with({ message: 'acme/rocket: failed' })
    .withHints('try again');
  expect({ ...copy, message: copy.message, cause: copy.cause }).toMatchObject({
    kind: 'auth',
    message: 'acme/rocket: failed',
    advice: [{ text: 'set ***', audience: 'person' }, { text: 'check ***' }, { text: 'try again' }],
    details: ['expired'],
    exchange,
    cause,
  });
  expect(copy.hints).toEqual(['set ***', 'check ***', 'try again']);
});
