/**
 * The confirmation of every write. `confirmations.txt` holds the sentences that the examples print. To update it,
 * run `UPDATE_GOLDEN=1 npx vitest run test/confirmations.test.ts`, and read each sentence.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { confirmationOf } from '../src/spec/done.ts';
import { verbs } from '../src/spec/endpoint.ts';
import { fieldOf, isSecret, keysOf } from '../src/spec/field.ts';
import { calls } from './support/catalogue.ts';
import { presented } from './support/endpoints.ts';
import { folderWith } from './support/folders.ts';
import { exampleFiles, openWorld } from './support/sandbox.ts';
import { words } from './support/svc.ts';

const file = fileURLToPath(new URL('confirmations.txt', import.meta.url));

const writes = presented
  .filter(({ reads }) => !reads)
  .map(({ title, endpoint }) => {
    const run = endpoint.examples.find((example) => !/--(wait|dry-run)/.test(example.run))?.run ?? '';
    return { title, endpoint, run };
  });

async function confirmationIn(run: string): Promise<string> {
  const cwd = await folderWith(exampleFiles);
  const ran = await (await openWorld()).run(words(run), { cwd });
  expect(ran.code, `${run}\n${ran.err}`).toBe(0);
  return ran.err.replace(/^warning: .*\n/gm, '');
}

test('every write prints the sentence that a person has read', async () => {
  const lines: string[] = [];
  for (const { title, run } of writes) lines.push(`${title}: ${(await confirmationIn(run)).trimEnd()}`);
  const text = `${lines.join('\n')}\n`;
  if (process.env['UPDATE_GOLDEN']) await writeFile(file, text);
  expect(text).toBe(await readFile(file, 'utf8'));
});

describe.each(writes)('$title', ({ endpoint }) => {
  const template = endpoint.done ?? '';

  test('has a past participle, a noun and, if the call has a scope, the scope', () => {
    const slots = {
      ...Object.fromEntries(Object.keys(endpoint.slots).map((name) => [name, '5'])),
      id: 'acme/rocket',
    };
    const sentence = confirmationOf({ endpoint, slots, values: {} }, undefined, false, (text) => text) ?? '';
    const [verb = '', ...rest] = sentence.split(' ');
    expect(Object.keys(verbs)).toContain(verb);
    expect(rest.length).toBeGreaterThan(0);
    expect(sentence).not.toMatch(/[{}]|\bundefined\b|\(\)| {2}|[.:] ?$/);
    if (endpoint.scope) expect(sentence).toContain('acme/rocket');
  });

  test('names the resource by values that the call knows, never by a secret', () => {
    const { argumentFields, returns, slots, takes } = endpoint;
    for (const [, name = ''] of template.matchAll(/\{([\w.-]+)\}/g)) {
      if (name === 'scope') continue;
      const [first = '', ...rest] = name.split('.');
      const known = { ...slots, ...takes, ...('fields' in returns ? returns.fields : {}) };
      const field = rest.reduce(
        (at, key) => keysOf(at)?.[key],
        fieldOf(known, argumentFields[first] ?? first),
      );
      expect(field, name).toBeDefined();
      expect(isSecret(field), name).toBe(false);
    }
  });

  test('says scheduled for 202', () => {
    const sentence = confirmationOf(
      { endpoint, slots: { id: '1' }, values: {} },
      undefined,
      true,
      (text) => text,
    );
    expect(sentence).toMatch(/^Scheduled [a-z]+ of \S/);
  });
});

test('only writes have a confirmation', () => {
  const reads = calls.filter(({ endpoint }) => endpoint.method === 'GET' || endpoint.method === 'HEAD');
  expect(reads.filter(({ endpoint }) => endpoint.done !== undefined)).toEqual([]);
});
