import { type Behavior, behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Row } from '../../core/rows.ts';

export interface Variable extends Row {
  project_id: number;
  key: string;
  value: string;
  variable_type: string;
  protected: boolean;
  masked: boolean;
  hidden: boolean;
  raw: boolean;
  environment_scope: string;
  description: string | null;
}

const variablesOf = (ctx: RequestContext): Variable[] =>
  ctx.table<Variable>('variables').filter((row) => row.project_id === ctx.project.id);

const withKey = (ctx: RequestContext, key: string): Variable[] =>
  ctx
    .table<Variable>('variables')
    .where('key', key)
    .filter((row) => row.project_id === ctx.project.id);

/** What a hidden variable holds is told to nobody. */
const view = (row: Variable): object => (row.hidden ? { ...row, value: null } : row);

/** The variable that is meant: by its key, and by its environments where several share the key (section 4.2). */
function meant(ctx: RequestContext): Variable {
  const key = ctx.slots.text('key');
  const scope = ctx.params.hash('filter')?.['environment_scope'];
  const found = withKey(ctx, key ?? '').filter(
    (row) => scope === undefined || row.environment_scope === scope,
  );
  if (found.length > 1) {
    throw ctx.httpError(
      409,
      "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
    );
  }
  if (!found[0]) throw ctx.notFound('Variable');
  return found[0];
}

function refuseTaken(ctx: RequestContext, key: string, scope: string, except?: Variable): void {
  const taken = withKey(ctx, key).some((row) => row !== except && row.environment_scope === scope);
  if (taken) throw ctx.badRequest({ key: [`(${key}) has already been taken`] });
}

/** The specification names no role; values are secrets, so servers of this API ask for Maintainer. */
const forMaintainers =
  (behavior: Behavior): Behavior =>
  (ctx) => {
    ctx.requireRole('maintainer');
    return behavior(ctx);
  };

export const variables = behaviors('variables', {
  list: forMaintainers((ctx) => ctx.list(variablesOf(ctx), { view })),

  get: forMaintainers((ctx) => ctx.one(view(meant(ctx)))),

  create: forMaintainers((ctx) => {
    const { params } = ctx;
    const key = params.text('key') as string;
    const environment_scope = params.text('environment_scope') ?? '*';
    refuseTaken(ctx, key, environment_scope);
    const hidden = params.bool('masked_and_hidden') ?? false;
    const row = ctx.table<Variable>('variables').insert({
      project_id: ctx.project.id,
      key,
      value: params.text('value') as string,
      variable_type: params.text('variable_type') ?? 'env_var',
      protected: params.bool('protected') ?? false,
      masked: hidden || (params.bool('masked') ?? false),
      hidden,
      raw: params.bool('raw') ?? false,
      environment_scope,
      description: params.text('description') ?? null,
    });
    return ctx.one(view(row));
  }),

  update: forMaintainers((ctx) => {
    const row = meant(ctx);
    const { params } = ctx;
    const environment_scope = params.text('environment_scope') ?? row.environment_scope;
    refuseTaken(ctx, row.key, environment_scope, row);
    ctx.table<Variable>('variables').update(row, {
      value: params.text('value') as string,
      variable_type: params.text('variable_type') ?? row.variable_type,
      protected: params.bool('protected') ?? row.protected,
      // What is hidden stays masked: else a job log would show it.
      masked: row.hidden || (params.bool('masked') ?? row.masked),
      raw: params.bool('raw') ?? row.raw,
      environment_scope,
      description: params.has('description') ? (params.text('description') ?? null) : row.description,
    });
    return ctx.one(view(row));
  }),

  delete: forMaintainers((ctx) => {
    ctx.remove('variables', meant(ctx));
    return ctx.noContent();
  }),
});
