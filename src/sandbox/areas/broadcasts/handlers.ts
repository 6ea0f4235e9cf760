/** Broadcast messages of the instance (section 4.9). */
import { collection } from '../../core/collection.ts';
import type { AreaHandlers } from '../../core/context.ts';
import type { AnyRow } from '../../core/rows.ts';
import { hour, iso } from '../../core/time.ts';
import { cannotBeBlank, invalidColor, isColor } from '../../core/validation.ts';

export interface Broadcast extends AnyRow {
  message: string;
  starts_at: string;
  ends_at: string;
  broadcast_type: 'banner' | 'notification';
  font: string;
}

export const broadcasts: AreaHandlers = {
  area: 'broadcasts',
  collection: collection<Broadcast>({
    table: 'broadcasts',
    title: 'Broadcast Message',
    order: '-id',
    view: (ctx, row) => ({
      ...row,
      active: Date.parse(row.starts_at) <= ctx.now() && ctx.now() < Date.parse(row.ends_at),
    }),
    // Only banners have a theme.
    shows: (_, { broadcast_type }, field) => field !== 'theme' || broadcast_type === 'banner',
    defaults: (ctx) => ({ starts_at: ctx.time(), ends_at: iso(ctx.now() + hour), font: '#FFFFFF' }),
    check: (_, { message, font }) => ({
      message: message.trim() === '' && cannotBeBlank,
      font: font !== '' && !isColor(font) && invalidColor,
    }),
  }),
};
