import type { License } from '../../license.ts';
import { addDays } from '../../seed/random.ts';
import type { Seeder } from '../../seed/seeder.ts';
import type { Usage } from './handlers.ts';

const licensee = { Name: 'Olivia Owner', Email: 'olivia@example.com', Company: 'Acme' };

/** An expired license, the one in effect, and thirty days of usage. */
export const license: Seeder = (world) => {
  const now = world.now();
  const licenses = world.table<License>('licenses');
  licenses.insert({
    id: 1,
    key: 'eyJkYXRhIjoiZmlyc3QifQ==',
    plan: 'premium',
    created_at: '2024-12-20T10:00:00.000Z',
    starts_at: '2025-01-01',
    expires_at: '2025-12-31',
    user_limit: 20,
    historical_max: 24,
    maximum_user_count: 24,
    licensee,
    add_ons: {},
  });
  licenses.insert({
    id: 2,
    key: 'eyJkYXRhIjoic2Vjb25kIn0=',
    plan: 'ultimate',
    created_at: addDays(now, -91),
    starts_at: addDays(now, -90).slice(0, 10),
    expires_at: addDays(now, 275).slice(0, 10),
    user_limit: 100,
    historical_max: 28,
    maximum_user_count: 28,
    licensee,
    add_ons: { code_suggestions: 25 },
  });
  for (let back = 30; back >= 1; back--) {
    const date = `${addDays(now, -back).slice(0, 10)} 12:00:05`;
    world.table<Usage>('license_usage').insert({ date, count: 28 - Math.floor(back / 4) });
  }
};
