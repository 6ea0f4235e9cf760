/** CI/CD variables of a project (section 4.2). */
import { type Behavior, behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, ofProject, orNotFound } from '../../core/lookup.ts';
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

const withKey = (ctx: RequestContext, key: string): Variable[] =>
  ctx
    .table<Variable>('variables')
    .where('key', key)
    .filter((row) => row.project_id === ctx.project.id);

/** The value of a hidden variable is never shown. */
const view = (row: Variable): object => (row.hidden ? { ...row, value: null } : row);

/** Return the variable with the key, and with the environment scope of the filter if several share the key. */
function findVariable(ctx: RequestContext): Variable {
  const key = defined(ctx.slots.text('key'));
  const scope = ctx.params.hash('filter')?.['environment_scope'];
  const found = withKey(ctx, key).filter((row) => scope === undefined || row.environment_scope === scope);
  if (found.length > 1) {
    throw ctx.httpError(
      409,
      "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
    );
  }
  return orNotFound(found[0], 'Variable');
}

function rejectTaken(ctx: RequestContext, key: string, scope: string, except?: Variable): void {
  const taken = withKey(ctx, key).some((row) => row !== except && row.environment_scope === scope);
  if (taken) throw ctx.badRequest({ key: [`(${key}) has already been taken`] });
}

/** A job log masks text of at least eight characters on one line; servers of this API reject other masked values. */
function rejectUnmaskable(ctx: RequestContext, masked: boolean, value: string): void {
  if (masked && !/^\S{8,}$/.test(value)) throw ctx.badRequest({ value: ['is invalid'] });
}

/** The specification states no role. Values are secrets, so servers of this API require Maintainer. */
const forMaintainers =
  (behavior: Behavior): Behavior =>
  (ctx) => {
    ctx.requireRole('maintainer');
    return behavior(ctx);
  };

export const variables = behaviors('variables', {
  list: forMaintainers((ctx) => ctx.list(ofProject<Variable>(ctx, 'variables'), { view })),

  get: forMaintainers((ctx) => ctx.one(view(findVariable(ctx)))),

  create: forMaintainers((ctx) => {
    const { params } = ctx;
    const key = defined(params.text('key'));
    const environment_scope = params.text('environment_scope') ?? '*';
    rejectTaken(ctx, key, environment_scope);
    const hidden = params.bool('masked_and_hidden') ?? false;
    const masked = hidden || (params.bool('masked') ?? false);
    rejectUnmaskable(ctx, masked, defined(params.text('value')));
    const row = ctx.table<Variable>('variables').insert({
      project_id: ctx.project.id,
      key,
      value: defined(params.text('value')),
      variable_type: params.text('variable_type') ?? 'env_var',
      protected: params.bool('protected') ?? false,
      masked,
      hidden,
      raw: params.bool('raw') ?? false,
      environment_scope,
      description: params.text('description') ?? null,
    });
    return ctx.one(view(row));
  }),

  update: forMaintainers((ctx) => {
    const row = findVariable(ctx);
    const { params } = ctx;
    const environment_scope = params.text('environment_scope') ?? row.environment_scope;
    rejectTaken(ctx, row.key, environment_scope, row);
    // A hidden variable stays masked: otherwise a job log would show it.
    const masked = row.hidden || (params.bool('masked') ?? row.masked);
    rejectUnmaskable(ctx, masked, defined(params.text('value')));
    ctx.table<Variable>('variables').update(row, {
      value: defined(params.text('value')),
      variable_type: params.text('variable_type') ?? row.variable_type,
      protected: params.bool('protected') ?? row.protected,
      masked,
      raw: params.bool('raw') ?? row.raw,
      environment_scope,
      description: params.has('description') ? (params.text('description') ?? null) : row.description,
    });
    return ctx.one(view(row));
  }),

  delete: forMaintainers((ctx) => {
    ctx.remove('variables', findVariable(ctx));
    return ctx.noContent();
  }),
});
