/** Payloads of push events (section 6.1). */
import type { EventCommit, PushEvent, World } from '../../core/behavior.ts';
import type { Group, Project, User } from '../../core/rows.ts';
import { avatarOf } from '../../core/summary.ts';

const levels = { private: 0, internal: 10, public: 20 } as const;
const nullSha = /^0{40}$/;

/** Commits in one payload. */
const maxCommits = 20;

function repositoryOf(project: Project, origin: string) {
  const page = `${origin}/${project.path_with_namespace}`;
  return {
    name: project.name,
    description: project.description,
    homepage: page,
    git_http_url: `${page}.git`,
    git_ssh_url: `git@${new URL(origin).hostname}:${project.path_with_namespace}.git`,
    visibility_level: levels[project.visibility],
  };
}

/** Return a project as payloads show it. */
export function projectView(world: World, project: Project) {
  const facts = repositoryOf(project, world.origin);
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: facts.homepage,
    avatar_url: null,
    git_ssh_url: facts.git_ssh_url,
    git_http_url: facts.git_http_url,
    namespace: world.table<Group>('groups').get(project.group_id)?.name ?? '',
    visibility_level: facts.visibility_level,
    path_with_namespace: project.path_with_namespace,
    default_branch: project.default_branch,
    ci_config_path: null,
    homepage: facts.homepage,
    url: facts.git_ssh_url,
    ssh_url: facts.git_ssh_url,
    http_url: facts.git_http_url,
  };
}

/** Return the repository of a project as payloads show it. */
export function repositoryView(world: World, project: Project) {
  const facts = repositoryOf(project, world.origin);
  return { ...facts, url: facts.git_ssh_url };
}

const commitView = (commit: EventCommit, page: string) => ({
  ...commit,
  url: `${page}/-/commit/${commit.id}`,
});

function userView(world: World, { user_id }: PushEvent) {
  const user = world.table<User>('users').get(user_id);
  return {
    user_id,
    user_name: user?.name ?? '',
    user_username: user?.username ?? '',
    user_email: user?.['public_email'] || null,
    user_avatar: avatarOf(user, world.origin),
  };
}

/** Return the payload of a repository update: the refs that a push changed, without commits. */
export function updatePayload(world: World, event: PushEvent, project: Project): object {
  const { before, after, ref } = event;
  return {
    event_name: 'repository_update',
    ...userView(world, event),
    project_id: project.id,
    project: projectView(world, project),
    changes: [{ before, after, ref }],
    refs: [ref],
  };
}

/**
 * Return the payload of a push or tag push.
 * @param isProtected whether the branch is protected
 */
export function pushPayload(world: World, event: PushEvent, project: Project, isProtected: boolean): object {
  const repository = repositoryOf(project, world.origin);
  return {
    object_kind: event.kind,
    event_name: event.kind,
    before: event.before,
    after: event.after,
    ref: event.ref,
    ref_protected: isProtected,
    checkout_sha: nullSha.test(event.after) ? null : event.after,
    message: null,
    ...userView(world, event),
    project_id: project.id,
    project: projectView(world, project),
    commits: event.commits.slice(-maxCommits).map((commit) => commitView(commit, repository.homepage)),
    total_commits_count: event.commits.length,
    push_options: {},
    repository: repositoryView(world, project),
  };
}
