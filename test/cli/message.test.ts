import { describe, expect, test } from 'vitest';
import { messageLines } from '../../src/cli/terminal/message.ts';

const plain = (width?: number) => ({ width, color: false });

describe('the lines of a message', () => {
  test('continue below the text, not below the prefix', () => {
    expect(messageLines('error', 'one two three four five', plain(16))).toEqual([
      'error: one two',
      '       three',
      '       four five',
    ]);
    expect(messageLines('detail', 'one two three four five', plain(16))).toEqual([
      '  one two three',
      '  four five',
    ]);
  });

  test('never split a word, so that a URL can be copied', () => {
    const url = `https://host.example/${'x'.repeat(40)}`;
    expect(messageLines('hint', `see ${url} for more`, plain(30))).toEqual([
      'hint: see',
      `      ${url}`,
      '      for more',
    ]);
  });
});
