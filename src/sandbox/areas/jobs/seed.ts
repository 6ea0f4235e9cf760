import { defined } from '../../core/lookup.ts';
import type { Job, Pipeline, Token, User } from '../../core/rows.ts';
import { day, iso, minute } from '../../core/time.ts';
import { seededShas } from '../../git/history.ts';
import { seededRandom } from '../../seed/random.ts';
import type { Seeder } from '../../seed/seeder.ts';

type Draft = readonly [name: string, stage: string];

/** Jobs of one pipeline in order of creation. The second `test:flaky` is a retry of the first. */
export const plan: readonly Draft[] = [
  ['prepare', 'build'],
  ['lint', 'build'],
  ['build:linux', 'build'],
  ['build:macos', 'build'],
  ['build:windows', 'build'],
  ['docs', 'build'],
  ['test:unit 1/3', 'test'],
  ['test:unit 2/3', 'test'],
  ['test:unit 3/3', 'test'],
  ['test:integration: [postgres]', 'test'],
  ['test:integration: [sqlite]', 'test'],
  ['test:flaky', 'test'],
  ['test:flaky', 'test'],
  ['test:e2e', 'test'],
  ['coverage', 'test'],
  ['audit:dependencies', 'test'],
  ['package', 'deploy'],
  ['deploy:staging', 'deploy'],
  ['smoke:staging', 'deploy'],
  ['deploy:production', 'deploy'],
  ['smoke:production', 'deploy'],
  ['notify', 'deploy'],
];

/** Statuses in the running pipeline: one for each job of the plan, then one for each late job. */
const runningStatuses = [
  ...['success', 'success', 'success', 'success', 'success', 'success', 'success', 'success', 'success'],
  ...['success', 'success', 'failed', 'success', 'success', 'success', 'failed', 'created', 'created'],
  ...['created', 'manual', 'created', 'skipped', 'pending', 'waiting_for_resource', 'pending', 'running'],
] as const;
const lateJobs: readonly Draft[] = [
  ['scan:licenses', 'test'],
  ['lock:staging', 'deploy'],
  ['scan:images', 'test'],
  ['test:load', 'test'],
];

const childJobs: readonly Draft[] = Array.from({ length: 12 }, (_, index) => [
  `probe ${index + 1}/12`,
  'probe',
]);

const canceled = [1004, 1008];
const failed = 1011;
const newest = 1012;
const child = 1013;
/** A pipeline of project 101, which is another repository. */
const website = 1101;

/** Last commits of the branches, matching the repository. */
const heads = {
  main: ['Say how to read the output', 'Devon Developer', 'devon@example.com', '2026-03-13T11:20:00.000Z'],
  develop: ['Begin 1.2.0', 'Mia Maintainer', 'mia@example.com', '2026-03-17T08:35:00.000Z'],
  'feature/login': [
    'Let nobody launch unnamed',
    'Devon Developer',
    'devon@example.com',
    '2026-03-16T15:53:00.000Z',
  ],
  'release/1.x': ['Release 1.0.1', 'Mia Maintainer', 'mia@example.com', '2026-02-25T12:00:00.000Z'],
} as const;
type Ref = keyof typeof heads;

interface Step {
  readonly id: number;
  readonly sha: string;
  readonly ref: Ref;
  readonly status: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The runner of a job, and its manager. */
export function runner(id: number, at: string) {
  return {
    runner: {
      id,
      description: `runner-${id}.example.com`,
      ip_address: `192.0.2.${id}`,
      active: true,
      paused: false,
      is_shared: true,
      runner_type: 'instance_type',
      name: 'runner',
      online: true,
      status: 'online',
    },
    runner_manager: {
      id: id + 10,
      system_id: `s_${id}c0ffee`,
      version: '18.6.0',
      revision: 'a1b2c3d4',
      platform: 'linux',
      architecture: 'amd64',
      created_at: '2026-01-02T08:00:00.000Z',
      contacted_at: at,
      ip_address: `192.0.2.${id}`,
      status: 'online',
    },
  };
}

function artifacts(size: number) {
  return {
    artifacts: [
      { file_type: 'archive', size, filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'metadata', size: 146, filename: 'metadata.gz', file_format: 'gzip' },
      { file_type: 'trace', size: 1508, filename: 'job.log', file_format: 'raw' },
    ],
    artifacts_file: { filename: 'artifacts.zip', size },
  };
}

const started = ['success', 'failed', 'running', 'canceled'];
const ended = ['success', 'failed', 'canceled'];

function statusIn(pipeline: number, index: number): string {
  const [name] = defined(plan[index]);
  if (index === 11) return 'failed';
  if (name === 'audit:dependencies' && pipeline % 3 === 0) return 'failed';
  if (pipeline === failed && name === 'test:e2e') return 'failed';
  if (canceled.includes(pipeline) && index >= 9) return 'canceled';
  if (pipeline === failed && index > 13) return 'skipped';
  if (name === 'deploy:production') return 'manual';
  return name === 'smoke:production' ? 'skipped' : 'success';
}

const steps = (now: number): Step[] => {
  const refs: readonly Ref[] = ['main', 'develop', 'main', 'feature/login', 'main', 'release/1.x'];
  const past = Array.from({ length: 11 }, (_, index): Step => {
    const id = 1001 + index;
    const ref = defined(refs[index % refs.length]);
    const status = id === failed ? 'failed' : canceled.includes(id) ? 'canceled' : 'success';
    return { id, ref, sha: seededShas[ref], status, at: Date.UTC(2026, 2, 18 + index, 9, 15) };
  });
  const elsewhere: Omit<Step, 'id'> = {
    ref: 'main',
    sha: 'f00d'.repeat(10),
    status: 'success',
    at: Date.UTC(2026, 2, 28, 9, 40),
  };
  const live: Omit<Step, 'id'> = {
    ref: 'main',
    sha: seededShas.main,
    status: 'running',
    at: now - 25 * minute,
  };
  return [
    ...past,
    { ...elsewhere, id: website },
    { ...live, id: newest },
    { ...live, id: child, at: now - 12 * minute },
  ];
};

/** Thirteen pipelines of project 100 with 280 jobs, their bridges, and the token of a running job. */
export const jobs: Seeder = (world) => {
  const roll = seededRandom(280);
  const byId = new Map(steps(world.now()).map((step) => [step.id, step]));
  const author = defined(world.table<User>('users').get(4));
  for (const step of byId.values()) {
    const at = iso(step.at);
    const [title, author_name, author_email, created_at] = heads[step.ref];
    world.table<Pipeline>('pipelines').insert({
      id: step.id,
      project_id: step.id === website ? 101 : 100,
      parent_id: step.id === child ? newest : null,
      ref: step.ref,
      tag: false,
      sha: step.sha,
      status: step.status,
      user_id: author.id,
      created_at: at,
      updated_at: at,
      commit: {
        ...{ id: step.sha, short_id: step.sha.slice(0, 8), title, message: `${title}\n` },
        ...{ author_name, author_email, created_at },
      },
    });
  }

  const table = world.table<Job>('jobs');
  const add = (
    id: number,
    pipeline: number,
    [name, stage]: Draft,
    status: string,
    order: number,
    more = {},
  ) => {
    const step = defined(byId.get(pipeline));
    const createdAt = step.at + order * 1000;
    const wait = 2 + roll(40);
    const startedAt = createdAt + wait * 1000;
    const seconds = 20 + roll(400) + roll(1000) / 1000;
    const hasRun = started.includes(status);
    table.insert({
      id,
      project_id: 100,
      pipeline_id: pipeline,
      user_id: author.id,
      bridge: false,
      retried: false,
      downstream_pipeline_id: null,
      name,
      stage,
      status,
      ref: step.ref,
      tag: false,
      web_url: `/acme/rocket/-/jobs/${id}`,
      coverage: name === 'coverage' && status === 'success' ? 80 + roll(150) / 10 : null,
      allow_failure: name === 'audit:dependencies',
      failure_reason: status === 'failed' ? 'script_failure' : null,
      created_at: iso(createdAt),
      started_at: hasRun ? iso(startedAt) : null,
      finished_at: ended.includes(status) ? iso(startedAt + seconds * 1000) : null,
      duration: ended.includes(status)
        ? seconds
        : status === 'running'
          ? (world.now() - startedAt) / 1000
          : null,
      queued_duration: hasRun ? wait : null,
      tag_list: stage === 'deploy' ? ['linux', 'deploy'] : ['linux'],
      ...(hasRun ? runner(1 + roll(3), iso(startedAt)) : { runner: null, runner_manager: null }),
      ...(status === 'success' && stage === 'build'
        ? { ...artifacts(10_000 + roll(900_000)), artifacts_expire_at: iso(startedAt + 30 * day) }
        : {}),
      ...more,
    });
  };
  const retry = (index: number) => (index === 11 ? { retried: true } : {});
  for (let pipeline = 1001; pipeline <= failed; pipeline++) {
    for (const [index, draft] of plan.entries()) {
      const id = 5001 + (pipeline - 1001) * plan.length + index;
      add(id, pipeline, draft, statusIn(pipeline, index), index, retry(index));
    }
  }
  for (const [index, draft] of plan.entries()) {
    add(5243 + index, newest, draft, defined(runningStatuses[index]), index, retry(index));
  }
  for (const [index, draft] of childJobs.entries()) {
    const status = index === 3 ? 'failed' : index < 9 ? 'success' : 'pending';
    add(
      5265 + index,
      child,
      draft,
      status,
      index,
      index === 3 ? { failure_reason: 'stuck_or_timeout_failure' } : {},
    );
  }
  for (const [index, draft] of lateJobs.entries()) {
    add(5277 + index, newest, draft, defined(runningStatuses[plan.length + index]), 18 * 60 + index);
  }
  const bridge = { bridge: true };
  add(5901, failed, ['trigger:docs', 'deploy'], 'failed', 22, bridge);
  add(5902, newest, ['trigger:probe', 'test'], 'running', 23, { ...bridge, downstream_pipeline_id: child });
  add(5903, failed, ['trigger:website', 'deploy'], 'success', 23, {
    ...bridge,
    downstream_pipeline_id: website,
  });

  world.table<Token>('tokens').insert({
    token: 'sandbox-job',
    name: 'job',
    user_id: author.id,
    scopes: [],
    job_id: 5280,
    created_at: world.time(),
  });
};
