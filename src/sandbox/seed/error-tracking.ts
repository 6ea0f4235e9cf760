import type { ClientKey } from '../behaviours/client-keys.ts';
import type { ErrorTracking } from '../behaviours/error-tracking.ts';
import type { Seeder } from './index.ts';

/** The rocket's errors are tracked, with two keys; no other project's are. */
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
};
