/**
 * A sample payload of every kind of event (section 6.1). The specification has the payload of a push only; the others follow
 * similar services, as the deliveries of the sandbox do.
 */
import { type HookFlag, hookEvents } from './hook-events.ts';
import * as pipelines from './hook-payloads-ci.ts';
import * as work from './hook-payloads-work.ts';
import {
  commitView,
  groupView,
  type HookSubject,
  projectView,
  pushedCommits,
  repositoryView,
  sampleSubject,
  shas,
  userView,
} from './hook-subject.ts';

type Payload = Readonly<Record<string, unknown>>;
type Sample = (subject: HookSubject) => Payload;

const pusher = ({ user }: HookSubject) => ({
  user_id: user.id,
  user_name: user.name,
  user_username: user.username,
  user_email: user.email,
  user_avatar: null,
});

function pushed(kind: 'push' | 'tag_push', ref: string, subject: HookSubject): Payload {
  const isPush = kind === 'push';
  const commits = isPush ? pushedCommits(subject) : [];
  return {
    object_kind: kind,
    event_name: kind,
    before: isPush ? shas.before : shas.none,
    after: shas.after,
    ref,
    ref_protected: isPush,
    checkout_sha: shas.after,
    message: null,
    ...pusher(subject),
    project_id: subject.project.id,
    project: projectView(subject),
    commits,
    total_commits_count: commits.length,
    push_options: {},
    repository: repositoryView(subject),
  };
}

const mainRef = ({ project }: HookSubject) => `refs/heads/${project.default_branch}`;

const repositoryUpdate: Sample = (subject) => ({
  event_name: 'repository_update',
  ...pusher(subject),
  project_id: subject.project.id,
  project: projectView(subject),
  changes: [{ before: shas.before, after: shas.after, ref: mainRef(subject) }],
  refs: [mainRef(subject)],
});

const wikiPage: Sample = (subject) => {
  const { group, instance } = subject;
  const home = `${instance}/groups/${group.full_path}/-/wikis`;
  const git = `${group.full_path}.wiki`;
  return {
    object_kind: 'wiki_page',
    user: userView(subject),
    group: groupView(subject),
    wiki: {
      web_url: `${home}/home`,
      git_ssh_url: `git@${new URL(instance).hostname}:${git}.git`,
      git_http_url: `${instance}/${git}.git`,
      path_with_namespace: git,
      default_branch: 'main',
    },
    object_attributes: {
      slug: 'Fuel-tanks',
      title: 'Fuel tanks',
      format: 'markdown',
      content: 'Two tanks, both full.',
      message: 'Create Fuel tanks',
      version_id: shas.after,
      url: `${home}/Fuel-tanks`,
      diff_url: `${home}/Fuel-tanks/diff?version_id=${shas.after}`,
      action: 'create',
    },
  };
};

const release: Sample = (subject) => {
  const { time } = subject;
  return {
    object_kind: 'release',
    id: 61,
    name: 'Rocket 1.0',
    description: 'The first flight',
    tag: 'v1.0.0',
    created_at: time,
    released_at: time,
    action: 'create',
    project: projectView(subject),
    url: `${repositoryView(subject).homepage}/-/releases/v1.0.0`,
    assets: { count: 0, links: [], sources: [] },
    commit: commitView(subject),
  };
};

const subgroup: Sample = ({ group, time }) => ({
  event_name: 'subgroup_create',
  created_at: time,
  updated_at: time,
  name: 'Labs',
  path: 'labs',
  full_path: `${group.full_path}/labs`,
  group_id: 19,
  parent_group_id: group.id,
  parent_name: group.name,
  parent_path: group.path,
  parent_full_path: group.full_path,
});

const accessToken: Sample = (subject) => ({
  object_kind: 'access_token',
  event_name: 'expiring_access_token',
  project: projectView(subject),
  object_attributes: {
    id: 25,
    user_id: 90,
    name: 'deploy',
    created_at: subject.time,
    expires_at: new Date(Date.parse(subject.time) + 7 * 24 * 3_600_000).toISOString().slice(0, 10),
  },
});

const member: Sample = ({ group, user, time }) => ({
  event_name: 'user_add_to_group',
  created_at: time,
  updated_at: time,
  group_name: group.name,
  group_path: group.path,
  group_id: group.id,
  user_username: user.username,
  user_name: user.name,
  user_email: user.email,
  user_id: user.id,
  group_access: 'Developer',
  expires_at: null,
});

const samples: Readonly<Record<HookFlag, Sample>> = {
  push_events: (subject) => pushed('push', mainRef(subject), subject),
  tag_push_events: (subject) => pushed('tag_push', 'refs/tags/v1.0.0', subject),
  merge_requests_events: work.mergeRequest,
  repository_update_events: repositoryUpdate,
  issues_events: (subject) => work.workItem(subject, false),
  confidential_issues_events: (subject) => work.workItem(subject, true),
  note_events: (subject) => work.note(subject, false),
  confidential_note_events: (subject) => work.note(subject, true),
  pipeline_events: pipelines.pipeline,
  wiki_page_events: wikiPage,
  job_events: pipelines.job,
  deployment_events: pipelines.deployment,
  feature_flag_events: pipelines.featureFlag,
  releases_events: release,
  subgroup_events: subgroup,
  emoji_events: work.emoji,
  resource_access_token_events: accessToken,
  member_events: member,
};

/** Return a sample payload. @param about the user, group and project that it is about */
export function hookPayload(flag: HookFlag, about: Partial<HookSubject> = {}): Payload {
  return samples[flag]({ ...sampleSubject, ...about });
}

/** The names of the events: the subscription flags without `_events`. */
export const hookEventNames: readonly string[] = Object.keys(hookEvents).map((flag) =>
  flag.replace(/_events$/, ''),
);

/** Find the flag of an event by its name. `-` and `_` are equal. */
export function hookFlagOf(name: string): HookFlag | undefined {
  const wanted = name.replaceAll('-', '_').replace(/_events$/, '');
  return (Object.keys(hookEvents) as HookFlag[]).find((flag) => flag === `${wanted}_events`);
}
