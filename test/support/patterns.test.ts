// Patterns must run in linear time: a service can send any text, and a signal does not end a match that has begun.
import { runInNewContext } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { matchesPath, matchesWildcard } from '../../src/support/text/wildcard.ts';
import { dotenvText, readDotenv } from '../../src/tasks/variables/dotenv.ts';
import { sources } from './sources.ts';

const length = 60_000;

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** The literal patterns of a syntax tree. */
function patternsIn(node: unknown, file: string): Pattern[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('regex' in node && node.regex) {
    const { pattern: source, flags } = node.regex as { pattern: string; flags: string };
    return [{ file, source, flags }];
  }
  return Object.values(node).flatMap((child) => patternsIn(child, file));
}

/** Files whose patterns read only text of this program or of its user, or text that was checked before. */
const ownText = /^(docs\/|spec\/command\.ts|support\/(shell|number)\.ts|tasks\/variables\/dotenv\.ts)/;

const patterns = [...sources].flatMap(([file, code]) =>
  ownText.test(file) ? [] : patternsIn(parseAst(code, { lang: 'ts' }), file),
);

/** The seconds of processor time that a function takes. A busy machine does not change them as much as those of a clock. */
function secondsOf(run: () => void): number {
  const start = process.cpuUsage();
  run();
  return process.cpuUsage(start).user / 1e6;
}

/** Texts that repeat a character of the pattern, after a start and before an end that may not match. */
function hostileTexts(source: string): string[] {
  const literals = new Set(source.match(/[^\\()[\]{}|?*+^$.\w]/g) ?? []);
  const repeated = [...literals, ...'\\0a \n'].slice(0, 16);
  return ['', 'http://', '"'].flatMap((start) =>
    repeated.flatMap((char) => ['', '!'].map((end) => `${start}${char.repeat(length)}${end}`)),
  );
}

/** Whether hostile texts take too long to match. Only a match in another context can be ended. */
const isSlow = (pattern: Pattern): boolean => {
  const texts = hostileTexts(pattern.source);
  try {
    const code = 'for (const text of texts) text.replace(new RegExp(source, flags), "")';
    runInNewContext(code, { ...pattern, texts }, { timeout: 5_000 });
    return false;
  } catch {
    return true;
  }
};

test('every pattern that may read foreign text is linear in 60,000 hostile characters', () => {
  expect(patterns.length).toBeGreaterThan(300);
  // A second attempt, because a busy machine can also take long.
  const slow = patterns.filter(isSlow).filter(isSlow);
  expect(slow).toEqual([]);
});

test.each(["'", '"', '`', '#', '=', 'a', '\\', 'a=\n'])('dotenv text of %j takes linear time', (part) => {
  const text = part.repeat(length / part.length);
  for (const read of [() => readDotenv('f.env', text), () => dotenvText(new Map([['KEY', text]]))]) {
    const attempted = () => {
      try {
        read();
      } catch (error) {
        expect(error).toBeInstanceOf(Failure);
      }
    };
    expect(secondsOf(attempted)).toBeLessThan(2);
  }
});

describe('a wildcard', () => {
  test.each([
    ['*', 'any/thing\n', true],
    ['main', 'main', true],
    ['review/*', 'review/1', true],
    ['review/*', 'Review/1', false],
    ['*-stable', '1-2-stable', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['m.*', 'main', false],
  ])('%j for %j: %s', (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected);
  });

  test.each([
    ['acme/*', 'acme/rocket', true],
    ['acme/*', 'acme/labs/probe', false],
    ['acme/**', 'acme/labs/probe', true],
    ['acme/**/probe', 'acme/labs/deep/probe', true],
    ['**/probe', 'probe', false],
    ['*/*', 'acme/', true],
    ['a**b', 'ab', true],
    ['a*c*', 'abcd', true],
    ['https://old.example/**', 'https://old.example/a/b', true],
  ])('of a path %j for %j: %s', (pattern, text, expected) => {
    expect(matchesPath(pattern, text)).toBe(expected);
  });

  test.each([
    ['*'.repeat(60), 'a'],
    [`${'*a'.repeat(30)}b`, 'a'],
    ['*a'.repeat(30_000), 'a'],
    [`${'a*'.repeat(30_000)}b`, 'a'],
  ])('with many asterisks takes linear time', (pattern, char) => {
    expect(secondsOf(() => matchesWildcard(pattern, char.repeat(length)))).toBeLessThan(2);
  });
});
