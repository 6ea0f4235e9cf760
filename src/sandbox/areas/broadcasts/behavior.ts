/** Broadcast messages of the instance (section 4.9). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { orNotFound } from '../../core/lookup.ts';
import { reshape, without } from '../../core/reshape.ts';
import type { Row } from '../../core/rows.ts';
import { hour, iso } from '../../core/time.ts';
import { cannotBeBlank, invalidColor, isColor, type Messages, rejectInvalid } from '../../core/validation.ts';

export interface Broadcast extends Row {
  message: string;
  starts_at: string;
  ends_at: string;
  broadcast_type: 'banner' | 'notification';
  theme: string;
  font: string;
  dismissable: boolean;
  target_access_levels: readonly number[];
  target_path: string;
}

const white = '#FFFFFF';

/** Values of attributes that a request sets to null. */
const cleared: Readonly<Record<string, string>> = { font: white, target_path: '' };

function view(ctx: RequestContext, row: Broadcast): object {
  const now = ctx.now();
  return { ...row, active: Date.parse(row.starts_at) <= now && now < Date.parse(row.ends_at) };
}

/** Only banners have a theme. */
const withoutTheme = (response: Response): Promise<Response> =>
  reshape(response, (shown) =>
    shown['broadcast_type'] === 'notification' ? without(shown, ['theme']) : shown,
  );

const findBroadcast = (ctx: RequestContext): Broadcast =>
  orNotFound(ctx.table<Broadcast>('broadcasts').get(ctx.slots.number('id')), 'Broadcast Message');

function check(ctx: RequestContext): void {
  const errors: Messages = {};
  if (ctx.params.has('message') && !ctx.params.text('message')?.trim()) errors['message'] = cannotBeBlank;
  const font = ctx.params.text('font');
  if (font && !isColor(font)) errors['font'] = invalidColor;
  rejectInvalid(errors);
}

/** Return the attributes that the request sets. Null clears an attribute that can be empty, others stay. */
function changesFrom({ params }: RequestContext): Partial<Broadcast> {
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(params.values)) {
    if (value !== null) changes[name] = value;
    else if (name in cleared) changes[name] = cleared[name];
  }
  for (const name of ['starts_at', 'ends_at']) {
    const moment = params.time(name);
    if (moment !== undefined) changes[name] = iso(moment);
  }
  return changes;
}

export const broadcasts = behaviors('broadcasts', {
  list: async (ctx) => {
    const rows = ctx
      .table<Broadcast>('broadcasts')
      .all()
      .sort((a, b) => b.id - a.id);
    return withoutTheme(await ctx.list(rows, { view: (row) => view(ctx, row) }));
  },

  get: (ctx) => withoutTheme(ctx.one(view(ctx, findBroadcast(ctx)))),

  create: (ctx) => {
    check(ctx);
    const now = ctx.now();
    const row = ctx.table<Broadcast>('broadcasts').insert({
      message: '',
      starts_at: iso(now),
      ends_at: iso(now + hour),
      broadcast_type: 'banner',
      theme: 'indigo',
      font: white,
      dismissable: false,
      target_access_levels: [],
      target_path: '',
      ...changesFrom(ctx),
    });
    return withoutTheme(ctx.one(view(ctx, row)));
  },

  update: (ctx) => {
    const row = findBroadcast(ctx);
    check(ctx);
    ctx.table<Broadcast>('broadcasts').update(row, changesFrom(ctx));
    return withoutTheme(ctx.one(view(ctx, row)));
  },

  delete: (ctx) => {
    ctx.remove('broadcasts', findBroadcast(ctx));
    return ctx.noContent();
  },
});
