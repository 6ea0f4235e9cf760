// State files that are hostile or easy to get wrong: each is an error with a position, found in a moment.

import { describe, expect, test } from 'vitest';
import { variables } from '../../../src/api/variables.ts';
import { parseRowsFile, parseStateFile, readEntries } from '../../../src/tasks/engine/state-file.ts';
import { parseYaml } from '../../../src/tasks/engine/yaml.ts';

const start = 'svc: 1\nproject: acme/rocket\n';

const nested = (open: string, close: string, depth: number) =>
  `${start}variables: ${open.repeat(depth)}${close.repeat(depth)}`;

/** Each line has nine aliases of the line before it. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let index = 1; index < 12; index += 1)
    lines.push(`a${index}: &a${index} [${`*a${index - 1}, `.repeat(9)}]`);
  return start + lines.join('\n');
}

/** Each anchor is one level deeper than the one before it. */
function stairs(): string {
  const lines = ['a0: &a0 []'];
  for (let index = 1; index < 50_000; index += 1) lines.push(`a${index}: &a${index} [*a${index - 1}]`);
  return start + lines.join('\n');
}

/** Read the entries of the last kind. */
async function read(text: string) {
  const kind = parseStateFile('f', text)[0]?.kinds.at(-1);
  const references = { env: () => '', read: async () => Buffer.from('') };
  return kind && (await readEntries(kind, variables, references)).map(({ attributes }) => attributes);
}

describe('is refused with a position', () => {
  test.each([
    ['a list 100,000 levels deep', nested('[', ']', 100_000), /^f:3:\d+: nested too deeply$/],
    ['a mapping 100,000 levels deep', nested('{ a: ', '}', 100_000), /^f:3:\d+: nested too deeply$/],
    ['an alias of its own list', `${start}variables: &a [*a]`, 'f:3:16: the alias *a refers to itself'],
    [
      'an alias of its own mapping',
      `${start}approvals: &a\n  merge_requests_author_approval: *a`,
      'f:4:35: the alias *a refers to itself',
    ],
    ['an alias without an anchor', `${start}variables: *a`, 'f:3:12: unknown alias *a'],
    ['aliases that multiply', bomb(), /^f:\d+:\d+: aliases expand to too many values$/],
    [
      'aliases of long text',
      `a: &l ${'x'.repeat(2 ** 20)}\nb: [${'*l,'.repeat(200)}]`,
      /: too much text, or aliases that repeat it$/,
    ],
    ['aliases that nest', stairs(), /^f:\d+:\d+: aliases expand to too many values$/],
    ['a key that occurs twice', `${start}variables: []\nvariables: []`, 'f:4:1: duplicate key "variables"'],
    ['a tag', `${start}variables: [{ key: A, value: !vault b }]`, 'f:3:30: tags are not supported'],
    ['a known tag', `${start}variables: [{ key: A, value: !!int 1 }]`, 'f:3:36: tags are not supported'],
  ])('%s', (_, text, message) => {
    expect(() => parseStateFile('f', text)).toThrow(message);
  });

  test('a JSON list 100,000 levels deep', () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(() => parseRowsFile('f', text, 'variables')).toThrow(/^f:1:\d+: nested too deeply$/);
  });
});

describe('is read', () => {
  test.each(['---\n', '---\n# end\n---\n'])('a file that ends with %j', (end) => {
    expect(parseStateFile('f', `${start}${end}`)).toHaveLength(1);
  });

  test('an alias means the last anchor before it', async () => {
    const text = `${start}variables:
  - { key: A, value: &v one }
  - { key: B, value: *v }
  - { key: C, value: &v two }
  - { key: D, value: *v }`;
    expect((await read(text))?.map((row) => row['value'])).toEqual(['one', 'one', 'two', 'two']);
  });

  test('an alias of a whole entry', async () => {
    const text = `${start}x: &a { key: A, value: b }\nvariables: [*a]`;
    expect((await read(text))?.map((row) => row['key'])).toEqual(['A']);
  });

  test('CRLF line ends count as LF in a block of text', async () => {
    const text = `${start}variables:\n  - key: A\n    value: |\n      a\n      b\n`.replaceAll('\n', '\r\n');
    expect(await read(text)).toEqual([{ key: 'A', value: 'a\nb\n', environment_scope: '*' }]);
  });

  test('keys that are names of object properties', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const text = `${start}variables:\n${names.map((key) => `  - { key: ${key}, value: x }\n`).join('')}`;
    expect((await read(text))?.map((row) => row['key'])).toEqual(names);
    for (const name of names)
      await expect(read(`${start}variables: [{ key: A, ${name}: b }]`)).rejects.toThrow(
        `unknown attribute "${name}"`,
      );
  });

  test('20,000 aliases', () => {
    const text = `${start}x: &a b\nvariables: [${Array(20_000).fill('*a').join(', ')}]`;
    expect(parseYaml('f', text)).toHaveLength(1);
  });
});
