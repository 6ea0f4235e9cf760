/** Rows of releases (section 2.15), and their events. */
import type { GroupEvent } from '../../core/behavior.ts';
import type { Project, Row } from '../../core/rows.ts';
import type { CommitInfo } from '../../git/commit.ts';
import { projectView } from '../hooks/payload.ts';

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
 * Return the event of a change. The specification has no payload; this follows similar services (section 6.1).
 * @param commit the commit of the tag; undefined if the tag no longer exists
 */
export function releaseEvent(
  project: Project,
  { id, tag_name, name, description, created_at, released_at }: Release,
  commit: CommitInfo | undefined,
  action: 'create' | 'update' | 'delete',
): GroupEvent {
  return {
    kind: 'releases_events',
    group_id: project.group_id,
    payload: (world) => {
      const page = `${world.origin}/${project.path_with_namespace}/-`;
      return {
        object_kind: 'release',
        ...{ id, name, description, tag: tag_name, created_at, released_at, action },
        project: projectView(world, project),
        url: `${page}/releases/${encodeURIComponent(tag_name)}`,
        assets: { count: 0, links: [], sources: [] },
        commit: commit && {
          id: commit.id,
          message: commit.message,
          title: commit.title,
          timestamp: commit.committed_date,
          url: `${page}/commit/${commit.id}`,
          author: { name: commit.author_name, email: commit.author_email },
        },
      };
    },
  };
}
