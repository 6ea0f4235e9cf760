/** Dependency list exports (section 4.13). */
import { hasRoleIn, isVisible } from '../../core/access.ts';
import { type Collection, collection, findRow } from '../../core/collection.ts';
import { type AreaHandlers, type Context, fileResponse, one } from '../../core/context.ts';
import { forbidden, notFound } from '../../core/http-error.ts';
import { defined, removeWhere } from '../../core/lookup.ts';
import type { Pipeline, Project, Row, User } from '../../core/rows.ts';
import { hour, iso } from '../../core/time.ts';
import { billOfMaterials } from './sbom.ts';

export interface DependencyExport extends Row {
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
