/** Client keys: the DSNs that applications report errors with (section 4.19). */
import { randomBytes } from 'node:crypto';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { findById, ofProject } from '../../core/lookup.ts';
import type { Row } from '../../core/rows.ts';

export interface ClientKey extends Row {
  project_id: number;
  active: boolean;
  public_key: string;
}

/** Add the DSN, from which an SDK derives `/api/<project>/store/` and `/envelope/` (section 6.2). */
function view(ctx: RequestContext, row: ClientKey): object {
  const address = new URL(`/api/v4/error_tracking/collector/${row.project_id}`, ctx.origin);
  address.username = row.public_key;
  return { ...row, tracker_dsn: address.href };
}

const keysOf = (ctx: RequestContext): ClientKey[] => ofProject<ClientKey>(ctx, 'client_keys');

export const clientKeys = behaviors('client-keys', {
  list: (ctx) => ctx.list(keysOf(ctx), { view: (row) => view(ctx, row) }),

  create: (ctx) => {
    const public_key = randomBytes(16).toString('hex');
    const row = { project_id: ctx.project.id, active: true, public_key };
    return ctx.one(view(ctx, ctx.table<ClientKey>('client_keys').insert(row)));
  },

  delete: (ctx) => {
    ctx.remove('client_keys', findById(ctx, keysOf(ctx), 'key_id', 'Client Key'));
    return ctx.noContent();
  },
});
