/** Mistakes in the catalogue and in options that must not compile. */
import { expectTypeOf, test } from 'vitest';
import type { Options } from '../../src/cli/argv/flags.ts';
import { crud } from '../../src/spec/compose.ts';
import { endpoint, one } from '../../src/spec/endpoint.ts';
import { type Field, int, list, text } from '../../src/spec/field.ts';

const thing = { id: int('Thing id'), name: text('Name of the thing') };
const part = { examples: [] };
const parts = { list: part, get: part, create: part, update: part, delete: part };
const common = { section: '1', noun: 'thing' };
const draft = { section: '1', command: 'get <id>', summary: 'Show one thing', examples: [] };

test('crud accepts known columns and the slot of its path', () => {
  crud('things/:id', thing, { ...common, ...parts, slots: { id: thing.id }, columns: ['id', 'name'] });
});

test('crud rejects an unknown column', () => {
  // @ts-expect-error: a thing has no color
  crud('things/:id', thing, { ...common, ...parts, slots: { id: thing.id }, columns: ['id', 'color'] });
});

test('crud rejects an unknown column with a label, and an unknown kind', () => {
  const given = { ...common, ...parts, slots: { id: thing.id } };
  crud('things/:id', thing, { ...given, columns: ['id', { path: 'name', label: 'CALLED', kind: 'name' }] });
  // @ts-expect-error: a thing has no color
  crud('things/:id', thing, { ...given, columns: ['id', { path: 'color', label: 'COLOR' }] });
  // @ts-expect-error: color is not a kind
  crud('things/:id', thing, { ...given, columns: ['id', { path: 'name', kind: 'color' }] });
});

test('crud rejects a missing slot', () => {
  // @ts-expect-error: the path has the slot id
  crud('things/:id', thing, { ...common, ...parts, slots: {}, columns: ['id'] });
});

test('endpoint rejects an unknown column', () => {
  // @ts-expect-error: a thing has no color
  endpoint('GET things/:id', { ...draft, slots: { id: thing.id }, returns: one(thing), columns: ['color'] });
});

test('endpoint rejects a missing slot', () => {
  // @ts-expect-error: the path has the slot id
  endpoint('GET things/:id', { ...draft, returns: one(thing) });
});

test('only lists have items', () => {
  expectTypeOf(list(text('Name')).of).toEqualTypeOf<Field>();
  // @ts-expect-error: text has no items
  expectTypeOf(text('Name').of).toBeAny();
});

test('rejects a misspelled program option', () => {
  const options: Options = { dryRun: true };
  // @ts-expect-error: the option is dryRun
  expectTypeOf(options.dryrun).toBeAny();
});
