import { describe, expect, test } from 'vitest';
import { meaning } from '../../src/output/table/paint.ts';
import { briefTime, relativeTime, showTime } from '../../src/output/table/time.ts';
import { labelOf, sentenceCase } from '../../src/support/column.ts';
import { showDuration, showSize } from '../../src/support/number.ts';
import { printable } from '../../src/support/text/printable.ts';

describe('printable', () => {
  test.each([
    ['plain é 日本 👩‍👩‍👧', 'plain é 日本 👩‍👩‍👧'],
    ['a\u001b[31mred\u001b[0m', 'ared'],
    ['a\u009b31mb', 'ab'],
    ['a\u001b]0;title\u0007b', 'ab'],
    ['a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\b', 'alinkb'],
    ['a\u009d0;title\u009cb', 'ab'],
    ['a\u001bcb', 'ab'],
    ['a\u001b(0b', 'ab'],
    ['a\u001b]0;open', 'a0;open'],
    ['a\u0000\u0007\u0008b\u007f\u0085c', 'abc'],
    ['a\u001b\u001b[31m[32mb', 'a[32mb'],
    // Unicode 16, section 23.3: embeddings, overrides and isolates; letters from right to left are kept.
    ['a\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069b\u05e9', 'ab\u05e9'],
    ['a\nb\tc\r\nd\re\u2028f\u2029g', 'a b c d e f g'],
  ])('changes %j to %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test('keeps line breaks with multiline', () => {
    expect(printable('a\nb\r\nc\rd\te', { multiline: true })).toBe('a\nb\nc d  e');
  });
});

describe('times', () => {
  const now = Date.parse('2026-05-01T12:00:00Z');
  const second = 1000;
  const day = 86_400 * second;

  test.each([
    [-59 * second, 'just now'],
    [-60 * second, '1 minute ago'],
    [-3 * 3600 * second, '3 hours ago'],
    [2 * day, 'in 2 days'],
    [-7 * day, '1 week ago'],
    [-365 * day, '11 months ago'],
  ])('prints %i ms from now as %s', (away, expected) => {
    expect(relativeTime(now + away, now)).toBe(expected);
  });

  test.each([
    ['2026-05-01T11:00:00.123Z', '59 minutes ago'],
    ['2026-05-01T13:00:00+02:00', '1 hour ago'],
    ['2026-05-01 11:00:00 UTC', '1 hour ago'],
    ['2026-05-01', '2026-05-01'],
  ])('prints %s as %s', (text, expected) => {
    expect(showTime(text, 'relative', () => now)).toBe(expected);
    expect(showTime(text, 'iso', () => now)).toBe(text);
  });

  test.each([
    ['just now', 'now'],
    ['1 minute ago', '1m ago'],
    ['in 2 days', 'in 2d'],
    ['11 months ago', '11mo ago'],
    ['2 years', '2 years'],
  ])('abbreviates %s to %s', (text, expected) => {
    expect(briefTime(text)).toBe(expected);
  });

  test('prints local time in the time zone of the machine', () => {
    const at = new Date(2026, 0, 2, 3, 4, 5);
    expect(showTime(at.toISOString(), 'local', () => now)).toBe('2026-01-02 03:04:05');
  });
});

test('recognizes status words in any case, and HTTP statuses', () => {
  const words = ['success', 'FAILED', 'running', 'pending', 'skipped', '304', '503', 'purple', '2000'];
  const expected = ['good', 'bad', 'busy', 'waiting', 'idle', 'good', 'bad', undefined, undefined];
  expect(words.map(meaning)).toEqual(expected);
});

describe('units', () => {
  test.each([
    [0.0002, '1ms'],
    [0.102, '102ms'],
    [0.9996, '1s'],
    [7.26, '7.3s'],
    [59.4, '59s'],
    [59.6, '1m'],
    [414.003, '6m54s'],
    [3599.7, '1h'],
    [86_399.9, '1d'],
    [97_200, '1d3h'],
    [-90, '-1m30s'],
  ])('a duration of %d seconds reads %s', (seconds, expected) => {
    expect(showDuration(seconds)).toBe(expected);
  });

  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [1_048_575, '1 MiB'],
    [1_258_291, '1.2 MiB'],
  ])('a size of %d bytes reads %s', (bytes, expected) => {
    expect(showSize(bytes)).toBe(expected);
  });
});

test.each([
  ['id', 'ID', 'ID'],
  ['created_at', 'CREATED', 'Created'],
  ['commit.committed_date', 'COMMITTED', 'Committed'],
  ['last_activity_on', 'LAST ACTIVITY', 'Last activity'],
  ['author.username', 'AUTHOR', 'Author'],
  ['pipeline.id', 'PIPELINE', 'Pipeline'],
  ['web_url', 'WEB URL', 'Web URL'],
  ['parent_ids', 'PARENT IDS', 'Parent IDs'],
  ['licensee.Company', 'COMPANY', 'Company'],
  ['_links', 'LINKS', 'Links'],
])('labels: %s is %s in a table and %s elsewhere', (path, header, words) => {
  expect(labelOf(path)).toBe(header);
  expect(sentenceCase(labelOf(path))).toBe(words);
});
