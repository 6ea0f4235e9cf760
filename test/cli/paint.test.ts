import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { painter } from '../../src/cli/call/task/context.ts';
import type { Session } from '../../src/cli/session/model.ts';

function session(screen: { width: number } | undefined): { session: Session; printed: string[] } {
  const printed: string[] = [];
  const stdout = new Writable({
    write(chunk, _, done) {
      printed.push(String(chunk));
      done();
    },
  });
  const terminal = { color: false, clean: (text: string) => text, screen };
  return { session: { context: { stdout }, terminal } as unknown as Session, printed };
}

test('lines appear in the order of the calls, also if the first needs the widths of characters', async () => {
  const { session: one, printed } = session({ width: 40 });
  const paint = painter(one);
  await Promise.all([paint([['plain', '\u6771\u4eac first']]), paint([['plain', 'second']])]);
  expect(printed).toEqual(['\u6771\u4eac first\n', 'second\n']);
});

test('lines wrap between words on a terminal only', async () => {
  const text = `+ variable KEY: ${'word '.repeat(12).trim()}`;
  const wide = session(undefined);
  await painter(wide.session)([['plain', text]]);
  expect(wide.printed).toEqual([`${text}\n`]);
  const narrow = session({ width: 40 });
  await painter(narrow.session)([['plain', text]]);
  const lines = (narrow.printed[0] ?? '').trimEnd().split('\n');
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines.map((line) => line.trim()).join(' ')).toBe(text);
});
