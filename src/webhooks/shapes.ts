/** The subject of an event, and its shapes in all payloads (section 6.1). */

export interface UserFacts {
  readonly id: number;
  readonly name: string;
  readonly username: string;
  /** Null if it is not public. */
  readonly email: string | null;
  readonly avatar_url: string | null;
}

export interface GroupFacts {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
}

interface ProjectFacts {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly path_with_namespace: string;
  readonly default_branch: string;
  readonly visibility: keyof typeof visibilityLevels;
}

/** A commit as its call returns it. */
export interface CommitFacts {
  readonly id: string;
  readonly message: string;
  readonly title: string;
  readonly created_at: string;
  readonly author_name: string;
  readonly author_email: string;
}

export interface PushedCommit extends CommitFacts {
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

export interface GroupSubject {
  /** Origin of the service. */
  readonly instance: string;
  /** The user who caused the event. */
  readonly user: UserFacts;
  readonly group: GroupFacts;
}

/** An event of a project. The group contains the project. */
export interface ProjectSubject extends GroupSubject {
  readonly project: ProjectFacts;
}

const visibilityLevels = { private: 0, internal: 10, public: 20 } as const;

export const pick = (from: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(from, name)]));

export const userView = (user: UserFacts) => ({
  ...pick(user, ['id', 'name', 'username', 'avatar_url']),
  email: user.email ?? '[REDACTED]',
});

export const groupUrl = ({ instance, group }: GroupSubject): string =>
  `${instance}/groups/${group.full_path}`;
export const projectUrl = ({ instance, project }: ProjectSubject): string =>
  `${instance}/${project.path_with_namespace}`;

export const groupView = (subject: GroupSubject) => ({
  group_id: subject.group.id,
  group_name: subject.group.name,
  group_path: subject.group.path,
  full_path: subject.group.full_path,
  web_url: groupUrl(subject),
});

export const labelViews = ({ group }: GroupSubject, titles: readonly string[]) =>
  titles.map((title) => ({ title, group_id: group.id, type: 'GroupLabel' }));

/** @param path the path of a repository */
export const gitUrls = ({ instance }: GroupSubject, path: string) => ({
  git_ssh_url: `git@${new URL(instance).hostname}:${path}.git`,
  git_http_url: `${instance}/${path}.git`,
});

export function projectView(subject: ProjectSubject) {
  const { project, group } = subject;
  const urls = gitUrls(subject, project.path_with_namespace);
  return {
    ...pick(project, ['id', 'name', 'description']),
    web_url: projectUrl(subject),
    avatar_url: null,
    ...urls,
    namespace: group.name,
    visibility_level: visibilityLevels[project.visibility],
    ...pick(project, ['path_with_namespace', 'default_branch']),
    ci_config_path: null,
    homepage: projectUrl(subject),
    url: urls.git_ssh_url,
    ssh_url: urls.git_ssh_url,
    http_url: urls.git_http_url,
  };
}

export const pusherView = (subject: ProjectSubject) => ({
  user_id: subject.user.id,
  user_name: subject.user.name,
  user_username: subject.user.username,
  user_email: subject.user.email,
  user_avatar: subject.user.avatar_url,
  project_id: subject.project.id,
  project: projectView(subject),
});

export const userAndProject = (subject: ProjectSubject) => ({
  user: userView(subject.user),
  project: projectView(subject),
});

export const repositoryView = (subject: ProjectSubject) =>
  pick(projectView(subject), [
    'name',
    'description',
    'homepage',
    'git_http_url',
    'git_ssh_url',
    'visibility_level',
    'url',
  ]);

export const commitView = (subject: ProjectSubject, commit: CommitFacts) => ({
  ...{ id: commit.id, message: commit.message, title: commit.title },
  timestamp: commit.created_at,
  url: `${projectUrl(subject)}/-/commit/${commit.id}`,
  author: { name: commit.author_name, email: commit.author_email },
});
