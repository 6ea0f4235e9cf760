/** The history that a fresh sandbox has: the same SHAs each time. */
import { noseModel, pointerTo } from './large.ts';
import type { Signature } from './objects.ts';
import type { Repository } from './repository.ts';
import * as files from './rocket.ts';
import type { Action } from './writing.ts';

/** Who commits, by user name. */
export const authors = {
  olivia: { name: 'Olivia Owner', email: 'olivia@example.com' },
  mia: { name: 'Mia Maintainer', email: 'mia@example.com' },
  devon: { name: 'Devon Developer', email: 'devon@example.com' },
} as const satisfies Record<string, Signature>;

/** What the history comes to, for those who speak of it before it is made. */
export const seededShas = {
  main: 'dc214b63add292ff3a96bd047e571d822707973e',
  'main~3': '61ce5d8782da02e164b661f66521329eb4d00bd0',
  develop: '4ff05492a3225fcc15280fbf3ae01d88f16dac05',
  'feature/login': 'c9d5686810838ef9284267f3dde0ad38423c7dff',
  'feature/search': 'd6dcadf3f9db80041061ebd8897f8e001bcf015f',
  'hotfix/typo': 'b5b88c9822aee832cd2fdf262615f7e9c0a8385e',
  'release/1.x': '424f4ddecb929d474432feba0d931229025b292c',
  'v1.0.0': 'a7e60bc50865f900cc41ae75b100d79905a71192',
  'v1.1.0': 'd08d3404040211622ce35df79c491817060137b0',
} as const;

type Edits = readonly (readonly [old: string, next: string])[];
type Content = string | Uint8Array | Edits;

interface Step {
  /** Branch; made from `from` where it does not exist. */
  readonly on: string;
  readonly from?: string;
  readonly by: keyof typeof authors;
  /** UTC. */
  readonly at: string;
  readonly message: string;
  readonly files: Readonly<Record<string, Content>>;
  readonly executable?: true;
  /** The branch that this commit merges. */
  readonly merges?: string;
  /** An annotated tag on it. */
  readonly tag?: string;
}

const version = (from: string, to: string): Edits => [[`"version": "${from}"`, `"version": "${to}"`]];
const typo: Edits = [['heigher', 'higher']];

const rocket: readonly Step[] = [
  {
    on: 'main',
    by: 'olivia',
    at: '2026-01-05T09:12:00Z',
    message: 'Start the project',
    files: { 'README.md': files.readme, 'package.json': files.packageJson },
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
    files: { 'CHANGELOG.md': files.changelog100, 'package.json': version('0.1.0', '1.0.0') },
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
      'package.json': version('1.0.0', '1.0.1'),
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
    files: { 'CHANGELOG.md': files.changelog110, 'package.json': version('1.0.0', '1.1.0') },
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
    files: { 'package.json': version('1.1.0', '1.2.0-dev') },
  },
];

/** Edits find their text exactly once, or the history would silently be another one. */
function applyEdits(text: string, edits: Edits): string {
  return edits.reduce((before, [old, next]) => {
    if (before.split(old).length !== 2) throw new Error(`an edit of the seeded history fits nowhere: ${old}`);
    return before.replace(old, () => next);
  }, text);
}

async function actionFor(
  repository: Repository,
  step: Step,
  path: string,
  content: Content,
): Promise<Action> {
  const old = await repository.readFile(step.on, path);
  const text = typeof content === 'string' || content instanceof Uint8Array;
  const whole = text ? content : applyEdits(Buffer.from(old?.bytes ?? []).toString('utf8'), content);
  return {
    action: old ? 'update' : 'create',
    path,
    bytes: typeof whole === 'string' ? Buffer.from(whole, 'utf8') : whole,
    ...(step.executable ? { executable: true } : {}),
  };
}

async function take(repository: Repository, step: Step): Promise<void> {
  const committer = authors[step.by];
  const time = new Date(step.at);
  if (step.from) await repository.createBranch(step.on, step.from);
  const actions: Action[] = [];
  for (const [path, content] of Object.entries(step.files))
    actions.push(await actionFor(repository, step, path, content));
  const merged = step.merges && (await repository.resolve(step.merges));
  await repository.commitFiles({
    branch: step.on,
    message: step.message,
    committer,
    time,
    actions,
    ...(merged ? { alsoParents: [merged] } : {}),
  });
  if (step.tag)
    await repository.createTag(step.tag, step.on, { message: step.message, tagger: committer, time });
}

/** Write the history of acme/rocket into an empty repository. */
export async function seedRocket(repository: Repository): Promise<void> {
  for (const step of rocket) await take(repository, step);
}

/**
 * Write one commit with a README into an empty repository.
 * @param project what the README says
 */
export async function seedReadme(
  repository: Repository,
  project: { readonly name: string; readonly description: string; readonly defaultBranch: string },
): Promise<void> {
  await take(repository, {
    on: project.defaultBranch,
    by: 'olivia',
    at: '2026-01-05T10:00:00Z',
    message: 'Start the project',
    files: { 'README.md': `# ${project.name}\n${project.description ? `\n${project.description}\n` : ''}` },
  });
}
