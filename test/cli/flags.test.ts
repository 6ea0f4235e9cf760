/** The conventions of flags: POSIX (section 12.2) and GNU, with the additions of other command-line tools. */
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/cli/argv/parse.ts';
import { splitArgv } from '../../src/cli/argv/split.ts';
import { Failure } from '../../src/errors.ts';
import type { Command } from '../../src/spec/command.ts';
import { argumentsIn } from '../../src/spec/command.ts';
import { bool, list, text } from '../../src/spec/field.ts';

const common = { doc: '', group: 'other' } as const;
const command: Command = {
  area: 'things',
  name: 'make',
  summary: '',
  docs: [],
  deprecated: [],
  arguments: argumentsIn('make <name> [more]'),
  fields: { title: text('', { short: 't' }), is_open: bool(''), tag: list(text('')) },
  flags: [
    { ...common, name: 'output', short: 'o', kind: 'text', choices: ['json', 'csv'] },
    { ...common, name: 'quiet', short: 'q' },
    { ...common, name: 'yes', short: 'y' },
    { ...common, name: 'no-header' },
    { ...common, name: 'watch', short: 'w', kind: 'number', unit: 'seconds', optional: true },
    { ...common, name: 'header', short: 'H', kind: 'text', repeats: true },
  ],
  endpoints: [],
  examples: [],
};

function parse(...words: string[]) {
  const { words: args, fields, options, repeated } = parseCommand(command, words);
  return { args, ...fields, ...options, ...(repeated.length > 0 ? { repeated } : {}) };
}

function failure(...words: string[]): [string, ...string[]] {
  try {
    parse(...words);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'usage') return [error.message, ...error.hints];
  }
  throw new Error('no usage error');
}

describe('a flag', () => {
  test.each<[string[], object]>([
    [['--output', 'json'], { output: 'json' }],
    [['--output=json'], { output: 'json' }],
    [['-o', 'json'], { output: 'json' }],
    [['-ojson'], { output: 'json' }],
    [['-o=json'], { output: 'json' }],
    [['-qy'], { quiet: true, yes: true }],
    [['-qojson'], { quiet: true, output: 'json' }],
    [['-q', '--yes=true'], { quiet: true, yes: true }],
    [['-y=true'], { yes: true }],
    [['--no-header'], { noHeader: true }],
    [['--output', 'json', '--output', 'csv'], { output: 'csv' }],
    [['--title', '-q'], { title: '-q' }],
    [['--title='], { title: '' }],
    [['--title=a=b'], { title: 'a=b' }],
    [['--title', '--'], { title: '--' }],
    [['--is-open'], { is_open: true }],
    [['--no-is-open'], { is_open: false }],
    [['--is-open=False'], { is_open: false }],
    [['--is-open', '--no-is-open'], { is_open: false }],
    [['--tag', 'a', '--tag=b,c'], { tag: ['a', 'b,c'] }],
    [['--watch'], { watch: true }],
    [['--watch', '--quiet'], { watch: true, quiet: true }],
    [['--watch=5'], { watch: 5 }],
    [['-w5'], { watch: 5 }],
    [['-w', '5'], { watch: 5 }],
    [
      ['-H', 'a: 1', '--header=b: 2'],
      {
        repeated: [
          ['header', 'a: 1'],
          ['header', 'b: 2'],
        ],
      },
    ],
  ])('%j', (words, expected) => {
    expect(parse('name', ...words)).toEqual({ args: ['name'], ...expected });
    expect(parse(...words.filter((word) => word !== '--watch'), '--', 'name').args).toEqual(['name']);
  });
});

describe('an argument', () => {
  test.each<[string[], string[]]>([
    [
      ['a', '-q', 'b'],
      ['a', 'b'],
    ],
    [['-'], ['-']],
    [
      ['-1', '-2.5e3'],
      ['-1', '-2.5e3'],
    ],
    [['--', '-q'], ['-q']],
    [
      ['--', '--', '--unknown'],
      ['--', '--unknown'],
    ],
    [[''], ['']],
  ])('%j', (words, expected) => {
    expect(parse(...words).args).toEqual(expected);
  });
});

test('the words after -- belong to another program, but not after a value that is --', () => {
  const line = parseCommand({ ...command, tail: 'command' }, ['name', '--title', '--', '--', '-q', '--']);
  expect([line.words, line.fields, line.tail]).toEqual([['name'], { title: '--' }, ['-q', '--']]);
});

describe('an error', () => {
  const help = 'see svc things make --help';
  test.each<[string[], string, ...string[]]>([
    [['a', '--output'], '--output requires a value', help],
    [['a', '-o'], '--output requires a value', help],
    [['a', '--output', 'jsn'], '--output: unknown value "jsn"', 'Did you mean json?', 'values: json, csv'],
    [['a', '--yes=false'], '--yes takes no value', 'to leave it off, omit --yes'],
    [['a', '-y=no'], '--yes takes no value', 'to leave it off, omit --yes'],
    [['a', '--is-open=maybe'], '--is-open must be true or false, not "maybe"'],
    [['a', '--nothing=secret'], 'unknown flag --nothing', help],
    [['a', '--no-is-open=true'], '--no-is-open takes no value'],
    [['a', '-zsecret'], 'unknown flag -z', help],
    [['a', '-qz'], 'unknown flag -z', help],
    [[], '<name> is missing', help],
    [['a', 'b', 'c'], 'things make takes 2 arguments, but got 3', help],
  ])('%j', (words, ...expected) => {
    expect(failure(...words)).toEqual(expected);
  });
});

describe('flags before the command', () => {
  const split = (line: string) => splitArgv(line.split(' '));
  test.each([
    '-p acme/rocket jobs list',
    '-pacme/rocket jobs list',
    '-p=acme/rocket jobs list',
    '--sandbox -qojson jobs list',
    'jobs --json list',
  ])('%s is jobs list', (line) => {
    expect(split(line)).toMatchObject({ area: 'jobs', command: 'list' });
  });
  test.each<[string, string | undefined]>([
    ['jobs list -o csv', 'csv'],
    ['jobs list -qojson', 'json'],
    ['jobs list --output=', undefined],
    ['jobs list --wrap --json', undefined],
    ['jobs list --profile --json', undefined],
    ['each --projects - -- jobs list -o yaml', 'yaml'],
  ])('the format of %s is %s', (line, format) => {
    expect(split(line).format).toBe(format);
  });
});
