import { describe, expect, it } from 'vitest';
import { argumentsOf, commandName } from '../../src/spec/command.ts';
import { inArea } from '../../src/spec/compose.ts';
import type { Scope } from '../../src/spec/endpoint.ts';
import { bool, int, need, omit, pick, text } from '../../src/spec/field.ts';

const project: Scope = { name: 'project', prefix: '/projects/:id', id: text('Project') };
const thing = {
  id: int('Thing id'),
  name: text('Display name', { required: true, default: 'one' }),
  big: bool('Large'),
};

const endpoint = inArea('things', {
  noun: 'thing',
  scope: project,
  fields: thing,
  sample: '7',
});
describe('an endpoint', () => {
  it('describes the ids of the resource by the list that prints them', () => {
    const other = endpoint('GET things/:thing_id/parts/:part_id', { command: 'part' });
    expect(Object.values(other.slots).map(({ doc }) => doc)).toEqual([
      'Thing id from `things list`',
      'Part id',
    ]);
    expect(other.command).toBe('part <thing-id> <part-id>');
  });

  it('reads arguments from the command', () => {
    const call = endpoint('POST pipelines/:pipeline/things/:thing_id', {
      command: 'create <pipeline-id> <thing-id> [name]',
      argumentFields: { 'pipeline-id': 'pipeline' },
      slots: { pipeline: int('Pipeline id') },
      takes: pick(thing, 'name'),
    });
    expect(commandName(call)).toBe('create');
    expect(argumentsOf(call).map(({ of: _, ...argument }) => argument)).toEqual([
      { name: 'pipeline-id', field: 'pipeline', required: true },
      { name: 'thing-id', field: 'thing_id', required: true },
      { name: 'name', field: 'name', required: false },
    ]);
  });
});

describe('fields', () => {
  it('can be required, optional or omitted by name', () => {
    expect(need(thing, 'big')).toEqual({ big: { ...thing.big, required: true } });
    expect(pick(thing, 'name', 'id')).toEqual({
      name: { kind: 'text', doc: 'Display name', default: 'one' },
      id: thing.id,
    });
    expect(omit(thing, 'name')).toEqual({ id: thing.id, big: thing.big });
    expect(thing.name.required).toBe(true);
  });
});
