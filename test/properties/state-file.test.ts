// Values survive a state file and a dotenv file unchanged, or are refused.
import { parse } from 'dotenv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/api/variables.ts';
import { Failure } from '../../src/errors.ts';
import {
  parseRowsFile,
  parseStateFile,
  readEntries,
  type StateDocument,
} from '../../src/tasks/engine/state-file.ts';
import { dotenvText, readDotenv } from '../../src/tasks/variables/dotenv.ts';
import { object } from '../output/print.ts';
import { forAll, forAllAsync } from '../support/runs.ts';

/** Text that formats confuse with other types, comments, references or ends of lines. */
const words = `yes no null ~ 1e3 0x10 0o7 1_000 .inf 12:30:45 2026-01-01 [1] &a *a %A @a \`a\` --- ...
  " ' \` \\ \\n $HOME $\{X} $$ é 😀 a=b`.split(/\s+/);
const trap = fc.constantFrom(
  ...words,
  ...['- a', '? b', 'a: b', 'a #b', '# c', '{ env: X }', '!!str x', '| x', '> y', 'export A=b'],
  ...['a\nb', 'a\n', '\na', 'a\r\nb\r\n', 'a\rb', 'a\n\n', '\ta', 'a\t\n', '  a\n b\n'],
  ...['', ' ', ' a ', '\u0085', '\u2028', '\ufeffa', '\u0000', '\u0007', '\u007f'],
  '-----BEGIN KEY-----\nMIIB+/=\n-----END KEY-----\n',
);
const value = fc.oneof(
  trap,
  fc.array(trap, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'"\'`\\nr\n\r\t $#=:-a'), maxLength: 12 }),
);
const key = fc.stringMatching(/^[A-Za-z_]\w{0,10}$/);

const rowOf = ([name, text]: readonly [string, string]) => ({
  key: name,
  value: text,
  environment_scope: '*',
});

async function entriesOf(documents: readonly StateDocument[]): Promise<object[]> {
  const kind = documents[0]?.kinds[0];
  const references = { env: () => 'never', read: async () => Buffer.from('never') };
  const entries = kind && (await readEntries(kind, variables, references));
  return (entries ?? []).map(({ attributes }) => attributes);
}

const pairs = fc.uniqueArray(fc.tuple(key, value), {
  selector: ([name]) => name,
  minLength: 1,
  maxLength: 5,
});

describe('a state file', () => {
  it.each(['yaml', 'json'] as const)('in %s has the values that were exported', async (format) => {
    await forAllAsync(pairs, async (all) => {
      const rows = all.map(rowOf);
      const text = await object({ format }, JSON.stringify({ svc: 1, project: 'a/b', variables: rows }));
      expect(await entriesOf(parseStateFile('f', text))).toEqual(rows);
    });
  });

  it('can be the JSON of variables list', async () => {
    await forAllAsync(pairs, async (all) => {
      const rows = all.map(rowOf);
      const listed = rows.map((row) => ({ ...row, description: null, brand_new: [1] }));
      expect(await entriesOf(parseRowsFile('f', JSON.stringify(listed), 'variables'))).toEqual(rows);
    });
  });
});

describe('a dotenv file', () => {
  it('has exactly the values, or the export is refused and names a key', () => {
    forAll(pairs, (all) => {
      const given = new Map(all);
      let text: string;
      try {
        text = dotenvText(given);
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
        return;
      }
      expect(Object.entries(parse(text))).toEqual([...given]);
      expect(Object.entries(readDotenv('f.env', text))).toEqual([...given]);
    });
  });

  it('expresses line breaks, spaces, comments, references and each kind of quote', () => {
    const values = ['', ' two words ', 'a\nb', 'a\r\nb', "it's", 'say "x"', '# no comment', '$HOME', '`x`'];
    const next = { A: 'C:\\', B: '# no comment' };
    expect(parse(dotenvText(new Map(Object.entries(next))))).toEqual(next);
    for (const text of values) expect(parse(dotenvText(new Map([['A', text]])))).toEqual({ A: text });
  });
});
