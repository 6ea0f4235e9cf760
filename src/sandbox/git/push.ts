import { zeroSha } from '../../webhooks/payloads.ts';
import type { PushedCommit } from '../../webhooks/shapes.ts';
import type { PushEvent } from '../core/world.ts';
import type { Repository } from './repository.ts';

/**
 * Return the event of a change to a branch (section 6.1). The commits of a new branch are those that the default branch does not have.
 * @param push the branch, and its commit before and after; undefined if it did not exist
 */
export async function pushEvent(
  repository: Repository,
  push: {
    readonly projectId: number;
    readonly userId: number;
    readonly branch: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  },
): Promise<PushEvent> {
  const { before, after } = push;
  const since = before ?? (await repository.defaultBranch());
  const pushed = after === undefined ? [] : await repository.between(since, after);
  const commits: PushedCommit[] = [];
  for (const commit of pushed) commits.push({ ...commit, ...(await repository.changedPaths(commit.id)) });
  return {
    kind: 'push',
    project_id: push.projectId,
    user_id: push.userId,
    ref: `refs/heads/${push.branch}`,
    before: before ?? zeroSha,
    after: after ?? zeroSha,
    commits,
  };
}
