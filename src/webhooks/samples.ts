/** A sample payload of every kind of event. Kinds that nothing causes in the sandbox are built here only. */
import * as payloads from './payloads.ts';
import facts from './samples.json' with { type: 'json' };
import {
  type CommitFacts,
  commitView,
  labelViews,
  type ProjectSubject,
  projectUrl,
  projectView,
  repositoryView,
  userAndProject,
  userView,
} from './shapes.ts';

interface SampleSubject extends ProjectSubject {
  /** ISO 8601. */
  readonly time: string;
}

// The type of a JSON file has no constants, such as the visibility.
export const sampleSubject = facts.subject as SampleSubject;

type Sample = (subject: SampleSubject) => object;

const created = ({ time }: SampleSubject) => ({ created_at: time, updated_at: time });

const commitFacts = <T extends { id: string; title: string }>({ user, time }: SampleSubject, commit: T) => ({
  ...commit,
  message: `${commit.title}\n`,
  created_at: time,
  author_name: user.name,
  author_email: user.email ?? '',
});

/** The last commit of the push, without its changes. */
function lastCommit(subject: SampleSubject): CommitFacts {
  const { id = '', title = '' } = facts.commits.at(-1) ?? {};
  return commitFacts(subject, { id, title });
}

const pushFacts = (subject: SampleSubject): payloads.PushFacts => ({
  kind: 'push',
  ref: `refs/heads/${subject.project.default_branch}`,
  before: facts.before,
  after: lastCommit(subject).id,
  commits: facts.commits.map((commit) => commitFacts(subject, commit)),
});

const workItem =
  (confidential: boolean): Sample =>
  (subject) => {
    const ids = { group_id: subject.group.id, author_id: subject.user.id };
    const changes = { title: { previous: null, current: facts.epic.title } };
    const epic = { ...facts.epic, ...ids, confidential, ...created(subject) };
    return payloads.workItem(subject, epic, { action: 'open', changes });
  };

const pipelineFacts = (subject: SampleSubject, status: string): payloads.PipelineFacts => ({
  ...facts.pipeline,
  status,
  ref: subject.project.default_branch,
  sha: lastCommit(subject).id,
  before_sha: facts.before,
  created_at: subject.time,
  finished_at: subject.time,
  commit: lastCommit(subject),
});

const jobFacts = ({ time, user }: SampleSubject): payloads.JobFacts => ({
  ...facts.job,
  user,
  created_at: time,
  started_at: time,
  finished_at: time,
});

const mergeRequestView = (subject: SampleSubject) => ({
  ...facts.mergeRequest,
  author_id: subject.user.id,
  assignee_ids: [subject.user.id],
  target_branch: subject.project.default_branch,
  source_project_id: subject.project.id,
  target_project_id: subject.project.id,
  source: projectView(subject),
  target: projectView(subject),
  last_commit: commitView(subject, lastCommit(subject)),
  ...created(subject),
  url: `${projectUrl(subject)}/-/merge_requests/${facts.mergeRequest.iid}`,
});

const issueView = (subject: SampleSubject) => ({
  ...facts.issue,
  author_id: subject.user.id,
  project_id: subject.project.id,
  labels: labelViews(subject, facts.epic.labels),
  ...created(subject),
  url: `${projectUrl(subject)}/-/issues/${facts.issue.iid}`,
});

/** A comment on a merge request; a confidential one, on an issue. */
const note =
  (confidential: boolean): Sample =>
  (subject) => {
    const on = confidential ? issueView(subject) : mergeRequestView(subject);
    return {
      object_kind: 'note',
      event_type: confidential ? 'confidential_note' : 'note',
      ...userAndProject(subject),
      project_id: subject.project.id,
      repository: repositoryView(subject),
      object_attributes: {
        ...facts.note,
        noteable_type: confidential ? 'Issue' : 'MergeRequest',
        noteable_id: on.id,
        author_id: subject.user.id,
        project_id: subject.project.id,
        internal: confidential,
        ...created(subject),
        url: `${on.url}#note_${facts.note.id}`,
      },
      [confidential ? 'issue' : 'merge_request']: on,
    };
  };

/** By subscription flag, in the order of the specification. */
export const samples = {
  push_events: (subject) => payloads.push(subject, pushFacts(subject), true),
  tag_push_events: (subject) => {
    const tag = { kind: 'tag_push', ref: 'refs/tags/v1.0.0', before: payloads.zeroSha, commits: [] } as const;
    return payloads.push(subject, { ...pushFacts(subject), ...tag }, false);
  },
  merge_requests_events: (subject) => ({
    object_kind: 'merge_request',
    event_type: 'merge_request',
    ...userAndProject(subject),
    repository: repositoryView(subject),
    object_attributes: { ...mergeRequestView(subject), action: 'open' },
    labels: labelViews(subject, facts.epic.labels),
    changes: {},
    assignees: [userView(subject.user)],
    reviewers: [],
  }),
  repository_update_events: (subject) => payloads.repositoryUpdate(subject, pushFacts(subject)),
  issues_events: workItem(false),
  confidential_issues_events: workItem(true),
  note_events: note(false),
  confidential_note_events: note(true),
  pipeline_events: (subject) => {
    const test = jobFacts(subject);
    const build = { ...test, id: 2001, stage: 'build', name: 'compile' };
    return payloads.pipeline(subject, pipelineFacts(subject, 'success'), [build, test]);
  },
  wiki_page_events: (subject) =>
    payloads.wikiPage(subject, { ...facts.wikiPage, sha: lastCommit(subject).id }),
  job_events: (subject) => {
    const failed = { ...jobFacts(subject), status: 'failed', failure_reason: 'script_failure' };
    return payloads.job(subject, pipelineFacts(subject, 'failed'), failed, 0);
  },
  deployment_events: (subject) =>
    payloads.deployment(subject, pipelineFacts(subject, 'success'), {
      ...facts.deployment,
      status_changed_at: subject.time,
    }),
  feature_flag_events: (subject) => ({
    object_kind: 'feature_flag',
    ...userAndProject(subject),
    user_url: `${subject.instance}/${subject.user.username}`,
    object_attributes: facts.featureFlag,
  }),
  releases_events: (subject) => {
    const times = { created_at: subject.time, released_at: subject.time };
    return payloads.release(subject, { ...facts.release, ...times }, lastCommit(subject));
  },
  subgroup_events: (subject) => {
    const full_path = `${subject.group.full_path}/${facts.subgroup.path}`;
    return payloads.subgroup(subject.group, { ...facts.subgroup, full_path, created_at: subject.time });
  },
  emoji_events: (subject) => {
    const merge_request = mergeRequestView(subject);
    return {
      object_kind: 'emoji',
      event_type: 'award',
      ...userAndProject(subject),
      project_id: subject.project.id,
      object_attributes: {
        ...facts.emoji,
        user_id: subject.user.id,
        awardable_id: merge_request.id,
        awarded_on_url: merge_request.url,
        ...created(subject),
      },
      merge_request,
    };
  },
  resource_access_token_events: (subject) => ({
    object_kind: 'access_token',
    event_name: 'expiring_access_token',
    project: projectView(subject),
    object_attributes: {
      ...facts.accessToken,
      created_at: subject.time,
      expires_at: new Date(Date.parse(subject.time) + 7 * 24 * 3_600_000).toISOString().slice(0, 10),
    },
  }),
  member_events: (subject) => ({
    event_name: 'user_add_to_group',
    ...created(subject),
    group_name: subject.group.name,
    group_path: subject.group.path,
    group_id: subject.group.id,
    user_username: subject.user.username,
    user_name: subject.user.name,
    user_email: subject.user.email,
    user_id: subject.user.id,
    group_access: 'Developer',
    expires_at: null,
  }),
} satisfies Readonly<Record<string, Sample>>;

/** Return a sample payload. @param about the user, group and project that it is about */
export const samplePayload = (flag: keyof typeof samples, about: Partial<SampleSubject> = {}): object =>
  samples[flag]({ ...sampleSubject, ...about });
