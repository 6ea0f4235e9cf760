/** The seeded history of repositories, with fixed SHAs. */
import type { Project } from '../core/rows.ts';
import { noseModel, pointerTo } from './large.ts';
import type { Repository } from './repository.ts';
import * as files from './rocket.ts';
import { packageLock } from './rocket-lock.ts';
import { commitStep, type Edits, type Step } from './step.ts';

/** SHAs of acme/rocket, for seeds and tests that refer to them. */
export const seededShas = {
  main: '72bc266cf55d6da7800df6e91b5af3791a328886',
  'main~3': '6681fc751290f78433858b5e3267e7753e481d0a',
  develop: 'fcf8f31965dd54018659d77f2b5f08be5b626584',
  'feature/login': 'fd2faf52acc900ff64f8cc9982b230cedc70c773',
  'feature/search': 'ef49cd81c73ea72a3b891d757a7a34e3dddbd441',
  'hotfix/typo': '1e7f51c6a377a1c3870f48b9282ee2e93428da9f',
  'release/1.x': '9759019bc3ec587deb4910b20481461da1197bc5',
  'v1.0.0': '9dd645da534eea5170316b8a93f33ecab91d758e',
  'v1.1.0': '1828fbca0f73165900d6961a7669b7665488e8f2',
} as const;

/** Edit the files that contain the version. */
function version(from: string, to: string): Readonly<Record<string, Edits>> {
  const edit = (after: string): Edits[number] => [
    `"version": "${from}"${after}`,
    `"version": "${to}"${after}`,
  ];
  return {
    'package.json': [edit('')],
    'package-lock.json': [edit(',\n  "lockfileVersion"'), edit(',\n      "dependencies"')],
  };
}

const typo: Edits = [['heigher', 'higher']];

const rocket: readonly Step[] = [
  {
    on: 'main',
    by: 'olivia',
    at: '2026-01-05T09:12:00Z',
    message: 'Start the project',
    files: { 'README.md': files.readme, 'package.json': files.packageJson, 'package-lock.json': packageLock },
  },
  {
    on: 'main',
    by: 'mia',
    at: '2026-01-07T14:40:00Z',
    message: 'Simulate one engine',
    files: { 'src/main.ts': files.main, 'src/engine/thrust.ts': files.thrust },
  },
  {
    on: 'main',
    by: 'devon',
    at: '2026-01-12T10:05:00Z',
    message: 'Print the altitude every second',
    files: { 'src/main.ts': files.mainPrintsAltitude },
  },
  {
    on: 'main',
    by: 'olivia',
    at: '2026-01-15T16:22:00Z',
    message: 'Write a guide',
    files: { 'docs/guide.md': files.guide },
  },
  {
    on: 'main',
    by: 'mia',
    at: '2026-01-20T08:55:00Z',
    message: 'Build, test and deploy in a pipeline',
    files: { '.ci.yml': files.ci },
  },
  {
    on: 'main',
    by: 'devon',
    at: '2026-01-27T11:31:00Z',
    message: 'Count down before the launch',
    files: { 'bin/launch.sh': files.launch },
    executable: true,
  },
  {
    on: 'main',
    by: 'olivia',
    at: '2026-02-02T13:08:00Z',
    message:
      'Add the logo and a model of the nose\n\nThe model is a large file: the repository holds its pointer.',
    files: { 'assets/logo.png': files.logo, 'models/nose.lfs': pointerTo(noseModel()) },
  },
  {
    on: 'main',
    by: 'mia',
    at: '2026-02-05T15:47:00Z',
    message:
      'Count the fuel\n\nThe rocket grows lighter as it burns.\n\nReviewed-by: Devon Developer <devon@example.com>',
    files: { 'src/main.ts': files.mainCountsFuel, 'src/engine/thrust.ts': files.thrustKnowsFlow },
  },
  {
    on: 'main',
    by: 'olivia',
    at: '2026-02-06T09:30:00Z',
    message: 'Release 1.0.0',
    files: { 'CHANGELOG.md': files.changelog100, ...version('0.1.0', '1.0.0') },
    tag: 'v1.0.0',
  },
  {
    on: 'feature/search',
    from: 'main',
    by: 'devon',
    at: '2026-02-11T10:18:00Z',
    message: 'Name the mission',
    files: { 'src/main.ts': files.mainTakesName },
  },
  {
    on: 'main',
    by: 'mia',
    at: '2026-02-13T09:02:00Z',
    message: "Merge branch 'feature/search' into 'main'\n\nName the mission",
    files: { 'src/main.ts': files.mainTakesName },
    merges: 'feature/search',
  },
  {
    on: 'hotfix/typo',
    from: 'main',
    by: 'olivia',
    at: '2026-02-17T17:26:00Z',
    message: 'Mend a word of the guide',
    files: { 'docs/guide.md': typo },
  },
  {
    on: 'main',
    by: 'mia',
    at: '2026-02-18T08:14:00Z',
    message: "Merge branch 'hotfix/typo' into 'main'\n\nMend a word of the guide",
    files: { 'docs/guide.md': typo },
    merges: 'hotfix/typo',
  },
  {
    on: 'release/1.x',
    from: 'v1.0.0',
    by: 'mia',
    at: '2026-02-25T12:00:00Z',
    message: 'Release 1.0.1',
    files: {
      'CHANGELOG.md': files.changelog101,
      ...version('1.0.0', '1.0.1'),
      'src/engine/thrust.ts': files.thrustLimited,
    },
  },
  {
    on: 'main',
    by: 'olivia',
    at: '2026-03-02T10:44:00Z',
    message: "Put up the café's menu",
    files: { 'docs/café menu.md': files.menu },
  },
  {
    on: 'main',
    by: 'olivia',
    at: '2026-03-05T13:37:00Z',
    message: 'Stop the engine when the tanks are empty',
    files: { 'src/main.ts': files.mainStopsEngine },
  },
  {
    on: 'main',
    by: 'mia',
    at: '2026-03-10T09:00:00Z',
    message: 'Release 1.1.0',
    files: { 'CHANGELOG.md': files.changelog110, ...version('1.0.0', '1.1.0') },
    tag: 'v1.1.0',
  },
  {
    on: 'feature/login',
    from: 'main',
    by: 'devon',
    at: '2026-03-12T14:11:00Z',
    message: 'Ask who launches',
    files: { 'src/login.ts': files.login },
  },
  {
    on: 'main',
    by: 'devon',
    at: '2026-03-13T11:20:00Z',
    message: 'Say how to read the output',
    files: { 'README.md': files.readmeExplainsOutput },
  },
  {
    on: 'feature/login',
    by: 'devon',
    at: '2026-03-16T15:53:00Z',
    message: 'Let nobody launch unnamed',
    files: { 'src/login.ts': files.loginRefusesNobody },
  },
  {
    on: 'develop',
    from: 'main',
    by: 'mia',
    at: '2026-03-17T08:35:00Z',
    message: 'Begin 1.2.0',
    files: version('1.1.0', '1.2.0-dev'),
  },
];

const probe = (on: string): readonly Step[] => [
  {
    on,
    by: 'mia',
    at: '2026-02-09T10:25:00Z',
    message: 'Turn the air pressure into an altitude',
    files: { 'altimeter.py': files.altimeter },
  },
  {
    on,
    by: 'mia',
    at: '2026-02-20T09:45:00Z',
    message: 'Release 0.9.0',
    files: { 'CHANGELOG.md': files.changelog090 },
    tag: 'v0.9.0',
  },
];

/** Write the history of acme/rocket into an empty repository. */
export async function seedRocket(repository: Repository): Promise<void> {
  for (const step of rocket) await commitStep(repository, step);
}

type Introduced = Pick<Project, 'name' | 'description' | 'default_branch'>;

const initialCommit = ({ name, description, default_branch }: Introduced): Step => ({
  on: default_branch,
  by: 'olivia',
  at: '2026-01-05T10:00:00Z',
  message: 'Start the project',
  files: { 'README.md': `# ${name}\n${description ? `\n${description}\n` : ''}` },
});

/** Write one commit, with a README that introduces the project, into an empty repository. */
export async function seedReadme(repository: Repository, project: Introduced): Promise<void> {
  await commitStep(repository, initialCommit(project));
}

/** Write the history of acme/labs/probe into an empty repository. */
export async function seedProbe(repository: Repository, project: Introduced): Promise<void> {
  for (const step of [initialCommit(project), ...probe(project.default_branch)])
    await commitStep(repository, step);
}
