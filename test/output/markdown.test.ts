import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../src/output/table/markdown.ts';
import { Measure } from '../../src/output/table/width.ts';

const render = async (source: string, { width = 40, color = false, unicode = true } = {}) =>
  (await renderMarkdown(source, width, { color, unicode }, new Measure())).join('\n');

// The structure of each is that of CommonMark 0.31.
test.each<[what: string, source: string, shown: string]>([
  ['a heading', '# Title of `x`\n\nSetext\n---\ntext', 'Title of `x`\n\nSetext\n\ntext'],
  ['emphasis', '**strong** and *emphasized*, ~~gone~~', 'strong and emphasized, gone'],
  ['soft and hard line breaks', 'one\ntwo\\\nthree  \nfour', 'one two\nthree\nfour'],
  [
    'a paragraph that is wrapped',
    'a text of more columns than there are in a line of it',
    'a text of more columns than there are in\na line of it',
  ],
  [
    'a link',
    '[text](https://h.example/a b) [x](<https://h.example/c>)',
    '[text](https://h.example/a b) x\n(https://h.example/c)',
  ],
  ['an address', '<https://h.example>', 'https://h.example'],
  ['a script in a link', '[x](javascript:a)', '[x](javascript:a)'],
  ['an image', '![a cat](cat.png)', 'a cat (cat.png)'],
  ['tight lists', '- a\n- b\n  - c\n\n7. d\n8. e', '• a\n• b\n  • c\n\n7. d\n8. e'],
  ['a loose list', '- a\n\n  b\n- c', '• a\n\n  b\n\n• c'],
  ['an item that is wrapped', `- ${'word '.repeat(9)}`, `• ${'word '.repeat(6)}word\n  word word`],
  ['a quotation', 'a\n> b\n>\n> - c\n\nd', 'a\n\n│ b\n│\n│ • c\n\nd'],
  ['code', '```sh\na  b\n\n  c\n```\n\n    d', '    a  b\n\n      c\n\n    d'],
  ['a table', 'a\n\n| b | c |\n| - | - |\n| 1 | 2 |\n\nd', 'a\n\n| b | c |\n| - | - |\n| 1 | 2 |\n\nd'],
  ['HTML', '<div>\n<b>\n</div>\n\na <i>b</i>', '<div>\n<b>\n</div>\n\na <i>b</i>'],
  ['a line', 'a\n\n---\n\nb', `a\n\n${'─'.repeat(40)}\n\nb`],
  ['nothing', '', ''],
])('%s', async (_, source, shown) => {
  expect(await render(source)).toBe(shown);
});

test('without Unicode, marks are ASCII', async () => {
  expect(await render('- a\n\n> b\n\n---', { unicode: false })).toBe(`- a\n\n> b\n\n${'-'.repeat(40)}`);
});

describe('with color', () => {
  test('words have styles, each for itself; styles have no width', async () => {
    expect(await render('# A b\n\n**c *d* `e`**', { color: true })).toBe(
      '\x1b[1mA\x1b[22m \x1b[1mb\x1b[22m\n\n' +
        '\x1b[1mc\x1b[22m \x1b[1m\x1b[3md\x1b[23m\x1b[22m \x1b[1m\x1b[36m`e`\x1b[39m\x1b[22m',
    );
    const words = Array.from({ length: 9 }, () => '**word**').join(' ');
    const [first = '', ...more] = (await render(words, { color: true })).split('\n');
    expect([first.match(/word/g)?.length, more.length]).toEqual([8, 1]);
  });
});

test('entities cannot control the terminal', async () => {
  const shown = await render('a&#27;[31mb &#13;c &#x9b;2J &#8238;d&NewLine;e `f&#27;`');
  expect(shown.replace('\n', '')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
});
