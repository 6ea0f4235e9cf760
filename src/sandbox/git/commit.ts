/** A commit as the API shows it (section 2.11). */
import type { CommitObject } from 'isomorphic-git';
import type { Project } from '../core/rows.ts';
import { iso } from '../core/time.ts';

/** All commits of the sandbox have times in UTC. */
const dateOf = ({ timestamp }: { timestamp: number }): string => iso(timestamp * 1000);

/** Parse the `Key: value` lines of the last paragraph like `git interpret-trailers`; the title is not a trailer. */
function trailersOf(message: string): Record<string, string[]> {
  const paragraphs = message.trim().split(/\n{2,}/);
  const last = paragraphs.slice(1).at(-1);
  // Without a prototype, because a trailer can have any name, such as `constructor`.
  const none: Record<string, string[]> = Object.create(null);
  const trailers: Record<string, string[]> = Object.create(null);
  for (const line of last?.split('\n') ?? []) {
    const [, key, value] = /^([A-Za-z0-9][A-Za-z0-9-]*):\s+(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) return none;
    trailers[key] = [...(trailers[key] ?? []), value];
  }
  return trailers;
}

export function showCommit(project: Project, commit: CommitInfo) {
  return { ...commit, web_url: `/${project.path_with_namespace}/-/commit/${commit.id}` };
}

/** Return the fields of section 2.11, except `web_url`, which depends on the project. */
export function toCommitInfo(sha: string, commit: CommitObject, message: string) {
  const { author, committer, parent } = commit;
  const trailers = trailersOf(message);
  return {
    id: sha,
    short_id: sha.slice(0, 8),
    created_at: dateOf(committer),
    parent_ids: parent,
    title: message.trimStart().split(/\r?\n/, 1)[0] ?? '',
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: dateOf(author),
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: dateOf(committer),
    trailers: Object.fromEntries(Object.entries(trailers).map(([key, values]) => [key, values.at(-1) ?? ''])),
    extended_trailers: trailers,
  };
}

export type CommitInfo = ReturnType<typeof toCommitInfo>;
