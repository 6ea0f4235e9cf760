/** Error tracking settings of a project (section 2.18). */
import type { World } from '../../core/behavior.ts';
import type { Row } from '../../core/rows.ts';

export interface ErrorTracking extends Row {
  project_id: number;
  active: boolean;
  /** Whether errors are sent to this instance rather than to another service. */
  integrated: boolean;
  project_name: string | null;
  tracker_external_url: string | null;
  api_url: string | null;
}

export const settingsOf = (world: World, projectId: number): ErrorTracking | undefined =>
  world.table<ErrorTracking>('error_tracking').find((row) => row.project_id === projectId);

/** Settings of a project that has none: error tracking is off. */
export const noSettings = {
  active: false,
  integrated: false,
  project_name: null,
  tracker_external_url: null,
  api_url: null,
} as const;
