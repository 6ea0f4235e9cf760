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

import { groupFields } from '../api/approval-rules.ts';
import { readNamespace } from '../api/namespaces.ts';
import { userFields } from '../api/users.ts';
import { Failure, usage } from '../errors.ts';
import { choice, datetime, type Fields, int, omit, rows, text } from '../spec/field.ts';
import type { Resource, Row } from '../spec/resource.ts';
import { alternatives } from '../support/suggest.ts';
import type { WorldRow } from './context.ts';
import { readRows } from './engine/actual.ts';
import type { Reading } from './engine/codecs.ts';
import { desiredState } from './engine/desired.ts';
import { fill } from './engine/execute.ts';
import { positionText } from './engine/model.ts';
import { nameOf } from './engine/plan.ts';
import {
  isScope,
  type References,
  readDocument,
  readEntries,
  type StateDocument,
} from './engine/state-file.ts';
import { failAt, mapOf, pairsOf, parseYaml, type Source } from './engine/yaml.ts';

/** Names and paths of the service: `ada`, `acme/rocket`. */
const path = {
  required: true,
  pattern: {
    test: /^[\w.][\w.-]*(\/[\w.][\w.-]*)*$/,
    message: 'must consist of letters, digits, _, . and -',
  },
} as const;

/** The rules of Git for names that matter to the service. */
const branch = {
  test: /^(?![-./])(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\]*[^\s~^:?*[\\./]$/,
  message: 'must be a name that Git accepts for a branch',
} as const;

const members = rows('Members', {
  username: text('Username', { required: true }),
  access_level: int('Access level', { required: true, choices: [10, 20, 30, 40, 50] }),
});

const own = {
  id: int('Id', { min: 1 }),
  name: text('Name'),
  description: text('Description'),
  visibility: choice(['private', 'internal', 'public'], 'Visibility'),
  created_at: datetime('Time of creation'),
} as const;

const described = (kind: string, noun: string, identity: string, attributes: Fields): Resource => ({
  kind,
  noun,
  calls: [],
  identity: [[identity]],
  attributes,
});

/** The attributes of each kind, without those that the service derives from others. */
const kinds = {
  users: described('users', 'user', 'username', {
    ...omit(userFields, 'locked', 'avatar_url', 'web_url', 'work_information', 'local_time', 'namespace_id'),
    id: own.id,
    username: text('Username', path),
    state: choice(['active', 'blocked'], 'State'),
    token: text('Access token with the api scope'),
  }),
  groups: described('groups', 'group', 'full_path', {
    ...omit(groupFields, 'path', 'parent_id', 'full_name', 'avatar_url', 'web_url'),
    ...own,
    full_path: text('Full path', path),
    members,
  }),
  projects: described('projects', 'project', 'path_with_namespace', {
    ...own,
    path_with_namespace: text('Full path', path),
    default_branch: text('Default branch', { pattern: branch }),
    members,
  }),
};

/**
 * Read a world file, without the service.
 * @returns the rows, and a function that applies the state documents to a service. It throws Failure `usage` with the position of the entry
 */
export async function readWorld(file: string, content: string, references: References) {
  const sources = parseYaml(file, content);
  const [first] = sources as [Source];
  const pairs = pairsOf(first, mapOf(first, first.root, 'expected users, groups or projects'));
  // A file may consist of state documents only.
  const isState = pairs.some(({ name }) => name === 'svc' || isScope(name));
  const documents = (isState ? sources : sources.slice(1)).map(readDocument);
  const untargeted = documents.find(({ target }) => !target);
  if (untargeted)
    throw failAt(untargeted.at, 'the document has no target', [
      'add project: <path>, group: <path> or instance: true',
    ]);
  const known = Object.keys(kinds);
  const unknown = pairs.find(({ name }) => !isState && !known.includes(name));
  if (unknown)
    throw failAt(unknown.at, `unknown key ${JSON.stringify(unknown.name)}`, [
      ...alternatives(unknown.name, known, 'known keys'),
      'variables and other settings follow in state documents, after a line --- and a line svc: 1',
    ]);
  const read = async (kind: keyof typeof kinds): Promise<WorldRow[]> => {
    const pair = isState ? undefined : pairs.find(({ name }) => name === kind);
    if (!pair) return [];
    const { noun, identity: sets } = kinds[kind];
    const [[name = ''] = []] = sets;
    const seen = new Map<string, string>();
    const entries = await readEntries({ ...pair, source: first }, kinds[kind], references);
    return entries.map((entry) => {
      const { members: listed = [], ...attributes } = entry.attributes;
      const at = positionText(entry.at);
      const identity = String(attributes[name]).toLowerCase();
      const other = seen.get(identity);
      if (other !== undefined) throw failAt(entry.at, `duplicate of the ${noun} at ${other}`);
      seen.set(identity, at);
      const memberRows = (listed as readonly Row[]).map((member, index) => ({
        at: positionText(entry.placeOf(['members', `${index}`])),
        attributes: member,
        members: [],
      }));
      return { at, attributes, members: memberRows };
    });
  };
  const worldRows = {
    users: await read('users'),
    groups: await read('groups'),
    projects: await read('projects'),
  };
  const desired = await desiredState(documents, references);
  return {
    rows: worldRows,
    async apply(service: Reading): Promise<void> {
      for (const document of documents) await checkTarget(service, document);
      const [failed] = await fill(service, desired, async (target, kind) => {
        const [first] = [...kind.entries, ...(kind.absent ?? [])];
        if (!first) return [];
        return readRows(service, target, kind).catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error;
          throw failAt(first.at, `cannot read ${kind.resource.kind}: ${error.message}`);
        });
      });
      if (!failed) return;
      const [change, reason] = failed;
      const message = `cannot ${change.action} ${nameOf(change)}: ${reason}`;
      throw change.entry ? failAt(change.entry.at, message) : usage(message);
    },
  };
}

async function checkTarget(service: Reading, { target, at }: StateDocument): Promise<void> {
  if (!target || target.scope === 'instance') return;
  const { scope, id } = target;
  await service.call(readNamespace(scope, id)).catch((error: unknown) => {
    throw error instanceof Failure ? failAt(at, `no ${scope} ${JSON.stringify(id)}`) : error;
  });
}
