/**
 * The payload of each kind of event that a change causes, from the facts of the change (section 6.1). Facts have the names of the
 * attributes that show them. The specification has the payload of a push only; the others follow similar services.
 */
import {
  type CommitFacts,
  commitView,
  type GroupFacts,
  type GroupSubject,
  gitUrls,
  groupUrl,
  groupView,
  labelViews,
  type ProjectSubject,
  type PushedCommit,
  pick,
  projectUrl,
  projectView,
  pusherView,
  repositoryView,
  type UserFacts,
  userAndProject,
  userView,
} from './shapes.ts';

/** Other attributes that a payload shows unchanged. */
interface Attributes {
  readonly [attribute: string]: unknown;
}

export interface PushFacts {
  readonly kind: 'push' | 'tag_push';
  /** `refs/heads/main` */
  readonly ref: string;
  /** SHA; forty zeros if the ref was created. */
  readonly before: string;
  /** SHA; forty zeros if the ref was deleted. */
  readonly after: string;
  /** Oldest first. */
  readonly commits: readonly PushedCommit[];
}

/** Replaces the missing commit of a created or deleted ref. */
export const zeroSha = '0'.repeat(40);

/** Commits in one payload. */
const maxCommits = 20;

export const push = (subject: ProjectSubject, facts: PushFacts, isProtected: boolean) => ({
  object_kind: facts.kind,
  event_name: facts.kind,
  ...pick(facts, ['before', 'after', 'ref']),
  ref_protected: isProtected,
  checkout_sha: facts.after === zeroSha ? null : facts.after,
  message: null,
  ...pusherView(subject),
  commits: facts.commits
    .slice(-maxCommits)
    .map((commit) => ({ ...commitView(subject, commit), ...pick(commit, ['added', 'modified', 'removed']) })),
  total_commits_count: facts.commits.length,
  push_options: {},
  repository: repositoryView(subject),
});

/** The ref that a push changed, without its commits. */
export const repositoryUpdate = (subject: ProjectSubject, facts: PushFacts) => ({
  event_name: 'repository_update',
  ...pusherView(subject),
  changes: [pick(facts, ['before', 'after', 'ref'])],
  refs: [facts.ref],
});

type WikiPageFacts = Attributes & Readonly<Record<'slug' | 'title' | 'action', string>>;

/** @param sha the id of the version */
export function wikiPage(subject: GroupSubject, { sha, ...page }: WikiPageFacts & { readonly sha: string }) {
  const path = `${subject.group.full_path}.wiki`;
  const home = `${groupUrl(subject)}/-/wikis`;
  const url = `${home}/${encodeURIComponent(page.slug).replaceAll('%2F', '/')}`;
  return {
    object_kind: 'wiki_page',
    user: userView(subject.user),
    group: groupView(subject),
    wiki: {
      web_url: `${home}/home`,
      ...gitUrls(subject, path),
      path_with_namespace: path,
      default_branch: 'main',
    },
    object_attributes: {
      ...page,
      message: `${page.action.replace(/^./, (letter) => letter.toUpperCase())} ${page.title}`,
      version_id: sha,
      url,
      diff_url: `${url}/diff?version_id=${sha}`,
    },
  };
}

interface EpicFacts {
  readonly iid: number;
  readonly state: string;
  readonly confidential: boolean;
  readonly labels: readonly string[];
}

/** Attributes of an epic whose changes are reported. */
const reported = [
  ...['title', 'description', 'state', 'confidential', 'labels', 'parent_id', 'color'],
  ...['start_date_fixed', 'due_date_fixed', 'closed_at', 'updated_at'],
];

/** Compare two versions of an epic. @param before undefined for a new epic */
export function epicChange(before: EpicFacts | undefined, after: EpicFacts) {
  const [old, current]: Record<string, unknown>[] = [{ ...before }, { ...after }];
  const changes = reported
    .map((name) => [name, { previous: old?.[name] ?? null, current: current?.[name] }] as const)
    .filter(([, change]) => JSON.stringify(change.previous) !== JSON.stringify(change.current));
  const moved = after.state === 'closed' ? 'close' : 'reopen';
  const action = before === undefined ? 'open' : before.state === after.state ? 'update' : moved;
  return { action, changes: Object.fromEntries(changes) };
}

/** An epic: all work items are issues events. */
export const workItem = (
  subject: GroupSubject,
  epic: EpicFacts,
  { action, changes }: { readonly action: string; readonly changes: object },
) => ({
  object_kind: 'work_item',
  event_type: epic.confidential ? 'confidential_work_item' : 'work_item',
  user: userView(subject.user),
  group: groupView(subject),
  object_attributes: {
    ...pick(epic, [...reported, 'id', 'iid', 'group_id', 'author_id', 'created_at']),
    type: 'Epic',
    url: `${groupUrl(subject)}/-/epics/${epic.iid}`,
    action,
  },
  labels: labelViews(subject, epic.labels),
  changes,
});

export const subgroup = (parent: GroupFacts, group: GroupFacts & { readonly created_at: string }) => ({
  event_name: 'subgroup_create',
  created_at: group.created_at,
  updated_at: group.created_at,
  ...pick(group, ['name', 'path', 'full_path']),
  group_id: group.id,
  parent_group_id: parent.id,
  parent_name: parent.name,
  parent_path: parent.path,
  parent_full_path: parent.full_path,
});

/** @param commit the commit of the tag; undefined if the tag no longer exists */
export const release = (
  subject: ProjectSubject,
  facts: Attributes & { readonly tag: string },
  commit: CommitFacts | undefined,
) => ({
  object_kind: 'release',
  ...facts,
  project: projectView(subject),
  url: `${projectUrl(subject)}/-/releases/${encodeURIComponent(facts.tag)}`,
  assets: { count: 0, links: [], sources: [] },
  commit: commit && commitView(subject, commit),
});

export interface PipelineFacts extends Attributes {
  readonly id: number;
  readonly status: string;
  readonly created_at: string;
  readonly commit: CommitFacts;
}

/** A job as its call returns it, and the user who started it. */
export interface JobFacts extends Attributes {
  readonly status: string;
  readonly user: UserFacts;
  readonly runner?: object | null;
}

const jobAttributes = [
  ...['id', 'stage', 'name', 'status', 'created_at', 'started_at', 'finished_at'],
  ...['duration', 'queued_duration', 'failure_reason', 'allow_failure'],
];

const runnerView = ({ runner, tag_list: tags }: JobFacts) =>
  runner && { ...pick(runner, ['id', 'description', 'active', 'is_shared', 'runner_type']), tags };

const buildView = (facts: JobFacts) => ({
  ...pick(facts, jobAttributes),
  when: facts.status === 'manual' ? 'manual' : 'on_success',
  manual: facts.status === 'manual',
  user: userView(facts.user),
  runner: runnerView(facts),
  artifacts_file: facts['artifacts_file'] ?? { filename: null, size: null },
  environment: null,
});

/** A pipeline whose status changed. @param jobs the latest run of each job */
export function pipeline(subject: ProjectSubject, facts: PipelineFacts, jobs: readonly JobFacts[]) {
  const { commit, ...attributes } = facts;
  return {
    object_kind: 'pipeline',
    object_attributes: {
      ...attributes,
      name: null,
      detailed_status: facts.status === 'success' ? 'passed' : facts.status,
      stages: [...new Set(jobs.map((one) => one['stage']))],
      variables: [],
      url: `${projectUrl(subject)}/-/pipelines/${facts.id}`,
    },
    merge_request: null,
    ...userAndProject(subject),
    commit: commitView(subject, commit),
    builds: jobs.map(buildView),
  };
}

/** A job whose status changed. @param retries the number of earlier runs */
export function job(subject: ProjectSubject, of: PipelineFacts, facts: JobFacts, retries: number) {
  const attributes = jobAttributes.map((name) => [`build_${name}`, facts[name]] as const);
  return {
    object_kind: 'build',
    ...pick(of, ['ref', 'tag', 'before_sha', 'sha']),
    ...Object.fromEntries(attributes),
    retries_count: retries,
    pipeline_id: of.id,
    project_id: subject.project.id,
    project_name: subject.project.path_with_namespace.replaceAll('/', ' / '),
    user: userView(facts.user),
    commit: {
      ...pick(of, ['id', 'sha', 'status', 'duration', 'finished_at']),
      name: null,
      ...pick(of.commit, ['message', 'author_name', 'author_email']),
      started_at: of.created_at,
    },
    repository: repositoryView(subject),
    project: projectView(subject),
    runner: runnerView(facts),
    environment: null,
  };
}

/** @param facts `deployable_id` is the id of the job that deploys */
export function deployment(
  subject: ProjectSubject,
  { ref, commit }: PipelineFacts,
  facts: Attributes & { readonly deployable_id: number; readonly environment: string },
) {
  const { id, url, title } = commitView(subject, commit);
  return {
    object_kind: 'deployment',
    ...facts,
    deployable_url: `${projectUrl(subject)}/-/jobs/${facts.deployable_id}`,
    environment_tier: facts.environment,
    environment_slug: facts.environment,
    ...userAndProject(subject),
    ref,
    short_sha: id.slice(0, 8),
    user_url: `${subject.instance}/${subject.user.username}`,
    commit_url: url,
    commit_title: title,
  };
}
