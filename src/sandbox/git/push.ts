/** What happened to a branch, as the event that hooks hear of (section 6.1). */
import type { EventCommit, PushEvent } from '../core/behavior.ts';
import type { CommitInfo } from './commit.ts';
import type { Repository } from './repository.ts';

const none = '0'.repeat(40);

/**
 * @param push the branch, and the commit that it named before and after; nothing where it did not exist. The commits of a new branch
 *   are those that the default branch has not.
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
  const commits: EventCommit[] = [];
  for (const commit of pushed) commits.push(await told(repository, commit));
  return {
    kind: 'push',
    project_id: push.projectId,
    user_id: push.userId,
    ref: `refs/heads/${push.branch}`,
    before: before ?? none,
    after: after ?? none,
    commits,
  };
}

async function told(repository: Repository, commit: CommitInfo): Promise<EventCommit> {
  return {
    id: commit.id,
    message: commit.message,
    title: commit.title,
    timestamp: commit.committed_date,
    author: { name: commit.author_name, email: commit.author_email },
    ...(await repository.changedPaths(commit.id)),
  };
}
