/** The confirmation of every write. `docs/examples.json` has the sentences that the examples print. */
import { describe, expect, test } from 'vitest';
import { confirmationOf } from '../src/spec/done.ts';
import { verbs } from '../src/spec/endpoint.ts';
import { fieldOf, isSecret, keysOf } from '../src/spec/field.ts';
import { calls } from './support/catalogue.ts';
import { presented } from './support/endpoints.ts';

const writes = presented.filter(({ reads }) => !reads);

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
