import type { Seeder } from '../../seed/seeder.ts';
import type { ClientKey } from '../client-keys/handlers.ts';
import type { ErrorTracking } from './settings.ts';
import type { TrackedError } from './tracked-errors.ts';

/** Error tracking of acme/rocket, with two client keys and one error. */
export const errorTracking: Seeder = (world) => {
  world.table<ErrorTracking>('error_tracking').insert({
    project_id: 100,
    active: true,
    integrated: true,
    project_name: null,
    tracker_external_url: null,
    api_url: null,
  });
  const keys = world.table<ClientKey>('client_keys');
  keys.insert({ id: 501, project_id: 100, active: true, public_key: '5'.repeat(31).concat('1') });
  keys.insert({ id: 502, project_id: 100, active: true, public_key: '5'.repeat(31).concat('2') });
  const seen = (hours: number): string => new Date(world.now() - hours * 3_600_000).toISOString();
  world.table<TrackedError>('errors').insert({
    id: 511,
    project_id: 100,
    fingerprint: '7'.repeat(32),
    name: 'TypeError',
    description: 'the tank is empty',
    actor: 'ignite',
    platform: 'node',
    level: 'error',
    environment: 'production',
    first_seen_at: seen(30),
    last_seen_at: seen(2),
    events_count: 3,
    users: ['6'.repeat(32), '8'.repeat(32)],
    hourly: { [seen(30).slice(0, 13)]: 1, [seen(2).slice(0, 13)]: 2 },
    stack_trace: [
      { filename: 'src/main.js', function: 'launch', lineno: 12 },
      { filename: 'src/engine.js', function: 'ignite', lineno: 48 },
    ],
  });
};
