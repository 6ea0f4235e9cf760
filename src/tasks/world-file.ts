/**
 * Read the world file of `svc sandbox start --seed-file`: users, groups and projects in YAML 1.2 or JSON. Every error has a file, a
 * line and a column.
 *
 *     users:    [{ username: ada, token: ada-token }]
 *     groups:   [{ full_path: tools, members: [{ username: ada, access_level: 50 }] }]
 *     projects: [{ path_with_namespace: tools/hammer, visibility: private }]
 */
import { isScalar, isSeq, LineCounter, type Node } from 'yaml';
import { bool, choice, type Field, type Fields, fieldOf, int, rows, text } from '../spec/field.ts';
import { check } from '../spec/schema.ts';
import { suggest } from '../support/suggest.ts';
import { failAt, mapOf, pairsOf, parseYaml, positionOf, resolveAlias, type Source } from './engine/yaml.ts';

const visibility = choice(['private', 'internal', 'public'], 'Visibility');
const members = rows('Members', {
  username: text('Username', { required: true }),
  access_level: int('Access level', { required: true, choices: [10, 20, 30, 40, 50] }),
});

/** The attributes of each kind. */
const kinds = {
  users: {
    username: text('Username', { required: true }),
    name: text('Name'),
    email: text('Email address'),
    state: choice(['active', 'blocked'], 'State'),
    is_admin: bool('Administrator'),
    bot: bool('Bot'),
    external: bool('External'),
    token: text('Access token with the api scope'),
  },
  groups: {
    full_path: text('Full path', { required: true }),
    name: text('Name'),
    description: text('Description'),
    visibility,
    members,
  },
  projects: {
    path_with_namespace: text('Full path', { required: true }),
    name: text('Name'),
    description: text('Description'),
    default_branch: text('Default branch'),
    visibility,
    members,
  },
} as const satisfies Readonly<Record<string, Fields>>;

type Kind = keyof typeof kinds;
type Row = Readonly<Record<string, unknown>>;

export type WorldFile = Readonly<Record<Kind, readonly Row[]>>;

/** @throws Failure `usage` with the position of the error */
export function parseWorldFile(file: string, content: string): WorldFile {
  const [first, second] = parseYaml(file, content, new LineCounter());
  if (!first) throw failAt({ file, line: 1, column: 1 }, 'the file is empty');
  const source: Source = { ...first, isJson: false };
  if (second)
    throw failAt(positionOf({ ...second }, second.document.contents as Node), 'expected one document', [
      'apply state files to the running sandbox: svc --sandbox apply -f FILE',
    ]);
  const names = Object.keys(kinds) as Kind[];
  const world: Record<Kind, readonly Row[]> = { users: [], groups: [], projects: [] };
  const root = mapOf(source, source.document.contents as Node | null, 'expected users, groups or projects');
  for (const [name, key, value] of pairsOf(source, root)) {
    const kind = names.find((one) => one === name);
    if (!kind) throw unknownKey(source, key, name, names);
    world[kind] = readList(source, kinds[kind], value);
  }
  return world;
}

function unknownKey(source: Source, key: Node, name: string, known: readonly string[]) {
  return failAt(positionOf(source, key), `unknown key ${JSON.stringify(name)}`, [
    ...suggest(name, known),
    `known keys: ${known.join(', ')}`,
  ]);
}

function readList(source: Source, fields: Fields, node: Node | null): Row[] {
  const list = resolveAlias(source, node);
  if (!isSeq(list)) throw failAt(positionOf(source, list), 'expected a list');
  return list.items.map((item) => readRow(source, fields, item as Node));
}

function readRow(source: Source, fields: Fields, item: Node): Row {
  const map = mapOf(source, item, 'expected a mapping');
  const row: Record<string, unknown> = {};
  const places = new Map<string, Node>();
  for (const [name, key, value] of pairsOf(source, map)) {
    const field = fieldOf(fields, name);
    if (!field) throw unknownKey(source, key, name, Object.keys(fields));
    row[name] =
      field.kind === 'rows' ? readList(source, field.keys, value) : scalarOf(source, field, key, value);
    places.set(name, value ?? key);
  }
  const [problem] = check(fields, row).problems;
  if (problem) {
    const [name = ''] = problem.path;
    throw failAt(positionOf(source, places.get(name) ?? map), `${name} ${problemText(problem)}`);
  }
  return row;
}

const problemText = ({ code, message }: { code: string; message: string }): string =>
  code === 'missing' ? 'is missing' : message;

function scalarOf(source: Source, field: Field, key: Node, value: Node | null): unknown {
  if (!isScalar(value)) throw failAt(positionOf(source, value ?? key), 'expected a value');
  // Text without quotes is taken as written.
  return field.kind === 'text' ? (value.source ?? String(value.value)) : value.value;
}
