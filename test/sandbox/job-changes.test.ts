/** Calls that change jobs, and jobs that run by the clock. The specification only shows jobs (sections 2.1, 4.1). */
import { describe, expect, test } from 'vitest';
import { openReceiver } from '../support/receiver.ts';
import { openClocked, type RequestOptions, type TestSandbox } from './ask.ts';

/** Seeded jobs of acme/rocket, by status. */
const seeded = {
  success: 5001,
  failed: 5234,
  canceled: 5076,
  skipped: 5242,
  manual: 5262,
  pending: 5277,
  waiting_for_resource: 5278,
  running: 5280,
  created: 5260,
  retried: 5254,
  bridge: 5902,
} as const;
type Status = keyof typeof seeded;

const actions: Readonly<Record<string, readonly Status[]>> = {
  play: ['manual'],
  retry: ['success', 'failed', 'canceled'],
  cancel: ['created', 'pending', 'running', 'waiting_for_resource'],
};

const change = ({ ask }: TestSandbox, action: string, id: number, how: RequestOptions = {}) =>
  ask(`POST /projects/100/jobs/${id}/${action}`, how);

async function find({ ask }: TestSandbox, id: number) {
  const { body } = await ask('GET /projects/100/jobs?per_page=100');
  return body.find((job: { id: number }) => job.id === id);
}

describe.each(Object.entries(actions))('%s', (action, allowed) => {
  test.each(Object.entries(seeded))('of a %s job', async (status, id) => {
    const opened = await openClocked();
    const response = await change(opened, action, id);
    if (allowed.some((one) => one === status)) expect(response.status).toBe(201);
    else
      expect([response.status, response.body.message]).toEqual([403, expect.stringContaining('Job is not')]);
  });
});

test('a played job waits, runs and succeeds by the clock', async () => {
  const opened = await openClocked();
  const played = (await change(opened, 'play', seeded.manual, { as: 'developer' })).body;
  expect(played).toMatchObject({ id: seeded.manual, status: 'pending', started_at: null, runner: null });
  expect(played.user.username).toBe('devon');
  opened.wait(5);
  expect(await find(opened, seeded.manual)).toMatchObject({
    status: 'running',
    started_at: '2026-04-01T12:00:05.000Z',
    queued_duration: 5,
    runner: { online: true },
  });
  opened.wait(100);
  expect(await find(opened, seeded.manual)).toMatchObject({
    status: 'success',
    started_at: '2026-04-01T12:00:05.000Z',
    finished_at: '2026-04-01T12:00:35.000Z',
    duration: 30,
  });
  const { text } = await opened.ask(`GET /projects/100/jobs/${seeded.manual}/trace`);
  const start = Date.parse('2026-04-01T12:00:05Z') / 1000;
  expect(text.match(/section_start:\d+/g)).toEqual([0, 1, 3].map((at) => `section_start:${start + at}`));
});

test('a retried job is replaced by a new one', async () => {
  const opened = await openClocked();
  const { body } = await change(opened, 'retry', seeded.failed);
  expect(body).toMatchObject({
    name: 'test:e2e',
    status: 'pending',
    failure_reason: null,
    finished_at: null,
  });
  expect(body.id).toBeGreaterThan(5903);
  expect(body.web_url).toMatch(new RegExp(`/acme/rocket/-/jobs/${body.id}$`));
  const jobs = async (query: string) =>
    (await opened.ask(`GET /projects/100/pipelines/1011/jobs?per_page=100${query}`)).body
      .filter(({ name }: { name: string }) => name === 'test:e2e')
      .map(({ id }: { id: number }) => id);
  expect(await jobs('')).toEqual([body.id]);
  expect(await jobs('&include_retried=true')).toEqual([body.id, seeded.failed]);
  expect((await change(opened, 'retry', seeded.failed)).status).toBe(403);
  opened.wait(60);
  expect(await find(opened, body.id)).toMatchObject({ status: 'success', pipeline: { status: 'success' } });
});

test('a canceled job does not run, and its token expires', async () => {
  const opened = await openClocked();
  const headers = { 'job-token': 'sandbox-job' };
  expect((await opened.ask('GET /job', { as: 'none', headers })).status).toBe(200);
  const { body } = await change(opened, 'cancel', seeded.running);
  expect(body).toMatchObject({ status: 'canceled', finished_at: '2026-04-01T12:00:00.000Z' });
  expect((await opened.ask('GET /job', { as: 'none', headers })).status).toBe(401);
  await change(opened, 'play', seeded.manual);
  opened.wait(10);
  await change(opened, 'cancel', seeded.manual);
  opened.wait(100);
  expect(await find(opened, seeded.manual)).toMatchObject({ status: 'canceled', duration: 5 });
});

test('the status of a pipeline follows from its jobs, and that of each seeded pipeline does', async () => {
  const { sandbox, ask, wait } = await openClocked();
  const pipelines = sandbox.world.table('pipelines').filter(({ project_id }) => project_id === 100);
  const before = pipelines.map(({ id, status }) => [id, status]);
  expect(before).toHaveLength(13);
  for (const [id] of before) {
    const jobs = sandbox.world
      .table('jobs')
      .filter((job) => job['pipeline_id'] === id && job['status'] === 'manual');
    for (const job of jobs) await ask(`POST /projects/100/jobs/${job.id}/play`);
  }
  wait(60);
  await ask('GET /projects/100/jobs');
  expect(pipelines.map(({ id, status }) => [id, status])).toEqual(before);
});

test('a new pipeline has the jobs of the newest one, stage by stage', async () => {
  const { ask, wait } = await openClocked();
  const jobsOf = async (id: number) =>
    (await ask(`GET /projects/100/pipelines/${id}/jobs?per_page=100`)).body as readonly Record<
      'name' | 'stage' | 'status',
      string
    >[];
  const newest = (await ask('GET /projects/100/pipelines?per_page=1')).body[0];
  const created = await ask('POST /projects/100/pipeline', { json: { ref: 'main' } });
  expect([created.status, created.body.ref, created.body.source]).toEqual([201, 'main', 'api']);
  const { id } = created.body;
  const names = async (one: number) => new Set((await jobsOf(one)).map(({ name }) => name));
  // Those of child pipelines are not copied.
  expect([...(await names(newest.id))]).toEqual(expect.arrayContaining([...(await names(id))]));
  const order: string[] = [];
  for (let time = 0; time < 600; time += 5) {
    const active = (await jobsOf(id)).filter(({ status }) => status === 'pending' || status === 'running');
    order.push(...new Set(active.map(({ stage }) => stage)));
    wait(5);
  }
  // Never two stages at a time.
  expect(order.filter((stage, at) => stage !== order[at - 1])).toEqual(['build', 'test', 'deploy']);
  expect((await ask(`GET /projects/100/pipelines/${id}`)).body.status).toBe('success');
});

test('hooks get the changes of a job in order', async () => {
  const receiver = await openReceiver();
  const opened = await openClocked();
  const json = { url: receiver.url, push_events: false, job_events: true, pipeline_events: true };
  await opened.ask('POST /groups/10/hooks', { json });
  await change(opened, 'retry', seeded.failed);
  opened.sandbox.control.clock.advance('40s');
  await opened.sandbox.close();
  const bodies = receiver.calls.map(({ body }) => JSON.parse(body));
  const jobs = bodies.filter(({ object_kind: kind }) => kind === 'build');
  expect(jobs.map(({ build_status: status }) => status)).toEqual(['pending', 'running', 'success']);
  expect(jobs[2]).toMatchObject({ build_duration: 30, retries_count: 1, pipeline_id: 1011 });
  const pipelines = bodies.filter(({ object_kind: kind }) => kind === 'pipeline');
  expect(pipelines.map(({ object_attributes }) => object_attributes.status)).toEqual(['running', 'success']);
  const failed = ({ status }: { status: string }) => status === 'failed';
  // Its failure is allowed.
  expect(pipelines[1].builds.filter(failed)).toMatchObject([{ name: 'audit:dependencies' }]);
});
