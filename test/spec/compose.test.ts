import { describe, expect, it } from 'vitest';
import { argumentsOf, commandName } from '../../src/spec/command.ts';
import { area, crud, under } from '../../src/spec/compose.ts';
import { endpoint, one, type Scope } from '../../src/spec/endpoint.ts';
import { bool, int, need, omit, pick, text } from '../../src/spec/field.ts';

const project: Scope = { name: 'project', prefix: '/projects/:id', id: text('Project') };
const group: Scope = { name: 'group', prefix: '/groups/:id', id: text('Group') };
const thing = {
  id: int('Thing id'),
  name: text('Display name', { required: true }),
  big: bool('Large'),
};
const example = (run: string) => ({ does: 'Try', run });
const examples = [example('things x')];

const calls = crud('things/:thing_id', thing, {
  section: '0',
  noun: 'thing',
  slots: { thing_id: int('Thing id') },
  columns: ['id', 'name'],
  access: { role: 'user' },
  list: { takes: pick(thing, 'name'), examples },
  get: { examples },
  create: { takes: need(thing, 'name'), examples, access: { role: 'owner' } },
  update: { examples, command: 'rename <thing-id> [name]' },
  delete: { examples, doc: 'It cannot be restored.' },
});
const five = Object.values(calls);

describe('crud', () => {
  it('defines the five calls of a collection', () => {
    expect(five.map(({ method, path, command, summary }) => [method, path, command, summary])).toEqual([
      ['GET', '/things', 'list', 'List things'],
      ['GET', '/things/:thing_id', 'get <thing-id>', 'Show one thing'],
      ['POST', '/things', 'create', 'Create a thing'],
      ['PUT', '/things/:thing_id', 'rename <thing-id> [name]', 'Change a thing'],
      ['DELETE', '/things/:thing_id', 'delete <thing-id>', 'Delete a thing'],
    ]);
    expect(five.map(({ returns }) => returns.kind)).toEqual([
      'list',
      'object',
      'object',
      'object',
      'nothing',
    ]);
    expect(five.map(({ confirm }) => confirm)).toEqual([undefined, undefined, undefined, undefined, 'yes']);
    expect(five.map(({ access }) => access.role)).toEqual(['user', 'user', 'owner', 'user', 'user']);
    expect(five.map(({ doc }) => doc)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'It cannot be restored.',
    ]);
  });

  it('adds pagination to the list only', () => {
    expect(five.map(({ takes }) => Object.keys(takes))).toEqual([
      ['name', 'page', 'per_page'],
      [],
      ['name'],
      [],
      [],
    ]);
  });
});

describe('under', () => {
  const call = endpoint('GET things', {
    section: '0',
    command: 'list',
    summary: 'List things',
    returns: one(thing),
    examples: [
      'things list --project a',
      'things list -g b',
      'things list --group b',
      'things list --all',
    ].map(example),
  });
  const placed = under([undefined, project, group], [call]);

  it('repeats a call in each scope', () => {
    expect(placed.map(({ path, scope }) => [path, scope?.name])).toEqual([
      ['/things', undefined],
      ['/projects/:id/things', 'project'],
      ['/groups/:id/things', 'group'],
    ]);
    expect(call.path).toBe('/things');
  });

  it('keeps each example in the scope of its flag', () => {
    expect(placed.map((each) => each.examples.map(({ run }) => run))).toEqual([
      ['things list --all'],
      ['things list --project a', 'things list --all'],
      ['things list -g b', 'things list --group b', 'things list --all'],
    ]);
  });
});

describe('fields', () => {
  it('can be required, optional or omitted by name', () => {
    expect(need(thing, 'big')).toEqual({ big: { ...thing.big, required: true } });
    expect(pick(thing, 'name', 'id')).toEqual({
      name: { kind: 'text', doc: 'Display name' },
      id: thing.id,
    });
    expect(omit(thing, 'name')).toEqual({ id: thing.id, big: thing.big });
    expect(thing.name.required).toBe(true);
  });
});

it('reads arguments from the command', () => {
  const call = endpoint('POST pipelines/:id/things/:thing_id', {
    section: '0',
    command: 'create <pipeline-id> <thing-id> [name]',
    as: { 'pipeline-id': 'id' },
    summary: 'Create a thing',
    done: 'Created thing {id}',
    slots: { id: int('Pipeline id'), thing_id: int('Thing id') },
    takes: pick(thing, 'name'),
    returns: one(thing),
    examples,
  });
  expect(commandName(call)).toBe('create');
  expect(argumentsOf(call).map(({ of: _, ...argument }) => argument)).toEqual([
    { name: 'pipeline-id', field: 'id', required: true },
    { name: 'thing-id', field: 'thing_id', required: true },
    { name: 'name', field: 'name', required: false },
  ]);
});

it('omits the doc of an area without one', () => {
  expect(area(five)).toEqual({ endpoints: five });
  expect(area([], 'Things.')).toEqual({ doc: 'Things.', endpoints: [] });
});
