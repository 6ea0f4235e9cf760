import { randomBytes } from 'node:crypto';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Row } from '../../core/rows.ts';

export interface ClientKey extends Row {
  project_id: number;
  active: boolean;
  public_key: string;
}

/** The address that an SDK is given: it makes `/api/<project>/store/` and `/envelope/` of it (section 6.2). */
function view(ctx: RequestContext, row: ClientKey): object {
  const address = new URL(`/api/v4/error_tracking/collector/${row.project_id}`, ctx.origin);
  address.username = row.public_key;
  return { ...row, tracker_dsn: address.href };
}

const mine = (ctx: RequestContext): ClientKey[] =>
  ctx.table<ClientKey>('client_keys').filter((row) => row.project_id === ctx.project.id);

export const clientKeys = behaviors('client-keys', {
  list: (ctx) => ctx.list(mine(ctx), { view: (row) => view(ctx, row) }),

  create: (ctx) => {
    const public_key = randomBytes(16).toString('hex');
    const row = { project_id: ctx.project.id, active: true, public_key };
    return ctx.one(view(ctx, ctx.table<ClientKey>('client_keys').insert(row)));
  },

  delete: (ctx) => {
    const row = mine(ctx).find(({ id }) => id === ctx.slots.number('key_id'));
    if (!row) throw ctx.notFound('Client Key');
    ctx.remove('client_keys', row);
    return ctx.noContent();
  },
});
