/** Dependency list exports (section 4.13). */

import { createHash } from 'node:crypto';
import { jsonIn } from '../../../support/json.ts';
import { isRecord } from '../../../support/record.ts';
import { encodedPath } from '../../../support/url.ts';
import { hasRoleIn, isVisible } from '../../core/access.ts';
import { type Collection, collection, findRow } from '../../core/collection.ts';
import { type AreaHandlers, type Context, fileResponse, one } from '../../core/context.ts';
import { forbidden, notFound } from '../../core/http-error.ts';
import { defined, removeWhere } from '../../core/lookup.ts';
import type { Hash } from '../../core/request/params.ts';
import type { Pipeline, Project, Row, User } from '../../core/rows.ts';
import { hour, iso } from '../../core/time.ts';
import { version as sandboxVersion } from '../../info.ts';

interface DependencyExport extends Row {
  author_id: number;
  pipeline_id: number;
  created_at: string;
  ready_at: string;
}

/** Milliseconds until an export is ready. */
const preparation = 2_000;
/** Milliseconds until an export expires (section 8). */
const lifetime = hour;

const exports: Collection<DependencyExport> = {
  table: 'dependency_exports',
  title: '',
  rows: (ctx) => {
    const table = ctx.table<DependencyExport>('dependency_exports');
    removeWhere(table, (row) => ctx.now() >= Date.parse(row.created_at) + lifetime);
    return table.filter((row) => row.author_id === ctx.requireUser().id);
  },
  view: (ctx, row) => {
    const self = `/api/v4/dependency_list_exports/${row.id}`;
    return { id: row.id, has_finished: isReady(ctx, row), self, download: `${self}/download` };
  },
  changes: (ctx) => {
    const pipeline = ctx.table<Pipeline>('pipelines').get(ctx.slots.number('id'));
    if (!pipeline || !isVisible(ctx, 'project', pipeline.project_id)) throw notFound('Pipeline');
    const project = ctx.table<Project>('projects').get(pipeline.project_id);
    // The permission `read_dependency` of the service.
    if (!hasRoleIn(ctx, project, 'developer')) throw forbidden();
    return {
      author_id: ctx.requireUser().id,
      pipeline_id: pipeline.id,
      created_at: ctx.time(),
      ready_at: iso(ctx.now() + preparation),
    };
  },
};

const isReady = (ctx: Context, row: DependencyExport): boolean => ctx.now() >= Date.parse(row.ready_at);

async function documentOf(ctx: Context, row: DependencyExport): Promise<object> {
  const pipeline = defined(ctx.table<Pipeline>('pipelines').get(row.pipeline_id));
  const project = defined(ctx.table<Project>('projects').get(pipeline.project_id));
  const repository = await ctx.repository(project.id);
  const sha = (await repository.resolve(pipeline.sha)) ?? (await repository.resolve(project.default_branch));
  const read = async (path: string) => {
    const file = sha && (await repository.readFile(sha, path));
    return file ? new TextDecoder().decode(file.bytes) : undefined;
  };
  const { name, email } = defined(ctx.table<User>('users').get(row.author_id));
  const subject = {
    project: project.path_with_namespace,
    sha: sha ?? pipeline.sha,
    time: row.ready_at,
    key: `dependency export ${row.id}`,
    author: { name, email },
  };
  return billOfMaterials(subject, {
    manifest: await read('package.json'),
    lock: await read('package-lock.json'),
  });
}

export const dependencyExports: AreaHandlers = {
  area: 'dependency-exports',
  collection: collection(exports),
  handlers: {
    get: (ctx) => {
      const row = findRow(ctx, exports);
      return one(ctx, row, exports, isReady(ctx, row) ? 200 : 202);
    },
    download: async (ctx) => {
      const row = findRow(ctx, exports);
      if (!isReady(ctx, row)) throw notFound();
      const text = JSON.stringify(await documentOf(ctx, row), undefined, 2);
      return fileResponse(`${text}\n`, 'application/json', `dependency-list-${row.id}.cdx.json`);
    },
  },
};

/** A malformed file lists no dependencies. */
function parse(text = '{}'): Hash {
  const value = jsonIn(text);
  return isRecord(value) ? value : {};
}

const entries = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);

/** Return a component with its package URL. The `@` of a scope is encoded, its slash is not. */
function component(name: string, version: string, license: unknown) {
  const purl = `pkg:npm/${encodedPath(name)}@${encodeURIComponent(version)}`;
  const isSpdx = typeof license === 'string' && license !== 'UNLICENSED' && /^[\w.+-]+$/.test(license);
  const licenses = isSpdx
    ? [{ license: { id: license, url: `https://spdx.org/licenses/${license}.html` } }]
    : [];
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses };
}

/** Return the packages of a lock file (versions 2 and 3). */
function locked(lock: Hash) {
  return entries(lock['packages']).flatMap(([path, entry]) => {
    const name = path.split('node_modules/').at(-1);
    if (!path.includes('node_modules/') || !name || !isRecord(entry) || entry['link'] === true) return [];
    return [component(name, String(entry['version']), entry['license'])];
  });
}

/** Return the dependencies of a manifest, with the lowest version of each range: `^1.2.3` -> 1.2.3. */
function declared(manifest: Hash) {
  return ['dependencies', 'devDependencies']
    .flatMap((kind) => entries(manifest[kind]))
    .map(([name, range]) => component(name, String(range).replace(/^[^\d]*/, ''), undefined));
}

/** Return all components without duplicates, sorted by package URL. The lock file takes precedence over the manifest. */
export function componentsOf(sources: Sources) {
  const found = locked(parse(sources.lock));
  const missing = declared(parse(sources.manifest)).filter(
    ({ name }) => !found.some((other) => other.name === name),
  );
  const byPurl = new Map([...found, ...missing].map((one) => [one.purl, one]));
  return [...byPurl.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}

/** Contents of the two files; undefined if the repository does not have them. */
type Sources = Readonly<Record<'manifest' | 'lock', string | undefined>>;

interface Subject {
  readonly project: string;
  readonly sha: string;
  readonly time: string;
  readonly key: string;
  readonly author: object;
}

export function billOfMaterials(subject: Subject, sources: Sources): object {
  const manifest = parse(sources.manifest);
  const name = typeof manifest['name'] === 'string' ? manifest['name'] : subject.project.replace(/^.*\//, '');
  const version = typeof manifest['version'] === 'string' ? manifest['version'] : subject.sha.slice(0, 8);
  const digest = createHash('sha256').update(`${subject.key} ${subject.time}`).digest('hex');
  // RFC 9562, version 8.
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      timestamp: subject.time,
      tools: [{ vendor: 'svc', name: 'sandbox', version: sandboxVersion }],
      authors: [subject.author],
      component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version },
      properties: [
        { name: 'service:project', value: subject.project },
        { name: 'service:commit', value: subject.sha },
        { name: 'service:input_file:path', value: sources.lock ? 'package-lock.json' : 'package.json' },
      ],
    },
    components: componentsOf(sources),
  };
}
