import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { countText, timeLeft, transferText } from '../../src/cli/terminal/progress.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { contextWith } from '../support/svc.ts';

describe('the remaining time', () => {
  test.each([
    ['is estimated from the speed so far', { done: 100, total: 400, elapsed: 10_000 }, ', 30s left'],
    ['is not known without a total', { done: 100, total: undefined, elapsed: 10_000 }, ''],
    ['is not estimated in the first seconds', { done: 100, total: 400, elapsed: 2_000 }, ''],
    ['is not estimated from a tiny part', { done: 1, total: 400, elapsed: 10_000 }, ''],
    ['is not shown at the end', { done: 400, total: 400, elapsed: 10_000 }, ''],
  ])('%s', (_, amount, text) => expect(timeLeft(amount)).toBe(text));
});

const mib = 1024 * 1024;
test.each([
  [countText({ done: 120, total: 280, elapsed: 0 }, 'jobs'), '120 of 280 jobs'],
  [countText({ done: 120, total: undefined, elapsed: 0 }, 'jobs'), '120 jobs'],
  [
    transferText({ done: 3 * mib, total: 12 * mib, elapsed: 6000 }, 'sent'),
    'sent 3 MiB of 12 MiB (25%), 512 KiB/s, 18s left',
  ],
  [transferText({ done: 3 * mib, total: undefined, elapsed: 6000 }, 'sent'), 'sent 3 MiB, 512 KiB/s'],
])('%s', (text, expected) => expect(text).toBe(expected));

const screen = () => Object.assign(new PassThrough().resume(), { isTTY: true, columns: 80, cursorTo() {} });

test.each([
  ['spinner', { TERM: 'xterm' }],
  ['lines', { TERM: 'dumb' }],
  ['lines', { TERM: 'xterm', SVC_ACCESSIBLE: '1' }],
  ['none', { TERM: 'xterm', CI: 'true' }],
])('is shown as %s with %j', (progress, env) => {
  expect(createTerminal({}, contextWith({ env, stderr: screen() }))).toMatchObject({ progress });
});

test.each([
  ['an invalid setting', ['--retries', 'many'], 2],
  ['an output file that cannot be created', ['--har', '/dev/null/run.har'], 2],
])('after %s, writes to standard output are no longer watched', async (_, flags, expected) => {
  const stdout = screen();
  const { write } = stdout;
  const env = { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'secret-token' };
  const context = contextWith({ env, stdout, stderr: screen() });
  const code = await run(['jobs', 'list', '-p', '1', ...flags], context);
  expect(code).toBe(expected);
  expect(stdout.write).toBe(write);
});
