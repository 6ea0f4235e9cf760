/** A commit as the API shows it (section 2.11). */
import type { CommitObject } from 'isomorphic-git';
import type { Project } from '../core/rows.ts';

/** The fields of section 2.11 but `web_url`, which only the project knows. */
export interface CommitInfo {
  readonly id: string;
  readonly short_id: string;
  readonly created_at: string;
  readonly parent_ids: readonly string[];
  readonly title: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly authored_date: string;
  readonly committer_name: string;
  readonly committer_email: string;
  readonly committed_date: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly extended_trailers: Readonly<Record<string, readonly string[]>>;
}

/** ISO 8601, in the zone that the commit was made in. */
function dateOf({ timestamp, timezoneOffset }: { timestamp: number; timezoneOffset: number }): string {
  const local = new Date((timestamp - timezoneOffset * 60) * 1000).toISOString().slice(0, -1);
  if (timezoneOffset === 0) return `${local}Z`;
  const minutes = Math.abs(timezoneOffset);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local}${timezoneOffset > 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

/** `Key: value` lines of the last paragraph, as `git interpret-trailers` reads them; the title is none. */
function trailersOf(message: string): Record<string, string[]> {
  const paragraphs = message.trim().split(/\n{2,}/);
  const lines = paragraphs.length > 1 ? (paragraphs.at(-1) as string).split('\n') : [];
  const found = lines.map((line) => /^([A-Za-z0-9][A-Za-z0-9-]*):\s+(.*)$/.exec(line));
  // A trailer may bear any name: `constructor` too.
  const trailers: Record<string, string[]> = Object.create(null);
  if (found.some((match) => match === null)) return trailers;
  for (const match of found) {
    const [, key, value] = match as unknown as [string, string, string];
    trailers[key] = [...(trailers[key] ?? []), value];
  }
  return trailers;
}

/** A commit as it is shown in a project. */
export function showCommit(project: Project, commit: CommitInfo) {
  return { ...commit, web_url: `/${project.path_with_namespace}/-/commit/${commit.id}` };
}

/** What a commit object says, in the API's words. */
export function toCommitInfo(sha: string, commit: CommitObject, message: string): CommitInfo {
  const { author, committer, parent } = commit;
  const trailers = trailersOf(message);
  return {
    id: sha,
    short_id: sha.slice(0, 8),
    created_at: dateOf(committer),
    parent_ids: parent,
    title: message.trimStart().split(/\r?\n/, 1)[0] as string,
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: dateOf(author),
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: dateOf(committer),
    trailers: Object.fromEntries(
      Object.entries(trailers).map(([key, values]) => [key, values.at(-1) as string]),
    ),
    extended_trailers: trailers,
  };
}
