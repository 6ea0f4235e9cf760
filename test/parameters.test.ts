/**
 * Every parameter of the specification is in the catalogue and the other way round: where it travels, its type, and
 * what its note says of it. `parameters.csv` was written from the specification, not from the catalogue.
 */
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../src/spec/endpoint.ts';
import { choicesOf, type Field, isSecret } from '../src/spec/field.ts';
import { placeOf } from '../src/spec/request.ts';
import { check } from '../src/spec/schema.ts';
import { calls, everyField } from './support/catalogue.ts';
import { rowsOf } from './support/table.ts';

interface Parameter {
  /** `path`, `query`, `body` or `credential`. */
  readonly place: string;
  readonly field: Field;
}

/** The facts of the catalogue, by `PUT /projects/:id/variables/:key filter[environment_scope]`. */
const catalogue = new Map<string, Parameter>();
for (const { endpoint, route } of calls) {
  if (endpoint.unspecified) continue;
  for (const [name, parameter] of parametersOf(endpoint)) catalogue.set(`${route} ${name}`, parameter);
}

const columns = ['method', 'path', 'param', 'in', 'required', 'type', 'notes'] as const;
const table = rowsOf(new URL('parameters.csv', import.meta.url), ...columns).filter(
  ({ param }) => param !== '',
);
type Row = (typeof table)[number];
const nameOf = ({ method, path, param }: Row) => `${method} ${path} ${param}`;
const paired = table.flatMap((row) => {
  const found = catalogue.get(nameOf(row));
  return found ? [{ row, ...found, name: nameOf(row) }] : [];
});
type Pair = (typeof paired)[number];

function* parametersOf(endpoint: Endpoint): Generator<readonly [string, Parameter]> {
  if (endpoint.scope) yield ['id', { place: 'path', field: endpoint.scope.id }];
  for (const [name, field] of Object.entries(endpoint.slots)) yield [name, { place: 'path', field }];
  for (const [top, outer] of Object.entries(endpoint.takes)) {
    const place = placeOf(endpoint, outer);
    for (const [name, field] of everyField({ [top]: outer })) {
      if (!name.endsWith('[]')) yield [name, { place, field }];
      if (field.kind === 'hash' && !field.keys) yield [`${name}[<key>]`, { place, field }];
    }
  }
}

function breaking(rule: (pair: Pair) => unknown): string[] {
  return paired.filter((pair) => rule(pair) === false).map(({ name }) => name);
}

/** A test that no parameter breaks a rule. */
const law = (title: string, rule: (pair: Pair) => unknown) =>
  it(title, () => expect(breaking(rule)).toEqual([]));

describe('the parameters of the specification', () => {
  it('are all in the table', () => expect(table.length).toBe(562));

  it('are all in the catalogue', () => {
    expect(table.map(nameOf).filter((name) => !catalogue.has(name))).toEqual([]);
  });

  it('are all that the catalogue has, but what section 4.11 leaves out', () => {
    const known = new Set(table.map(nameOf));
    expect([...catalogue.keys()].filter((name) => !known.has(name)).sort()).toEqual([
      // "array of {key, value?}" in its note
      'POST /groups/:id/hooks custom_headers[][key]',
      'POST /groups/:id/hooks custom_headers[][value]',
      // "their shapes: not shown": what servers of this API are known to take
      'POST /projects/:id/protected_branches allow_force_push',
      'POST /projects/:id/protected_branches code_owner_approval_required',
      'POST /projects/:id/protected_branches merge_access_level',
      'POST /projects/:id/protected_branches name',
      'POST /projects/:id/protected_branches push_access_level',
      'POST /projects/:id/protected_branches unprotect_access_level',
    ]);
  });

  it('travel where the specification says', () => {
    const moved = paired
      .filter(({ row, place }) => (row.in === 'multipart' ? 'body' : row.in) !== place)
      .map(({ name, place }) => `${name}: ${place}`);
    expect(moved).toEqual([
      // Section 5: sent as a header, from the settings.
      'GET /job job_token: credential',
      'GET /job/allowed_agents CI_JOB_TOKEN: credential',
      'GET /job/allowed_agents job_token: credential',
      // As with GET and DELETE.
      'PUT /projects/:id/variables/:key filter: query',
      'PUT /projects/:id/variables/:key filter[environment_scope]: query',
    ]);
  });

  it('are required where the specification says', () => {
    expect(
      breaking(({ row, field, place }) => {
        const [, others] = /^one of (.*)$/.exec(row.required) ?? [];
        if (others) return others.split('|').join() === [...(field.orElse ?? []), row.param].sort().join();
        if (place === 'path') return row.required === 'yes';
        return (row.required !== 'no') === (field.required === true) && !field.orElse;
      }),
    ).toEqual([
      // Required, but clients still send the deprecated `content` and `file_name` in its place.
      'POST /projects/:id/snippets files',
    ]);
  });

  law('have the type that the specification says', ({ row, field }) => fits(row, field));
});

/** Whether a field is of the table's type. */
function fits({ type, notes }: Row, field: Field): boolean {
  const { kind } = field;
  const item = field.kind === 'list' ? field.of.kind : undefined;
  const kinds: Record<string, boolean> = {
    string: kind === (notes.startsWith('date;') ? 'date' : 'text') || (kind === 'hash' && !field.keys),
    'int|string': kind === 'text',
    int: kind === 'int',
    number: kind === 'number',
    bool: kind === 'bool',
    datetime: kind === 'datetime',
    file: kind === 'file',
    hash: kind === 'hash',
    array: kind === 'rows' || (kind === 'list' && item === 'int'),
    'array<hash>': kind === 'rows',
    'array<string>': kind === 'list' && item === 'text',
    'string|array<string>': kind === 'list' && item === 'text',
    'array<int>': kind === 'list' && item === 'int',
  };
  return kinds[type] ?? false;
}

/** The choices that a note names; a note that names some and is not here fails the test below. */
const choices: Record<string, string> = {
  'values: created, pending, running, failed, success, canceled, skipped, waiting_for_resource, manual':
    'created pending running failed success canceled skipped waiting_for_resource manual',
  'administrators only (also keyset); asc or desc, default desc': 'asc desc',
  'administrators only (also keyset: id, name, username); id default, name, username, created_at, updated_at':
    'id name username created_at updated_at',
  'administrators only; enabled or disabled': 'enabled disabled',
  'any_approver (default, approvals_required 0), regular, report_approver (not to be sent)':
    'any_approver regular report_approver',
  'any_approver, regular, report_approver': 'any_approver regular report_approver',
  'asc or desc; default desc, by creation date': 'asc desc',
  'banner (default), notification': 'banner notification',
  'banner, notification': 'banner notification',
  'close or reopen': 'close reopen',
  'create, update, delete, move': 'create update delete move',
  'created, started, finished, failed': 'created started finished failed',
  'created_at (default), updated_at, title': 'created_at updated_at title',
  'desc (default) or asc': 'asc desc',
  'desc (default), asc': 'asc desc',
  'disabled, participating, watch, global, mention, custom':
    'disabled participating watch global mention custom',
  'env_var (default) or file': 'env_var file',
  'from 10,20,30,40,50': '10 20 30 40 50',
  'group_entity or project_entity': 'group_entity project_entity',
  'indigo default, light-indigo, blue, light-blue, green, light-green, red, light-red, dark, light; banners only':
    'indigo light-indigo blue light-blue green light-green red light-red dark light',
  'indigo, light-indigo, blue, light-blue, green, light-green, red, light-red, dark, light; banners only':
    'indigo light-indigo blue light-blue green light-green red light-red dark light',
  keyset: 'keyset',
  'keyset (sec 8)': 'keyset',
  'keyset: only desc': 'desc',
  'keyset: only id': 'id',
  'markdown (default), rdoc, asciidoc, org': 'markdown rdoc asciidoc org',
  'must be sbom': 'sbom',
  'opened, closed, all (default all)': 'opened closed all',
  'private, internal, public': 'private internal public',
  'text (default) or base64': 'text base64',
  'wildcard (default), regex, all_branches': 'wildcard regex all_branches',
};

/** The default that a note states: none where it is worked out by the service, or is null. */
function defaultIn(note: string): string | undefined {
  if (/no default applied|default (now|one hour|null)|default:/.test(note)) return undefined;
  const [, said] =
    /default (true|false|all|desc|\*|\d+)/.exec(note) ??
    /(\w+) \(default\b/.exec(note) ??
    /(?:^|; )(\w+) default\b/.exec(note) ??
    [];
  return said;
}

/** An update of an object: an attribute that is left out keeps its value, whatever the default at creation. */
const keeps = ({ method, param }: Row): boolean => method === 'PUT' && param !== 'encoding';

describe('what a note says of a parameter', () => {
  it('is its choices, and no others', () => {
    expect(
      breaking(({ row, field }) => {
        const stated = choices[row.notes];
        const own = choicesOf(field);
        return (
          stated === undefined ||
          stated.split(' ').sort().join() === [...(own ?? [])].map(String).sort().join()
        );
      }),
    ).toEqual([]);
    const notes = new Set(table.map(({ notes: note }) => note));
    expect(Object.keys(choices).filter((note) => !notes.has(note))).toEqual([]);
  });

  it('is listed above for each parameter with choices', () => {
    const without = paired.filter(({ row, field }) => choicesOf(field) && !choices[row.notes]);
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('is its default, and no other', () => {
    const stated = paired.filter(({ row }) => defaultIn(row.notes) !== undefined);
    expect(stated.length).toBeGreaterThan(60);
    expect(
      breaking(({ row, field }) => {
        const said = keeps(row) ? undefined : defaultIn(row.notes);
        return said === (field.default === undefined ? undefined : String(field.default));
      }),
    ).toEqual([
      // Section 2.2 gives `hidden` this default, which the parameter sets.
      'POST /projects/:id/variables masked_and_hidden',
    ]);
  });

  law('is a default of the same kind as the value', ({ field, row }) =>
    field.default === undefined
      ? undefined
      : check({ [row.param]: field }, { [row.param]: field.default }).problems.length === 0,
  );

  law(
    'is a highest number',
    ({ row, field }) =>
      !/max 100\b/.test(row.notes) || ('max' in field && field.max === 100 && field.min === 1),
  );

  law(
    'is a longest text',
    ({ row, field }) =>
      !row.notes.includes('1,048,576') || (field.kind === 'text' && field.maxLength === 1_048_576),
  );

  it('is a rule for its text', () => {
    const refuses = (field: Field, value: string) => check({ value: field }, { value }).problems.length > 0;
    const rules: [note: RegExp, good: string[], bad: string[]][] = [
      [/^at most 255/, ['A'.repeat(255), 'key_1'], ['A'.repeat(256), 'A-B', 'A B', 'É', '']],
      [/^32 characters/, ['f'.repeat(32)], ['f'.repeat(31), 'f'.repeat(33)]],
      [
        /^int such as 200/,
        ['200', '500', 'successful', 'client_failure', 'server_failure'],
        ['ok', '20', '2000'],
      ],
    ];
    for (const [note, good, bad] of rules) {
      const fields = paired.filter(({ row }) => note.test(row.notes));
      expect(fields.length).toBeGreaterThan(0);
      for (const { field, name, row } of fields) {
        expect([name, ...good.filter((value) => refuses(field, value))]).toEqual([nameOf(row)]);
        expect([name, ...bad.filter((value) => !refuses(field, value))]).toEqual([nameOf(row)]);
      }
    }
  });

  it('is whether it is secret, deprecated or nullable', () => {
    const secret = /SECRET|^the license text|job token/;
    expect(breaking(({ row, field }) => !secret.test(row.notes) || isSecret(field))).toEqual([]);
    expect(
      breaking(({ row, field }) => /^deprecated/.test(row.notes) === (field.deprecated !== undefined)),
    ).toEqual([
      // Section 9: offset pagination on the users list.
      'GET /users page',
    ]);
    expect(breaking(({ row, field }) => !/nullable/.test(row.notes) || field.nullable === true)).toEqual([]);
  });

  law('names what replaces a deprecated one', ({ row, field }) => {
    const [, instead] = /^deprecated, use (\w+)/.exec(row.notes) ?? [];
    return !instead || field.deprecated?.includes(instead);
  });

  law('is the tier that it takes', ({ row, field }) => {
    const tier = /Ultimate only/.test(row.notes)
      ? 'ultimate'
      : /(^|; )Premium\/Ultimate/.test(row.notes)
        ? 'premium'
        : undefined;
    return field.tier === tier;
  });

  law('is the role that it takes', ({ row, field }) => {
    const role = /^administrators/.test(row.notes)
      ? 'administrator'
      : /^administrator or owner/.test(row.notes)
        ? 'owner'
        : undefined;
    return field.role === role;
  });
});
