import type { EventCommit, PushEvent } from '../core/behavior.ts';
import type { CommitInfo } from './commit.ts';
import type { Repository } from './repository.ts';

/** Replaces the missing commit of a created or deleted branch. */
const zeroSha = '0'.repeat(40);

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
  const commits: EventCommit[] = [];
  for (const commit of pushed) commits.push(await toEventCommit(repository, commit));
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

async function toEventCommit(repository: Repository, commit: CommitInfo): Promise<EventCommit> {
  return {
    id: commit.id,
    message: commit.message,
    title: commit.title,
    timestamp: commit.committed_date,
    author: { name: commit.author_name, email: commit.author_email },
    ...(await repository.changedPaths(commit.id)),
  };
}
