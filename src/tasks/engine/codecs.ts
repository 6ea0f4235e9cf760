/** Codecs: rules to read, compare and write a kind of resource that its description does not state. */
import { listBranches } from '../../api/branches.ts';
import { getSnippet, readSnippetFile } from '../../api/snippets.ts';
import { Failure } from '../../errors.ts';
import type { Values } from '../../spec/request.ts';
import type { Resource, Row, TargetScope } from '../../spec/resource.ts';
import { groupBy, isRecord, part } from '../../support/record.ts';
import { matchesWildcard } from '../../support/text/wildcard.ts';
import type { Caller, Reporter } from '../context.ts';

type Slots = Readonly<Record<string, string>>;

/** The calls that read resources, and the progress that a terminal shows. */
export type Reading = Pick<Caller, 'rows' | 'call' | 'text'> & Partial<Pick<Reporter, 'progress'>>;

/** @param entries the declared resources; undefined in an export */
type Given = [entries: readonly Row[] | undefined, slots: Slots, task: Reading];

interface Codec {
  /** Derive the attributes that state files name differently; undefined for a row of another kind or scope. */
  readonly read?: (row: Row, scope: TargetScope) => Row | undefined;
  /** Add attributes and rows that the list does not contain, and remove others. */
  readonly refine?: (rows: readonly Row[], ...given: Given) => Promise<readonly Row[]>;
  /** The rows as other calls show them, if the service does not list the kind. */
  readonly unlisted?: (entries: readonly Row[], slots: Slots, task: Reading) => Promise<readonly Row[]>;
  /** Attributes of the row that exist, but that the service does not show in the form of a state file. */
  readonly unshown?: (row: Row) => readonly string[];
  /** Why it is not known whether a row exists. */
  readonly obstacle?: (row: Row) => string | undefined;
  /** Find the rows that an entry describes, if a service may change what identifies them. By default, those with its identity. */
  readonly match?: (rows: readonly Row[]) => (entry: Row) => readonly Row[];
  /** Whether `--prune` keeps a row. */
  readonly isKept?: (row: Row) => boolean;
  /** Attributes that a service may rewrite: whether a row has the declared value. */
  readonly rewrites?: Readonly<Record<string, (declared: unknown, row: Row) => boolean>>;
  /** Whether the service returns the row without its secrets. */
  readonly isUnreadable?: (row: Row) => boolean;
  /** Whether the service masks the secret of the row in logs, so that an export does not contain it. */
  readonly isMasked?: (row: Row) => boolean;
  /** The parameters of a creation; by default the attributes that the call takes. */
  readonly toCreate?: (entry: Row) => Row;
  /** The parameters of an update; by default the changed attributes that the call takes. */
  readonly toUpdate?: (changed: Row, row: Row) => Row;
  /** Parameters that select the row in an update or a deletion. */
  readonly select?: (row: Row) => Values;
}

export type ManagedResource = Resource & Codec;

const managed = new WeakMap<Resource, ManagedResource>();

/** Return a kind with its codec: always the same object, because kinds are compared by identity. */
export function withCodec(resource: Resource): ManagedResource {
  const known = managed.get(resource) ?? { ...resource, ...codecs[resource.kind] };
  managed.set(resource, known);
  return known;
}

/** Whether a row names protected branches by their ids, which another project does not have. */
export const hasBranchIds = ({ protected_branch_ids: ids }: Row): boolean =>
  Array.isArray(ids) && ids.length > 0;

/** Whether the caller cannot read a kind: it is forbidden, or the service does not have it. */
export function isUnavailable(error: unknown): error is Failure {
  return error instanceof Failure && [403, 404, 405].includes(error.exchange?.status ?? 0);
}

/** The result of a read, or undefined if it is not available. */
export async function ifAvailable<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (isUnavailable(error)) return undefined;
    throw error;
  });
}

export async function allRows(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** A text without the differences in white space and Unicode form that a service removes. */
const plain = (value: unknown): string =>
  String(value ?? '')
    .normalize('NFC')
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .join('/');

const pathOf = (title: unknown): string => plain(title).replaceAll(' ', '-');

/** The title with its folders. A service may return only its last part. */
function titleOf({ slug, title = slug }: Row): unknown {
  const folders = String(slug ?? '')
    .split('/')
    .slice(0, -1);
  const whole = [...folders, title].join('/');
  return pathOf(whole) === pathOf(slug) ? whole : title;
}

/** Find the page of an entry by its path, or else by its title, from which the service made a path. */
function pagesOf(rows: readonly Row[]): (entry: Row) => readonly Row[] {
  const byPath = groupBy(rows, ({ slug }) => pathOf(slug));
  const byTitle = groupBy(rows, (row) => plain(titleOf(row)));
  return (entry) => {
    const title = plain(titleOf(entry));
    const own = entry['slug'] === undefined ? [] : (byPath.get(pathOf(entry['slug'])) ?? []);
    if (entry['title'] === undefined || own.some((row) => plain(titleOf(row)) === title)) return own;
    // With a page at either path, a change of the title cannot succeed.
    const found = new Set([...own, ...(byPath.get(pathOf(title)) ?? [])]);
    return found.size > 0 ? [...found] : (byTitle.get(title) ?? []);
  };
}

/** The protection of a name as the branches show it, if the service does not list protections. */
function unlisted(name: unknown, branches: readonly Row[]): Row[] {
  const matching = branches.filter((row) => matchesWildcard(String(name), String(row['name'])));
  if (matching.some((row) => row['protected'] === false)) return [];
  const isProtected = matching.length > 0 && matching.every((row) => row['protected'] === true);
  return [{ name, protected: isProtected ? true : null }];
}

/** The level of a rule for a role. Rules of single users or groups have none. */
function levelOf(rules: unknown): unknown {
  const [rule, another] = Array.isArray(rules) ? rules.filter(isRecord) : [];
  const ofOthers = [rule?.['user_id'], rule?.['group_id'], rule?.['deploy_key_id']];
  return another || ofOthers.some((id) => (id ?? null) !== null) ? undefined : rule?.['access_level'];
}

const levels = ['push', 'merge', 'unprotect'] as const;

const protectedBranches: Codec = {
  // A project cannot change a protection that it inherits from its group.
  read(row) {
    const level = (kind: string) =>
      row['inherited'] === true ? undefined : levelOf(row[`${kind}_access_levels`]);
    return { ...row, ...Object.fromEntries(levels.map((kind) => [`${kind}_access_level`, level(kind)])) };
  },
  async refine(rows, entries) {
    const declared = new Set(entries?.map(({ name }) => name));
    return rows.filter(({ name, inherited }) => inherited !== true || declared.has(name));
  },
  unshown: (row) =>
    levels.flatMap((kind) => {
      const rules = row[`${kind}_access_levels`];
      const isShown = row['inherited'] === true || row[`${kind}_access_level`] !== undefined;
      return isShown || !Array.isArray(rules) || rules.length === 0 ? [] : `${kind}_access_level`;
    }),
  isKept: ({ name }) => String(name).includes('*'),
  async unlisted(entries, slots, task) {
    const branches = await allRows(task.rows({ endpoint: listBranches, slots, values: {} }));
    const rows = branches.filter((branch) => branch['protected'] === true);
    const declared = new Set(entries.map(({ name }) => name));
    const patterns = [...declared].map(String).filter((name) => name.includes('*'));
    const isCovered = (name: unknown) => patterns.some((one) => matchesWildcard(one, String(name)));
    const kept = rows.filter(({ name }) => declared.has(name) || !isCovered(name));
    for (const { name } of kept) declared.delete(name);
    const isNeeded = [...declared].flatMap((one) => unlisted(one, branches));
    return [...kept, ...isNeeded].map((row) => part(row, ['name', 'protected']));
  },
  obstacle: ({ protected: isProtected }) =>
    isProtected === null ? 'the service does not show whether it is protected' : undefined,
  // A rule is replaced by its id, so that the branch is protected all the time.
  toUpdate: (changed, row) => {
    const level = (kind: string) => changed[`${kind}_access_level`];
    const known = levels.filter(
      (kind) => level(kind) !== undefined && row[`${kind}_access_level`] !== undefined,
    );
    const rules = known.map((kind) => {
      const [rule] = [row[`${kind}_access_levels`]].flat().filter(isRecord);
      return [
        `allowed_to_${kind}`,
        [{ ...(rule?.['id'] === undefined ? {} : { id: rule['id'] }), access_level: level(kind) }],
      ];
    });
    return { ...changed, ...Object.fromEntries(rules) };
  },
};

const filesOf = ({ files }: Row): readonly { readonly file_path: string; readonly content: string }[] =>
  Array.isArray(files) ? files : [];

async function readFiles(row: Row, entry: Row | undefined, slots: Slots, task: Reading) {
  const at = { ...slots, snippet_id: String(row['id']) };
  const snippet = await ifAvailable(task.call({ endpoint: getSnippet, slots: at, values: {} }));
  const refs = new Map<string, string>();
  // The specification does not mention this list.
  const only = typeof row['file_name'] === 'string' ? [{ path: row['file_name'] }] : [];
  const { files = only } = snippet?.value ?? {};
  for (const { path, raw_url } of Array.isArray(files) ? files.filter(isRecord) : [])
    refs.set(String(path), /\/snippets\/\d+\/raw\/([^/]+)\//.exec(String(raw_url))?.[1] ?? 'main');
  const listed = new Set(refs.keys());
  for (const { file_path } of filesOf(entry ?? {})) if (!listed.has(file_path)) refs.set(file_path, 'main');
  const contents = [...refs].map(async ([file_path, ref]) => {
    const file = { endpoint: readSnippetFile, slots: { ...at, ref, file_path }, values: {} };
    return { file_path, content: await ifAvailable(task.text(file)) };
  });
  const found = (await Promise.all(contents)).filter(({ content }) => content !== undefined);
  const isReadable = found.filter(({ file_path }) => listed.has(file_path)).length === listed.size;
  return isReadable && found.length > 0 ? found : undefined;
}

function actionsFor(changed: Row, row: Row): Row[] {
  const before = new Map(filesOf(row).map(({ file_path, content }) => [file_path, content]));
  const after = filesOf(changed);
  const kept = new Set(after.map(({ file_path }) => file_path));
  const written = after.filter(({ file_path, content }) => before.get(file_path) !== content);
  const removed = [...before.keys()].filter((file_path) => !kept.has(file_path));
  return [
    ...written.map((one) => ({ action: before.has(one.file_path) ? 'update' : 'create', ...one })),
    ...removed.map((file_path) => ({ action: 'delete', file_path })),
  ];
}

const snippets: Codec = {
  // A list of files in a response has no contents.
  read: ({ files: _, ...row }) => row,
  async refine(rows, entries, slots, task) {
    const whole: Row[] = [];
    for (const row of rows) {
      const entry = entries?.find(({ title }) => title === row['title']);
      const isNeeded = row['id'] !== undefined && (!entries || entry?.['files'] !== undefined);
      whole.push(isNeeded ? { ...row, files: await readFiles(row, entry, slots, task) } : row);
    }
    return whole;
  },
  unshown: (row) => ('files' in row && row['files'] === undefined ? ['files'] : []),
  toUpdate: ({ files, ...changed }, row) =>
    files && row['files'] ? { ...changed, files: actionsFor({ files }, row) } : changed,
};

const idsOf = (rows: unknown): unknown =>
  Array.isArray(rows) ? rows.map((row) => (isRecord(row) ? row['id'] : undefined)) : undefined;

const codecs: Readonly<Record<string, Codec>> = {
  variables: {
    isUnreadable: ({ hidden }) => hidden === true,
    isMasked: ({ masked }) => masked === true,
    // An older service cannot hide values.
    read: (row) => ({ hidden: false, ...row }),
    // A creation hides a value with the parameter `masked_and_hidden`, which an older service ignores. An update cannot hide a value.
    toCreate({ hidden, masked, ...entry }) {
      if (hidden === true) return { ...entry, masked: true, masked_and_hidden: true };
      return masked === undefined ? entry : { ...entry, masked };
    },
    select: ({ environment_scope }) => ({ filter: { environment_scope: String(environment_scope ?? '*') } }),
  },
  badges: {
    // A project lists the badges of its groups too.
    read: (row, scope) => (row['kind'] === undefined || row['kind'] === scope ? row : undefined),
  },
  protected_branches: protectedBranches,
  wikis: {
    match: pagesOf,
    unshown: ({ content }) => (content === undefined ? ['content'] : []),
    rewrites: {
      // Only the title determines the path.
      slug: () => true,
      title: (title, { slug, ...row }) =>
        plain(titleOf({ slug, title })) === plain(titleOf({ slug, ...row })),
    },
    toCreate: ({ slug, title, ...entry }) => ({ title: titleOf({ slug, title }), ...entry }),
  },
  snippets,
  hooks: {
    // The service returns headers without their values, which cannot be compared.
    read: ({ custom_headers: _, ...row }) => row,
    isUnreadable: () => true,
  },
  approval_rules: {
    unshown: ({ contains_hidden_groups }) => (contains_hidden_groups === true ? ['group_ids'] : []),
    read: ({ applies_to_all_protected_branches: isForAll, ...row }, scope) => {
      // Rules of policies and of code owners are not set by requests.
      if (['report_approver', 'code_owner'].includes(String(row['rule_type']))) return undefined;
      const branches = isForAll === true ? undefined : idsOf(row['protected_branches']);
      return {
        ...row,
        user_ids: idsOf(row['users']),
        group_ids: row['contains_hidden_groups'] === true ? undefined : idsOf(row['groups']),
        ...(scope === 'project'
          ? { applies_to_all_protected_branches: isForAll, protected_branch_ids: branches }
          : {}),
      };
    },
  },
  notifications: {
    read: ({ events, ...row }) => ({ ...row, ...(isRecord(events) ? events : {}) }),
  },
};
