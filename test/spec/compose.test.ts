import { describe, expect, it } from 'vitest';
import { argumentsOf, commandName } from '../../src/spec/command.ts';
import { area, inArea } from '../../src/spec/compose.ts';
import { one, type Scope } from '../../src/spec/endpoint.ts';
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
  access: { role: 'user' },
  fields: thing,
  columns: ['id', 'name'],
  details: ['name'],
  sample: '7',
});
const five = [
  endpoint('GET things', { takes: pick(thing, 'name') }),
  endpoint('GET things/:thing_id', {}),
  endpoint('POST things', { takes: need(thing, 'name'), access: { role: 'owner' } }),
  endpoint('PUT things/:thing_id', { takes: pick(thing, 'name') }),
  endpoint('DELETE things/:thing_id', { doc: 'It cannot be restored.' }),
];

describe('an endpoint', () => {
  it('has a command, a summary and a confirmation that follow from method, path and noun', () => {
    expect(
      five.map(({ method, path, command, summary, done }) => [method, path, command, summary, done]),
    ).toEqual([
      ['GET', '/projects/:id/things', 'list', 'List things', undefined],
      ['GET', '/projects/:id/things/:thing_id', 'get <thing-id>', 'Show one thing', undefined],
      ['POST', '/projects/:id/things', 'create', 'Create a thing', 'Created thing {id} ({name})'],
      [
        'PUT',
        '/projects/:id/things/:thing_id',
        'update <thing-id>',
        'Change a thing',
        'Updated thing {thing_id} ({name})',
      ],
      [
        'DELETE',
        '/projects/:id/things/:thing_id',
        'delete <thing-id>',
        'Delete a thing',
        'Deleted thing {thing_id}',
      ],
    ]);
    const settings = endpoint('PUT settings', { returns: one(pick(thing, 'big')) });
    expect(settings).toMatchObject({ summary: 'Change the thing', done: 'Updated the thing of {scope}' });
  });

  it('returns the resource of its area, in the columns of its area', () => {
    expect(five.map(({ returns, columns }) => [returns.kind, columns])).toEqual([
      ['list', ['id', 'name']],
      ['object', ['name']],
      ['object', ['name']],
      ['object', ['name']],
      ['nothing', []],
    ]);
  });

  it('asks for confirmation before a deletion, and has the access of its area', () => {
    expect(five.map(({ confirm }) => confirm)).toEqual([undefined, undefined, undefined, undefined, 'yes']);
    expect(five.map(({ access }) => access.role)).toEqual(['user', 'user', 'owner', 'user', 'user']);
  });

  it('has pagination if it is a list, and no defaults if it is an update', () => {
    expect(five.map(({ takes }) => Object.keys(takes))).toEqual([
      ['name', 'page', 'per_page'],
      [],
      ['name'],
      ['name'],
      [],
    ]);
    expect(five.map(({ takes }) => takes['name']?.default)).toEqual([
      'one',
      undefined,
      'one',
      undefined,
      undefined,
    ]);
  });

  it('describes the ids of the resource by the list that prints them', () => {
    const other = endpoint('GET things/:thing_id/parts/:part_id', { command: 'part' });
    expect(Object.values(other.slots).map(({ doc }) => doc)).toEqual([
      'Thing id from `things list`',
      'Part id',
    ]);
    expect(other.command).toBe('part <thing-id> <part-id>');
  });

  it('has examples with its command and its scope, or one that follows from it', () => {
    const runs = five.map(({ examples }) => examples.map(({ run }) => run));
    expect([runs[0], runs[1], runs[4]]).toEqual([
      ['things list --project acme/rocket'],
      ['things get 7 --project acme/rocket'],
      ['things delete 7 --project acme/rocket --yes'],
    ]);
    const { examples } = endpoint('GET things', { examples: { Some: '--big', Other: '--project a -q' } });
    expect(examples).toEqual([
      { does: 'Some', run: 'things list --project acme/rocket --big' },
      { does: 'Other', run: 'things list --project a -q' },
    ]);
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

it('omits the doc of an area without one', () => {
  expect(area(five)).toEqual({ endpoints: five });
  expect(area([], 'Things.')).toEqual({ doc: 'Things.', endpoints: [] });
});
