/** Dependency list exports (section 4.13). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, orNotFound, removeWhere } from '../../core/lookup.ts';
import type { Pipeline, Project, Row, User } from '../../core/rows.ts';
import { hour, iso } from '../../core/time.ts';
import { hasRoleIn, isVisible } from '../../core/visibility.ts';
import { billOfMaterials } from './sbom.ts';

export interface DependencyExport extends Row {
  author_id: number;
  pipeline_id: number;
  created_at: string;
  /** When the export can be downloaded. */
  ready_at: string;
}

/** Milliseconds until an export is ready. */
const preparation = 2_000;
/** Milliseconds until an export expires (section 8). */
const lifetime = hour;

/** Return an export of the caller. Exports of other users are not found. */
function findExport(ctx: RequestContext): DependencyExport {
  const table = ctx.table<DependencyExport>('dependency_exports');
  removeWhere(table, (row) => ctx.now() >= Date.parse(row.created_at) + lifetime);
  const row = table.get(ctx.slots.number('id'));
  return orNotFound(row?.author_id === ctx.requireUser().id ? row : undefined);
}

const isReady = (ctx: RequestContext, row: DependencyExport): boolean =>
  ctx.now() >= Date.parse(row.ready_at);

function view(ctx: RequestContext, row: DependencyExport): object {
  const self = `/api/v4/dependency_list_exports/${row.id}`;
  return { id: row.id, has_finished: isReady(ctx, row), self, download: `${self}/download` };
}

async function documentOf(ctx: RequestContext, row: DependencyExport): Promise<object> {
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

export const dependencyExports = behaviors('dependency-exports', {
  create: (ctx) => {
    const pipeline = ctx.table<Pipeline>('pipelines').get(ctx.slots.number('id'));
    if (!pipeline || !isVisible(ctx, 'project', pipeline.project_id)) throw ctx.notFound('Pipeline');
    const project = ctx.table<Project>('projects').get(pipeline.project_id);
    // The permission `read_dependency` of the service.
    if (!hasRoleIn(ctx, project, 'developer')) throw ctx.forbidden();
    const row = ctx.table<DependencyExport>('dependency_exports').insert({
      author_id: ctx.requireUser().id,
      pipeline_id: pipeline.id,
      created_at: ctx.time(),
      ready_at: iso(ctx.now() + preparation),
    });
    return ctx.one(view(ctx, row));
  },

  get: (ctx) => {
    const row = findExport(ctx);
    return ctx.one(view(ctx, row), isReady(ctx, row) ? 200 : 202);
  },

  download: async (ctx) => {
    const row = findExport(ctx);
    if (!isReady(ctx, row)) throw ctx.notFound();
    const text = JSON.stringify(await documentOf(ctx, row), undefined, 2);
    return ctx.raw(`${text}\n`, 'application/json', `dependency-list-${row.id}.cdx.json`);
  },
});
