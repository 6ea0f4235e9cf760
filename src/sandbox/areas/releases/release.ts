/** Rows of releases (section 2.15). */
import type { Row } from '../../core/rows.ts';

export interface Release extends Row {
  project_id: number;
  author_id: number;
  tag_name: string;
  name: string;
  description: string;
  created_at: string;
  released_at: string;
}
