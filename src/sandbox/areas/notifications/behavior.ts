import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { invalidAt } from '../../core/http-error.ts';
import { reshape, without } from '../../core/reshape.ts';
import type { Row } from '../../core/rows.ts';

/** What one user wants to hear of: everywhere, in one group, or in one project. */
export interface NotificationSetting extends Row {
  user_id: number;
  project_id: number | null;
  group_id: number | null;
  level: string;
  notification_email: string | null;
  /** Kept while the level is another one, too. */
  events: Readonly<Record<string, boolean>>;
}

const place = (ctx: RequestContext) => ({
  project_id: ctx.scope === 'project' ? ctx.project.id : null,
  group_id: ctx.scope === 'group' ? ctx.group.id : null,
});

function stored(ctx: RequestContext): NotificationSetting | undefined {
  const { id } = ctx.requireUser();
  const { project_id, group_id } = place(ctx);
  return ctx
    .table<NotificationSetting>('notification_settings')
    .find((row) => row.user_id === id && row.project_id === project_id && row.group_id === group_id);
}

const initial = (ctx: RequestContext): Omit<NotificationSetting, 'id'> => ({
  user_id: ctx.requireUser().id,
  ...place(ctx),
  level: ctx.scope ? 'global' : 'participating',
  notification_email: null,
  events: {},
});

const notEvents = ['level', 'notification_email'];

/** Events are told with the level custom only (section 2.17), each of them. */
async function answer(ctx: RequestContext, row: Omit<NotificationSetting, 'id'>): Promise<Response> {
  const isCustom = row.level === 'custom';
  const names =
    'fields' in ctx.endpoint.returns ? Object.keys(ctx.endpoint.returns.fields['events']?.keys ?? {}) : [];
  const events = Object.fromEntries(names.map((name) => [name, row.events[name] ?? false]));
  const notification_email = row.notification_email ?? ctx.requireUser().email;
  const response = ctx.one({ level: row.level, notification_email, ...(isCustom ? { events } : {}) });
  return isCustom ? response : reshape(response, (shown) => without(shown, ['events']));
}

export const notifications = behaviors('notifications', {
  get: (ctx) => answer(ctx, stored(ctx) ?? initial(ctx)),

  update: (ctx) => {
    const { params } = ctx;
    const level = params.text('level');
    // The settings everywhere have nothing above them to follow.
    if (level === 'global' && !ctx.scope) throw invalidAt(['level'], 'must not be global here');
    const email = params.text('notification_email');
    if (email && !/^[^\s@]+@[^\s@]+$/.test(email))
      throw ctx.badRequest({ notification_email: ['is invalid'] });
    const table = ctx.table<NotificationSetting>('notification_settings');
    const row = stored(ctx) ?? table.insert(initial(ctx));
    const given = Object.keys(params.values).filter((name) => !notEvents.includes(name));
    const events = Object.fromEntries(given.map((name) => [name, params.bool(name) ?? false]));
    table.update(row, {
      ...(level ? { level } : {}),
      ...(params.has('notification_email') ? { notification_email: email || null } : {}),
      events: { ...row.events, ...events },
    });
    return answer(ctx, row);
  },
});
