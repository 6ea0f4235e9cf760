/** Error tracking settings of a project (section 2.18). */

import type { Row } from '../../core/rows.ts';
import type { World } from '../../core/world.ts';

export interface ErrorTracking extends Row {
  project_id: number;
  active?: boolean;
  /** Whether errors are sent to this instance rather than to another service. */
  integrated?: boolean;
  project_name?: string | null;
  tracker_external_url?: string | null;
  api_url?: string | null;
}

export const settingsOf = (world: World, projectId: number): ErrorTracking | undefined =>
  world.table<ErrorTracking>('error_tracking').find((row) => row.project_id === projectId);
