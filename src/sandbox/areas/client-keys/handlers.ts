/** Client keys: the DSNs that applications report errors with (section 4.19). */
import { randomBytes } from 'node:crypto';
import { collection } from '../../core/collection.ts';
import type { AreaHandlers } from '../../core/context.ts';
import type { Row } from '../../core/rows.ts';

export interface ClientKey extends Row {
  project_id: number;
  active: boolean;
  public_key: string;
}

export const clientKeys: AreaHandlers = {
  area: 'client-keys',
  collection: collection<ClientKey>({
    table: 'client_keys',
    // An SDK derives `/api/<project>/store/` and `/envelope/` from the DSN (section 6.2).
    view(ctx, row) {
      const address = new URL(`/api/v4/error_tracking/collector/${row.project_id}`, ctx.origin);
      address.username = row.public_key;
      return { ...row, tracker_dsn: address.href };
    },
    defaults: () => ({ active: true, public_key: randomBytes(16).toString('hex') }),
  }),
};
