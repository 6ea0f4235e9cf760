import { addDays } from '../../seed/random.ts';
import type { Seeder } from '../../seed/seeder.ts';
import type { Broadcast } from './handlers.ts';

/** A banner that lasts another year, and an expired notification. */
export const broadcasts: Seeder = (world) => {
  const now = world.now();
  const table = world.table<Broadcast>('broadcasts');
  table.insert({
    id: 61,
    message: 'Welcome to the sandbox: nothing here is real',
    starts_at: addDays(now, -1),
    ends_at: addDays(now, 365),
    broadcast_type: 'banner',
    theme: 'indigo',
    font: '#FFFFFF',
    dismissable: true,
    target_access_levels: [],
    target_path: '',
  });
  table.insert({
    id: 62,
    message: 'The service was slow this morning and works normally again',
    starts_at: '2026-03-01T08:00:00.000Z',
    ends_at: '2026-03-01T12:00:00.000Z',
    broadcast_type: 'notification',
    theme: 'indigo',
    font: '#FFFFFF',
    dismissable: true,
    target_access_levels: [30, 40],
    target_path: 'acme/*',
  });
};
