/**
 * Read the world file of `svc sandbox start --seed-file`, in YAML 1.2 or JSON: users, groups and projects, then state documents. Every
 * error has a file, a line and a column.
 *
 *     users:    [{ username: ada, token: ada-token }]
 *     groups:   [{ full_path: tools, members: [{ username: ada, access_level: 50 }] }]
 *     projects: [{ path_with_namespace: tools/hammer, visibility: private }]
 *     ---
 *     svc: 1
 *     project: tools/hammer
 *     variables: [{ key: LOG_LEVEL, value: debug }]
 */
import { isSeq, type Node, type YAMLMap } from 'yaml';
import { groupFields } from '../../api/approval-rules.ts';
import { userFields } from '../../api/users.ts';
import { choice, datetime, type Fields, int, omit, rows, text } from '../../spec/field.ts';
import { type Row, targetScopes } from '../../spec/resource.ts';
import { suggest } from '../../support/suggest.ts';
import { positionText } from '../engine/model.ts';
import {
  type Resolve,
  readAttributes,
  readDocument,
  readSources,
  type StateDocument,
} from '../engine/state-file.ts';
import { failAt, mapOf, pairsOf, positionOf, resolveAlias, type Source } from '../engine/yaml.ts';

/** A user, group or project to add or to change. */
export interface WorldRow {
  /** `world.yaml:3:5`, for errors. */
  readonly at: string;
  readonly attributes: Row;
  readonly members: readonly WorldRow[];
}

export interface WorldFile {
  readonly users: readonly WorldRow[];
  readonly groups: readonly WorldRow[];
  readonly projects: readonly WorldRow[];
  readonly documents: readonly StateDocument[];
}

interface Kind {
  readonly noun: string;
  readonly identity: string;
  readonly fields: Fields;
}

const member: Kind = {
  noun: 'member',
  identity: 'username',
  fields: {
    username: text('Username', { required: true }),
    access_level: int('Access level', { required: true, choices: [10, 20, 30, 40, 50] }),
  },
};
const members = rows('Members', member.fields);

const own = {
  id: int('Id', { min: 1 }),
  name: text('Name'),
  description: text('Description'),
  visibility: choice(['private', 'internal', 'public'], 'Visibility'),
  created_at: datetime('Time of creation'),
} as const;

/** The attributes of each kind, without those that the service derives from others. */
const kinds = {
  users: {
    noun: 'user',
    identity: 'username',
    fields: {
      ...omit(
        userFields,
        'locked',
        'avatar_url',
        'web_url',
        'work_information',
        'local_time',
        'namespace_id',
      ),
      id: own.id,
      username: text('Username', { required: true }),
      state: choice(['active', 'blocked'], 'State'),
      token: text('Access token with the api scope'),
    },
  },
  groups: {
    noun: 'group',
    identity: 'full_path',
    fields: {
      ...omit(groupFields, 'path', 'parent_id', 'full_name', 'avatar_url', 'web_url'),
      ...own,
      full_path: text('Full path', { required: true }),
      members,
    },
  },
  projects: {
    noun: 'project',
    identity: 'path_with_namespace',
    fields: {
      ...own,
      path_with_namespace: text('Full path', { required: true }),
      default_branch: text('Default branch'),
      members,
    },
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** @throws Failure `usage` with the position of the error */
export async function parseWorldFile(file: string, content: string, resolve: Resolve): Promise<WorldFile> {
  const [first, ...others] = readSources(file, content);
  if (!first) throw new Error('a file without documents');
  const [root, message] = [first.document.contents as Node | null, 'expected users, groups or projects'];
  const pairs = pairsOf(first, mapOf(first, root, message));
  // A file may consist of state documents only.
  const isState = pairs.some(([name]) => name === 'svc' || targetScopes.some((scope) => scope === name));
  const documents = (isState ? [first, ...others] : others).map(readTargeted);
  const read = async (name: keyof typeof kinds) => {
    const [, , value] = pairs.find(([key]) => key === name) ?? [];
    return isState || value === undefined ? [] : readList(first, kinds[name], value, resolve);
  };
  const known = Object.keys(kinds);
  const unknown = isState ? undefined : pairs.find(([name]) => !known.includes(name));
  if (unknown) {
    const [name, key] = unknown;
    throw failAt(positionOf(first, key), `unknown key ${JSON.stringify(name)}`, [
      ...suggest(name, known),
      `known keys: ${known.join(', ')}`,
      'variables and other settings follow in state documents, after a line --- and a line svc: 1',
    ]);
  }
  return {
    users: await read('users'),
    groups: await read('groups'),
    projects: await read('projects'),
    documents,
  };
}

function readTargeted(source: Source): StateDocument {
  const document = readDocument(source);
  if (document.target) return document;
  throw failAt(document.at, 'the document has no target', [
    'add project: <path>, group: <path> or instance: true',
  ]);
}

async function readList(
  source: Source,
  kind: Kind,
  node: Node | null,
  resolve: Resolve,
): Promise<WorldRow[]> {
  const list = resolveAlias(source, node);
  if (!isSeq(list)) throw failAt(positionOf(source, list), 'expected a list');
  const rows: WorldRow[] = [];
  const seen = new Map<string, string>();
  for (const item of list.items) {
    const map = mapOf(source, item as Node, 'expected a mapping');
    const row = await readRow(source, kind, map, resolve);
    const identity = String(row.attributes[kind.identity]).toLowerCase();
    const other = seen.get(identity);
    if (other !== undefined)
      throw failAt(positionOf(source, map), `duplicate of the ${kind.noun} at ${other}`);
    seen.set(identity, row.at);
    rows.push(row);
  }
  return rows;
}

async function readRow(source: Source, kind: Kind, map: YAMLMap, resolve: Resolve): Promise<WorldRow> {
  const { fields, noun } = kind;
  const at = positionOf(source, map);
  const pairs = pairsOf(source, map);
  const isMembers = ([name]: (typeof pairs)[number]) => name === 'members' && fields[name] === members;
  const attributes = pairs.filter((pair) => !isMembers(pair));
  const [, key, list] = pairs.find(isMembers) ?? [];
  return {
    at: positionText(at),
    attributes: await readAttributes({ ...source, at }, attributes, fields, noun, resolve),
    members: key ? await readList(source, member, list ?? null, resolve) : [],
  };
}
