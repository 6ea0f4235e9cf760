/** Rows of releases (section 2.15), and their events. */
import { release as releasePayload } from '../../../webhooks/payloads.ts';
import type { Row } from '../../core/rows.ts';
import type { ProjectEvent } from '../../core/world.ts';
import type { CommitInfo } from '../../git/commit.ts';

export interface Release extends Row {
  project_id: number;
  author_id: number;
  tag_name: string;
  name: string;
  description: string;
  created_at: string;
  released_at: string;
}

/**
 * Return the event of a change.
 * @param commit the commit of the tag; undefined if the tag no longer exists
 */
export function releaseEvent(
  user_id: number,
  { id, project_id, name, description, tag_name: tag, created_at, released_at }: Release,
  commit: CommitInfo | undefined,
  action: 'create' | 'update' | 'delete',
): ProjectEvent {
  const facts = { id, name, description, tag, created_at, released_at, action };
  return {
    kind: 'releases_events',
    ...{ project_id, user_id },
    payload: (subject) => releasePayload(subject, facts, commit),
  };
}
