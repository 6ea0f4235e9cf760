/** Notification settings of the caller (section 4.18). */
import { returnedFields } from '../../../spec/endpoint.ts';
import { keysOf } from '../../../spec/field.ts';
import { singleton } from '../../core/collection.ts';
import type { AreaHandlers } from '../../core/context.ts';
import { invalidAt } from '../../core/http-error.ts';
import { scopeColumns } from '../../core/lookup.ts';
import type { Row } from '../../core/rows.ts';

/** Settings of one user: for the instance, for a group, or for a project. */
interface NotificationSetting extends Row {
  user_id: number;
  project_id: number | null;
  group_id: number | null;
  level: string;
  notification_email: string | null;
  /** Kept while the level is not custom. */
  events: Readonly<Record<string, boolean>>;
}

export const notifications: AreaHandlers = {
  area: 'notifications',
  collection: singleton<NotificationSetting>({
    table: 'notification_settings',
    rows: (ctx) => {
      const { id } = ctx.requireUser();
      const { project_id, group_id } = scopeColumns(ctx);
      return ctx
        .table<NotificationSetting>('notification_settings')
        .filter((row) => row.user_id === id && row.project_id === project_id && row.group_id === group_id);
    },
    view: (ctx, row) => {
      const events = Object.keys(keysOf(returnedFields(ctx.endpoint)['events']) ?? {});
      return {
        level: row.level,
        notification_email: row.notification_email ?? ctx.requireUser().email,
        events: Object.fromEntries(events.map((name) => [name, row.events[name] ?? false])),
      };
    },
    // Only the level custom has events, and then all of them (section 2.17).
    shows: (_, { level }, field) => field !== 'events' || level === 'custom',
    defaults: (ctx) => ({
      user_id: ctx.requireUser().id,
      ...scopeColumns(ctx),
      level: ctx.scope ? 'global' : 'participating',
      notification_email: null,
      events: {},
    }),
    changes: ({ scope, params }, row) => {
      const { level, notification_email: email, ...given } = params.values;
      // `global` means the settings of the instance, which cannot refer to themselves.
      if (level === 'global' && !scope) throw invalidAt(['level'], 'must not be global for the instance');
      const events = Object.keys(given).map((name) => [name, params.bool(name) ?? false]);
      return {
        ...(level ? { level: String(level) } : {}),
        ...(email === undefined ? {} : { notification_email: params.text('notification_email') || null }),
        events: { ...row?.events, ...Object.fromEntries(events) },
      };
    },
    check: (_, { notification_email: email }) => ({
      notification_email: email !== null && !/^[^\s@]+@[^\s@]+$/.test(email) && ['is invalid'],
    }),
  }),
};
