/** Sample payloads of merge requests, work items, comments and reactions (section 6.1). */
import {
  commitView,
  groupView,
  type HookSubject,
  projectView,
  repositoryView,
  userView,
} from './hook-subject.ts';

const label = ({ group }: HookSubject) => ({ title: 'planning', group_id: group.id, type: 'GroupLabel' });

function mergeRequestView(subject: HookSubject) {
  const { project, user, time } = subject;
  return {
    id: 99,
    iid: 1,
    title: 'Add the landing legs',
    description: 'They unfold.',
    state: 'opened',
    author_id: user.id,
    assignee_ids: [user.id],
    source_branch: 'legs',
    target_branch: project.default_branch,
    source_project_id: project.id,
    target_project_id: project.id,
    source: projectView(subject),
    target: projectView(subject),
    last_commit: commitView(subject),
    merge_status: 'unchecked',
    detailed_merge_status: 'mergeable',
    draft: false,
    created_at: time,
    updated_at: time,
    url: `${repositoryView(subject).homepage}/-/merge_requests/1`,
  };
}

export const mergeRequest = (subject: HookSubject) => ({
  object_kind: 'merge_request',
  event_type: 'merge_request',
  user: userView(subject),
  project: projectView(subject),
  repository: repositoryView(subject),
  object_attributes: { ...mergeRequestView(subject), action: 'open' },
  labels: [label(subject)],
  changes: {},
  assignees: [userView(subject)],
  reviewers: [],
});

/** An epic: all work items are issues events. */
export function workItem(subject: HookSubject, confidential: boolean) {
  const { group, user, time, instance } = subject;
  return {
    object_kind: 'work_item',
    event_type: confidential ? 'confidential_work_item' : 'work_item',
    user: userView(subject),
    group: groupView(subject),
    object_attributes: {
      title: 'Land softly',
      description: 'Without a bump',
      state: 'opened',
      confidential,
      labels: ['planning'],
      parent_id: null,
      color: '#1068bf',
      start_date_fixed: null,
      due_date_fixed: null,
      closed_at: null,
      updated_at: time,
      id: 81,
      iid: 7,
      group_id: group.id,
      author_id: user.id,
      created_at: time,
      type: 'Epic',
      url: `${instance}/groups/${group.full_path}/-/epics/7`,
      action: 'open',
    },
    labels: [label(subject)],
    changes: { title: { previous: null, current: 'Land softly' } },
  };
}

function noteView(subject: HookSubject, on: object) {
  return {
    id: 1241,
    note: 'Are the legs long enough?',
    noteable_type: 'MergeRequest',
    noteable_id: 99,
    author_id: subject.user.id,
    project_id: subject.project.id,
    internal: false,
    system: false,
    created_at: subject.time,
    updated_at: subject.time,
    url: `${repositoryView(subject).homepage}/-/merge_requests/1#note_1241`,
    ...on,
  };
}

function issueView(subject: HookSubject) {
  return {
    id: 92,
    iid: 17,
    title: 'The legs do not unfold',
    state: 'opened',
    confidential: true,
    author_id: subject.user.id,
    project_id: subject.project.id,
    labels: [label(subject)],
    created_at: subject.time,
    updated_at: subject.time,
    url: `${repositoryView(subject).homepage}/-/issues/17`,
  };
}

export function note(subject: HookSubject, confidential: boolean) {
  const issue = issueView(subject);
  const common = {
    object_kind: 'note',
    event_type: confidential ? 'confidential_note' : 'note',
    user: userView(subject),
    project_id: subject.project.id,
    project: projectView(subject),
    repository: repositoryView(subject),
  };
  return confidential
    ? {
        ...common,
        object_attributes: noteView(subject, {
          noteable_type: 'Issue',
          noteable_id: issue.id,
          internal: true,
          url: `${issue.url}#note_1241`,
          action: 'create',
        }),
        issue,
      }
    : {
        ...common,
        object_attributes: noteView(subject, { action: 'create' }),
        merge_request: mergeRequestView(subject),
      };
}

export const emoji = (subject: HookSubject) => ({
  object_kind: 'emoji',
  event_type: 'award',
  user: userView(subject),
  project_id: subject.project.id,
  project: projectView(subject),
  object_attributes: {
    id: 5,
    name: 'thumbsup',
    action: 'award',
    user_id: subject.user.id,
    awardable_type: 'MergeRequest',
    awardable_id: 99,
    awarded_on_url: mergeRequestView(subject).url,
    created_at: subject.time,
    updated_at: subject.time,
  },
  merge_request: mergeRequestView(subject),
});
