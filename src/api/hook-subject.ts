/** What a sample of a webhook event is about, in the shapes that payloads show (section 6.1). */

export interface HookUser {
  readonly id: number;
  readonly name: string;
  readonly username: string;
  readonly email: string;
}

export interface HookGroup {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
}

export interface HookProject {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly path_with_namespace: string;
  readonly default_branch: string;
  /** 0 private, 10 internal, 20 public. */
  readonly visibility_level: number;
}

export interface HookSubject {
  /** Origin of the service. */
  readonly instance: string;
  /** ISO 8601. */
  readonly time: string;
  readonly user: HookUser;
  readonly group: HookGroup;
  readonly project: HookProject;
}

export const sampleSubject: HookSubject = {
  instance: 'https://host.example',
  time: '2026-03-13T11:20:00.000Z',
  user: { id: 4, name: 'Devon Developer', username: 'developer', email: 'devon@example.com' },
  group: { id: 10, name: 'Acme', path: 'acme', full_path: 'acme' },
  project: {
    id: 100,
    name: 'Rocket',
    description: 'Up and away',
    path_with_namespace: 'acme/rocket',
    default_branch: 'main',
    visibility_level: 0,
  },
};

export const userView = ({ user }: HookSubject) => ({
  id: user.id,
  name: user.name,
  username: user.username,
  avatar_url: null,
  email: user.email,
});

export const groupView = ({ group, instance }: HookSubject) => ({
  group_id: group.id,
  group_name: group.name,
  group_path: group.path,
  full_path: group.full_path,
  web_url: `${instance}/groups/${group.full_path}`,
});

export const repositoryView = ({ project, instance }: HookSubject) => {
  const page = `${instance}/${project.path_with_namespace}`;
  const ssh = `git@${new URL(instance).hostname}:${project.path_with_namespace}.git`;
  return {
    name: project.name,
    description: project.description,
    homepage: page,
    git_http_url: `${page}.git`,
    git_ssh_url: ssh,
    visibility_level: project.visibility_level,
    url: ssh,
  };
};

export const projectView = (subject: HookSubject) => {
  const { project, group } = subject;
  const { homepage, git_http_url, git_ssh_url, url } = repositoryView(subject);
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: homepage,
    avatar_url: null,
    git_ssh_url,
    git_http_url,
    namespace: group.name,
    visibility_level: project.visibility_level,
    path_with_namespace: project.path_with_namespace,
    default_branch: project.default_branch,
    ci_config_path: null,
    homepage,
    url,
    ssh_url: git_ssh_url,
    http_url: git_http_url,
  };
};

/** Commits of the samples. */
export const shas = {
  before: '95790bf891e76fee5e1747ab589903a6a1f80f22',
  first: 'b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327',
  second: 'c4c68e1a0a5b9d54ac3a1fdd0b4c5a6b7ad0f1e2',
  after: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
  none: '0'.repeat(40),
} as const;

const author = ({ user }: HookSubject) => ({ name: user.name, email: user.email });

/** A commit as releases, comments and deployments show it. */
export const commitView = (subject: HookSubject) => ({
  id: shas.after,
  message: 'Add the landing legs\n',
  title: 'Add the landing legs',
  timestamp: subject.time,
  url: `${repositoryView(subject).homepage}/-/commit/${shas.after}`,
  author: author(subject),
});

/** The commits of a push, oldest first. */
export function pushedCommits(subject: HookSubject): readonly object[] {
  const { homepage } = repositoryView(subject);
  const commit = (id: string, title: string, changes: object) => ({
    id,
    message: `${title}\n`,
    title,
    timestamp: subject.time,
    url: `${homepage}/-/commit/${id}`,
    author: author(subject),
    added: [],
    modified: [],
    removed: [],
    ...changes,
  });
  return [
    commit(shas.first, 'Measure the fuel', { added: ['lib/fuel.py'] }),
    commit(shas.second, 'Explain the countdown', { modified: ['README.md'] }),
    commit(shas.after, 'Add the landing legs', { modified: ['main.py'], removed: ['lib/wheels.py'] }),
  ];
}
