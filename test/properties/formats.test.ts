import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { jsonText } from '../output/arbitraries.ts';
import { list, object } from '../output/print.ts';
import { forAllAsync } from '../support/runs.ts';

describe('yaml', () => {
  test('any text and key is parsed unchanged by readers of YAML 1.1 and 1.2', async () => {
    const punctuation = ' -?:,[]{}#&*!|>\'"%@`=.~<\\/\n\t\r\u0000\u001b\u007f\u009b\u2028\u202e\ufeff';
    const words = 'a é 😀 yes null 0x1f 0o7 1_000 1,5 .inf 1:30 2026-01-01 --- ... e5 + 0'.split(' ');
    const part = fc.constantFrom(...punctuation, ...words);
    const text = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
    await forAllAsync(fc.array(text, { minLength: 1, maxLength: 4 }), text, async (texts, key) => {
      const value = { [key]: texts, list: [[{ [key]: key }]] };
      const printed = await object({ format: 'yaml' }, JSON.stringify(value));
      expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
      for (const version of ['1.1', '1.2'] as const) expect(parseYaml(printed, { version })).toEqual(value);
      expect(parseYaml(await list({ format: 'yaml' }, [JSON.stringify(texts)]))).toEqual(texts);
      expect(parseYaml(await object({ format: 'yaml' }, JSON.stringify(key)))).toEqual(key);
    });
  });

  test('a key of more than 1024 characters is parsed unchanged', async () => {
    const value = { [`${'k'.repeat(1100)}: `]: { a: [1] }, ['k'.repeat(1100)]: 'x' };
    expect(parseYaml(await object({ format: 'yaml' }, JSON.stringify(value)))).toEqual(value);
  });

  test('takes at most ten times as long as csv', async () => {
    const row = {
      name: 'build: linux',
      at: '2026-01-02T03:04:05Z',
      commit: { id: '0a1b', text: 'two\nlines' },
    };
    const body = JSON.stringify(Array(5000).fill(row));
    const cost = async (format: 'csv' | 'yaml') => {
      const times = [];
      for (let round = 0; round < 3; round++) {
        const start = performance.now();
        await list({ format }, [body]);
        times.push(performance.now() - start);
      }
      return Math.min(...times);
    };
    expect(await cost('yaml')).toBeLessThan(10 * (await cost('csv')));
  });

  test('is parsed to the same values', async () => {
    await forAllAsync(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }), async (values) => {
      const body = JSON.stringify(values);
      const printed = await list({ format: 'yaml' }, [body]);
      expect(JSON.stringify(parseYaml(printed, { intAsBigInt: false }))).toBe(
        JSON.stringify(JSON.parse(body)),
      );
    });
  });
});

test('every format prints any JSON', async () => {
  await forAllAsync(fc.array(jsonText, { maxLength: 3 }), jsonText, async (items, one) => {
    for (const format of ['csv', 'tsv', 'yaml', 'table'] as const) {
      await list({ format }, [`[${items.join(',')}]`], 7);
      await object({ format }, one, 7);
      await object({ format, fields: ['a.b', '0'] }, one, 7);
    }
  });
});
