/** Thousands of variables with hostile values. */
import { expect, test } from 'vitest';
import { expectCode, openStateWorld, writes } from '../tasks/engine/world.ts';

const hostile = [
  'a\nb\n',
  'a\r\nb\r\n',
  '"double" \'single\' `back`',
  '$HOME ${X} %A',
  'yes',
  'null',
  '1e3',
  '0x10',
  '2026-01-01',
  ' trailing ',
  'é 😀 \u2028',
  '-----BEGIN KEY-----\nMIIB+/=\n-----END KEY-----\n',
  '# no comment',
  '{ env: X }',
  '',
];
const rowAt = (at: number) => ({
  key: `KEY_${at}`,
  value: `${hostile[at % hostile.length]}`,
  environment_scope: 's',
});

test('2,000 variables survive an export, an import and a comparison', async () => {
  const rows = Array.from({ length: 2000 }, (_, at) => rowAt(at));
  const source = await openStateWorld();
  expectCode(await source.run('variables import - -p acme/rocket --yes', { stdin: JSON.stringify(rows) }), 0);
  for (const format of ['yaml', 'json']) {
    const exported = await source.run(`variables export --with-secrets -p acme/rocket -o ${format}`);
    expectCode(exported, 0);
    const same = await source.run('variables diff -', { stdin: exported.out });
    expectCode(same, 0);
    // Reading 2,006 variables takes 21 pages.
    expect(same.requests).toHaveLength(21);
  }
  const exported = await source.run('variables export --with-secrets -p acme/rocket');
  const imported = await source.run('variables import - -p acme/website --yes', { stdin: exported.out });
  // The value of the hidden variable of the seed cannot be exported.
  expectCode(imported, 2);
  const readable = exported.out.replace(/ {2}- key: HIDDEN_KEY\n(?: {4}.*\n)*/, '');
  const complete = await source.run('variables import - -p acme/website --yes', { stdin: readable });
  expectCode(complete, 0);
  expect(writes(complete)).toHaveLength(2005);
  const copies: object[] = JSON.parse((await source.run('variables list -p acme/website --all --json')).out);
  const values = new Map(copies.map((row) => [Reflect.get(row, 'key'), Reflect.get(row, 'value')]));
  for (const { key, value } of rows) expect(values.get(key)).toBe(value);
});
