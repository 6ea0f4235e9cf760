import { describe, expect, test } from 'vitest';
import { messageLines } from '../../src/cli/terminal/message.ts';

const plain = (width?: number) => ({ width, color: false });

describe('the lines of a message', () => {
  test.each([
    ['error', 'error: one two three four'],
    ['warning', 'warning: one two three four'],
    ['hint', 'hint: one two three four'],
    ['detail', '  one two three four'],
    ['request', '  one two three four'],
  ] as const)('%s has its prefix and is not wrapped in a pipe', (kind, line) => {
    expect(messageLines(kind, 'one two three four', plain())).toEqual([line]);
  });

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

  test('have a color only for the prefix, and for the request', () => {
    const colored = { width: 16, color: true };
    expect(messageLines('error', 'one two three', colored)).toEqual([
      '\u001b[31;1merror:\u001b[0m one two',
      '       three',
    ]);
    expect(messageLines('request', 'GET x', colored)).toEqual(['  \u001b[2mGET x\u001b[0m']);
    expect(messageLines('detail', 'x', colored)).toEqual(['  x']);
  });
});
