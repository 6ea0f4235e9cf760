/** Messages that every user of the instance sees (section 4.9). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { reshape, without } from '../../core/reshape.ts';
import type { Row } from '../../core/rows.ts';

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

/** The default color of text, and what a null leaves. */
const white = '#FFFFFF';
const cleared = { font: white, target_path: '' } as const;

const hour = 60 * 60 * 1000;
const iso = (moment: number): string => new Date(moment).toISOString();

function view(ctx: RequestContext, row: Broadcast): object {
  const now = ctx.now();
  return { ...row, active: Date.parse(row.starts_at) <= now && now < Date.parse(row.ends_at) };
}

/** Only banners have a theme. */
const withoutTheme = (answer: Response): Promise<Response> =>
  reshape(answer, (shown) =>
    shown['broadcast_type'] === 'notification' ? without(shown, ['theme']) : shown,
  );

function meant(ctx: RequestContext): Broadcast {
  const row = ctx.table<Broadcast>('broadcasts').get(ctx.slots.number('id'));
  if (!row) throw ctx.notFound('Broadcast Message');
  return row;
}

function check(ctx: RequestContext): void {
  const errors: Record<string, string[]> = {};
  if (ctx.params.has('message') && !ctx.params.text('message')?.trim())
    errors['message'] = ["can't be blank"];
  const font = ctx.params.text('font');
  if (font && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(font)) errors['font'] = ['must be a valid color code'];
  if (Object.keys(errors).length > 0) throw ctx.badRequest(errors);
}

/** What the call gives, and can be empty no more than the row's attribute can. */
function given({ params }: RequestContext): Partial<Broadcast> {
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(params.values)) {
    if (value !== null) changes[name] = value;
    else if (name in cleared) changes[name] = cleared[name as keyof typeof cleared];
  }
  for (const name of ['starts_at', 'ends_at']) {
    const moment = params.time(name);
    if (moment !== undefined) changes[name] = iso(moment);
  }
  return changes;
}

export const broadcasts = behaviors('broadcasts', {
  /** The newest first. */
  list: async (ctx) => {
    const rows = ctx
      .table<Broadcast>('broadcasts')
      .all()
      .sort((a, b) => b.id - a.id);
    return withoutTheme(await ctx.list(rows, { view: (row) => view(ctx, row) }));
  },

  get: (ctx) => withoutTheme(ctx.one(view(ctx, meant(ctx)))),

  create: (ctx) => {
    check(ctx);
    const row = ctx.table<Broadcast>('broadcasts').insert({
      message: '',
      starts_at: ctx.time(),
      ends_at: iso(ctx.now() + hour),
      broadcast_type: 'banner',
      theme: 'indigo',
      font: white,
      dismissable: false,
      target_access_levels: [],
      target_path: '',
      ...given(ctx),
    });
    return withoutTheme(ctx.one(view(ctx, row)));
  },

  update: (ctx) => {
    const row = meant(ctx);
    check(ctx);
    ctx.table<Broadcast>('broadcasts').update(row, given(ctx));
    return withoutTheme(ctx.one(view(ctx, row)));
  },

  delete: (ctx) => {
    ctx.remove('broadcasts', meant(ctx));
    return ctx.noContent();
  },
});
