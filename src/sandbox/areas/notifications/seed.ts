import type { Seeder } from '../../seed/seeder.ts';
import type { NotificationSetting } from './handlers.ts';

/** Settings of the administrator, for the instance and for acme/rocket. */
export const notifications: Seeder = (world) => {
  const table = world.table<NotificationSetting>('notification_settings');
  const common = { user_id: 1, group_id: null, notification_email: null };
  table.insert({ ...common, project_id: null, level: 'participating', events: {} });
  const events = { new_note: true, new_merge_request: true, failed_pipeline: true, fixed_pipeline: true };
  table.insert({ ...common, project_id: 100, level: 'custom', events });
};
