/** Notification settings of the caller (section 4.18). */
import { keysOf } from '../../../spec/field.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { invalidAt } from '../../core/http-error.ts';
import { scopeColumns } from '../../core/lookup.ts';
import { reshape, without } from '../../core/reshape.ts';
import type { Row } from '../../core/rows.ts';

/** Settings of one user: for the instance, for a group, or for a project. */
export interface NotificationSetting extends Row {
  user_id: number;
  project_id: number | null;
  group_id: number | null;
  level: string;
  notification_email: string | null;
  /** Kept while the level is not custom. */
  events: Readonly<Record<string, boolean>>;
}

function stored(ctx: RequestContext): NotificationSetting | undefined {
  const { id } = ctx.requireUser();
  const { project_id, group_id } = scopeColumns(ctx);
  return ctx
    .table<NotificationSetting>('notification_settings')
    .find((row) => row.user_id === id && row.project_id === project_id && row.group_id === group_id);
}

const initial = (ctx: RequestContext): Omit<NotificationSetting, 'id'> => ({
  user_id: ctx.requireUser().id,
  ...scopeColumns(ctx),
  level: ctx.scope ? 'global' : 'participating',
  notification_email: null,
  events: {},
});

const notEvents = ['level', 'notification_email'];

/** Return the settings. Only the level custom has events, and then all of them (section 2.17). */
async function respond(ctx: RequestContext, row: Omit<NotificationSetting, 'id'>): Promise<Response> {
  const isCustom = row.level === 'custom';
  const names =
    'fields' in ctx.endpoint.returns ? Object.keys(keysOf(ctx.endpoint.returns.fields['events']) ?? {}) : [];
  const events = Object.fromEntries(names.map((name) => [name, row.events[name] ?? false]));
  const notification_email = row.notification_email ?? ctx.requireUser().email;
  const response = ctx.one({ level: row.level, notification_email, ...(isCustom ? { events } : {}) });
  return isCustom ? response : reshape(response, (shown) => without(shown, ['events']));
}

export const notifications = behaviors('notifications', {
  get: (ctx) => respond(ctx, stored(ctx) ?? initial(ctx)),

  update: (ctx) => {
    const { params } = ctx;
    const level = params.text('level');
    // `global` means the settings of the instance, which cannot refer to themselves.
    if (level === 'global' && !ctx.scope) throw invalidAt(['level'], 'must not be global for the instance');
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
    return respond(ctx, row);
  },
});
