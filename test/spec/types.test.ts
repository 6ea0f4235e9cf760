/** Mistakes in the catalogue and in options that must not compile, or that fail when the area is loaded. */
import { expect, expectTypeOf, test } from 'vitest';
import type { Options } from '../../src/cli/argv/flags.ts';
import { inArea } from '../../src/spec/compose.ts';
import { one } from '../../src/spec/endpoint.ts';
import { type Field, int, list, text } from '../../src/spec/field.ts';

const noun = 'thing';
const fields = { id: int('Thing id'), name: text('Name of the thing') };

test('an area accepts known columns', () => {
  inArea('things', { noun, fields, columns: ['id', { path: 'name', label: 'CALLED', kind: 'name' }] });
});

test('an area rejects an unknown column, with and without a label, and an unknown kind', () => {
  // @ts-expect-error: a thing has no color
  inArea('things', { noun, fields, columns: ['id', 'color'] });
  // @ts-expect-error: a thing has no color
  inArea('things', { noun, fields, columns: ['id', { path: 'color', label: 'COLOR' }] });
  // @ts-expect-error: color is not a kind
  inArea('things', { noun, fields, columns: ['id', { path: 'name', kind: 'color' }] });
});

test('an endpoint rejects an unknown column of the area or of its own response', () => {
  const endpoint = inArea('things', { noun, fields });
  endpoint('GET things', { columns: ['id'] });
  // @ts-expect-error: a thing has no color
  endpoint('GET things', { columns: ['color'] });
  endpoint('GET colors', { returns: one({ color: text('Color') }), columns: ['color'] });
  // @ts-expect-error: a color has no id
  endpoint('GET colors', { returns: one({ color: text('Color') }), columns: ['id'] });
});

test('an endpoint rejects a slot that nothing describes', () => {
  const endpoint = inArea('things', { noun, slots: { key: text('Key') } });
  endpoint('GET things/:thing_id/:key/:id', {});
  endpoint('GET things/:name', { slots: { name: fields.name } });
  expect(() => endpoint('GET things/:name', {}).slots).toThrow('the slot name has no description');
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
