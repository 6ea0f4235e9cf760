import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Pipeline, Project, Row, User } from '../../core/rows.ts';
import { hasRoleIn, isVisible } from '../../core/visibility.ts';
import { billOfMaterials } from './sbom.ts';

export interface DependencyExport extends Row {
  author_id: number;
  pipeline_id: number;
  created_at: string;
  /** From then on it can be downloaded. */
  ready_at: string;
}

/** Milliseconds: how long an export is being made, and how long it lives (section 8). */
const making = 2_000;
const lifetime = 60 * 60 * 1000;

/** Takes away what has outlived its hour. */
function living(ctx: RequestContext): DependencyExport[] {
  const table = ctx.table<DependencyExport>('dependency_exports');
  const isOver = (row: DependencyExport) => ctx.now() >= Date.parse(row.created_at) + lifetime;
  for (const row of table.filter(isOver)) table.remove(row);
  return table.all();
}

/** One's own export: another's can't be told from none. */
function meant(ctx: RequestContext): DependencyExport {
  const id = ctx.slots.number('id');
  const row = living(ctx).find(
    (candidate) => candidate.id === id && candidate.author_id === ctx.requireUser().id,
  );
  if (!row) throw ctx.notFound();
  return row;
}

const isReady = (ctx: RequestContext, row: DependencyExport): boolean =>
  ctx.now() >= Date.parse(row.ready_at);

function view(ctx: RequestContext, row: DependencyExport): object {
  const self = `/api/v4/dependency_list_exports/${row.id}`;
  return { id: row.id, has_finished: isReady(ctx, row), self, download: `${self}/download` };
}

async function documentOf(ctx: RequestContext, row: DependencyExport): Promise<object> {
  const pipeline = ctx.table<Pipeline>('pipelines').get(row.pipeline_id) as Pipeline;
  const project = ctx.table<Project>('projects').get(pipeline.project_id) as Project;
  const repository = await ctx.repository(project.id);
  const sha = (await repository.resolve(pipeline.sha)) ?? (await repository.resolve(project.default_branch));
  const read = async (path: string) => {
    const file = sha && (await repository.readFile(sha, path));
    return file ? new TextDecoder().decode(file.bytes) : undefined;
  };
  const { name, email } = ctx.table<User>('users').get(row.author_id) as User;
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
    // What the service calls the permission read_dependency.
    if (!hasRoleIn(ctx, project, 'developer')) throw ctx.forbidden();
    const row = ctx.table<DependencyExport>('dependency_exports').insert({
      author_id: ctx.requireUser().id,
      pipeline_id: pipeline.id,
      created_at: ctx.time(),
      ready_at: new Date(ctx.now() + making).toISOString(),
    });
    return ctx.one(view(ctx, row));
  },

  get: (ctx) => {
    const row = meant(ctx);
    return ctx.one(view(ctx, row), isReady(ctx, row) ? 200 : 202);
  },

  download: async (ctx) => {
    const row = meant(ctx);
    if (!isReady(ctx, row)) throw ctx.notFound();
    const text = JSON.stringify(await documentOf(ctx, row), undefined, 2);
    return ctx.raw(`${text}\n`, 'application/json', `dependency-list-${row.id}.cdx.json`);
  },
});
