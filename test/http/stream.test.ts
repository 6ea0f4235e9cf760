import { expect, test } from 'vitest';
import { BodyStream } from '../../src/http/body/stream.ts';

test('a body whose reader is slow pauses the connection, and resumes it at half of the limit', async () => {
  const calls: string[] = [];
  const log = (name: string) => () => void calls.push(name);
  const toFailure = (error: unknown) => error;
  const body = new BodyStream({ pause: log('pause'), resume: log('resume'), fail: log('fail'), toFailure });
  const chunk = new Uint8Array(64 * 1024);
  for (let count = 0; count < 8; count++) body.push(chunk);
  for (let count = 0; count < 4; count++) await body.next();
  expect(calls).toEqual(['pause']);
  await body.next();
  expect(calls).toEqual(['pause', 'resume']);
});
