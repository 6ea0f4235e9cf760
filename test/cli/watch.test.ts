import { expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import type { Request } from '../../src/http/transport.ts';
import { ask, refused } from '../interface/service.ts';
import type { Canned, Setting } from '../support/svc.ts';

/** Watch until this many responses were drawn, then press Ctrl-C. */
function watched(line: string, rounds: number, answer: (number: number) => Canned, setting: Setting = {}) {
  const ending = new AbortController();
  const give = (_: Request, number: number): Canned => {
    if (number < rounds) return answer(number);
    ending.abort(new Failure('interrupted', 'interrupted'));
    throw ending.signal.reason;
  };
  return ask(line, give, { terminal: 60, signal: ending.signal, ...setting });
}

const job = (status: string): Canned => ({ body: JSON.stringify([{ id: 1, status, name: 'build' }]) });
const hide = '\u001b[?25l';
const show = '\u001b[?25h';

test('redraws in place, keeps the last result on Ctrl-C and exits with 130', async () => {
  const { code, out, err, requests } = await watched('jobs list -p 1 --watch 1 --color never', 2, (number) =>
    job(number === 0 ? 'running' : 'success'),
  );
  expect([code, requests.length, err]).toEqual([130, 3, 'Stopped.\n']);
  expect(out.startsWith(hide)).toBe(true);
  expect(out.endsWith(show)).toBe(true);
  // The screen of the terminal is not cleared, so what was on it stays.
  expect(out).not.toMatch(/\u001b\[(\?1049[hl]|2J)/);
  const [first = '', second = ''] = out.slice(hide.length, -show.length).split('\u001b[J');
  expect(first).toMatch(/^\r\d\d:\d\d:\d\d {2}svc jobs list, every 1 s/);
  expect(first).toContain('running');
  // The cursor goes back to the first line of the picture before.
  expect(second.startsWith(`\u001b[${first.split('\n').length - 1}A\r`)).toBe(true);
  expect(second).toContain('success');
  expect(second).not.toContain('running');
});

test('shows a temporary failure and continues', async () => {
  const { code, out } = await watched('jobs list -p 1 --watch 1 --retries 0', 2, (number) =>
    number === 0 ? { status: 502, body: '{"message":"bad gateway"}' } : job('success'),
  );
  expect(code).toBe(130);
  expect(out).toContain('error: bad gateway');
  expect(out).toContain('success');
});

test('draws nothing while it is suspended, and then below the shell', async () => {
  let suspend: readonly [() => void, () => void] = [() => {}, () => {}];
  const { out } = await watched(
    'jobs list -p 1 --watch 1 --color never',
    3,
    (number) => {
      if (number === 1) suspend[0]();
      // Continued by the shell, which may send the signal twice.
      if (number === 2) for (let times = 0; times < 2; times += 1) suspend[1]();
      return job(['running', 'failed', 'success'][number] ?? '');
    },
    {
      onSuspend(before, after) {
        suspend = [before, after];
        return { suspend() {}, end() {} };
      },
    },
  );
  const [shown = '', continued = ''] = out.split(show);
  expect(shown).toContain('running');
  expect(shown).not.toContain('failed');
  expect(continued.startsWith(hide)).toBe(true);
  expect(continued).toContain('success');
});

test('restores the terminal and exits with the code of any other failure', async () => {
  const missing = { status: 404, body: '{"message":"404 Project Not Found"}' };
  const { code, out, err } = await watched('jobs list -p 1 --watch 1', 9, () => missing);
  expect(code).toBe(5);
  expect(out.endsWith(show)).toBe(true);
  expect(err).toMatch(/404 Project Not Found/);
});

test.each([{ SVC_ACCESSIBLE: '1' }, { TERM: 'dumb' }])(
  'appends changes instead of redrawing with %j',
  async (more) => {
    const answer = (number: number) => job(number < 2 ? 'running' : 'success');
    const { out, code } = await watched('jobs list -p 1 --watch 1', 3, answer, { env: more });
    expect(code).toBe(130);
    expect(out).not.toContain('\u001b[?');
    expect(out.match(/running/g)).toHaveLength(1);
    expect(out.match(/success/g)).toHaveLength(1);
  },
);

test('requires a terminal', () => refused('jobs list -p 1 --watch', [/requires a terminal/]));

test.each(['0', '0.5', 'often', '-1'])('rejects --watch=%s', (seconds) =>
  refused(`jobs list -p 1 --watch=${seconds}`, [], { terminal: 80 }),
);

test('does not exist for commands that write', () =>
  refused('variables create -p 1 KEY x --watch', [/does not accept --watch/], { terminal: 80 }));
