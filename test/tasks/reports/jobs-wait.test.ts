/** `svc jobs wait` against a fake context with a clock that only pauses advance, and against the sandbox. */
import { describe, expect, test } from 'vitest';
import { pipelineCalls } from '../../../src/api/jobs.ts';
import { Failure } from '../../../src/errors.ts';
import type { Row } from '../../../src/spec/resource.ts';
import { waitForPipeline } from '../../../src/tasks/jobs/wait.ts';
import { openWorld } from '../../support/sandbox.ts';
import { svc } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';
import { fakeTask } from '../fake.ts';

interface Pipelines {
  /** The jobs in each check; the last repeats. */
  readonly jobs: readonly (readonly Row[])[];
  readonly bridges?: readonly Row[];
  readonly child?: (id: string) => readonly Row[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

let nextId = 1;
const job = (name: string, status: string, more: Row = {}): Row => ({
  ...{ id: nextId++, name, stage: 'test', status, allow_failure: false, failure_reason: null },
  ...{ duration: 1, queued_duration: 1, web_url: null, pipeline: { id: 7 } },
  ...more,
});

/** Run the command with these responses. */
async function wait({ jobs, bridges = [], child = () => [], options = {}, env = {} }: Pipelines) {
  let check = 0;
  const fake = fakeTask({
    endpoint: pipelineCalls.jobs,
    env,
    line: { args: { pipeline_id: '7' }, options },
    prepared: { slots: { id: '1', pipeline_id: '7' } },
    list({ endpoint, slots }) {
      const id = String(slots['pipeline_id']);
      if (endpoint === pipelineCalls.bridges) return id === '7' ? bridges : [];
      if (id !== '7') return child(id);
      return jobs[Math.min(check++, jobs.length - 1)] ?? [];
    },
  });
  const error = await fake.take(waitForPipeline(fake.task, options)).then(
    () => undefined,
    (caught: unknown) => {
      if (caught instanceof Failure) return caught;
      throw caught;
    },
  );
  return { ...fake, kind: error?.kind, error, value: fake.recorded.printed[0], checks: () => check };
}

describe('the end', () => {
  const passed = job('a', 'success');
  const elsewhere = { pipeline: { id: 8, project_id: 2 } };
  test.each([
    ['every job succeeded', [job('a', 'success'), job('b', 'success')], undefined],
    ['manual and skipped jobs do not block', [passed, job('b', 'manual'), job('c', 'skipped')], undefined],
    ['a failure that is allowed does not count', [job('a', 'failed', { allow_failure: true })], undefined],
    ['a failure counts', [job('a', 'success'), job('b', 'failed')], 'unsuccessful'],
    ['equal names', [job('a', 'failed', { stage: 'lint' }), job('a', 'success')], 'unsuccessful'],
    ['a name in another project', [job('a', 'failed'), job('a', 'success', elsewhere)], 'unsuccessful'],
    ['a canceled job counts', [job('a', 'success'), job('b', 'canceled')], 'unsuccessful'],
    ['a pipeline without jobs is not a success', [], 'unsuccessful'],
    ['only the latest run of a retried job counts', [job('a', 'failed'), job('a', 'success')], undefined],
  ])('%s', async (_, jobs, expected) => {
    const { kind, recorded } = await wait({ jobs: [jobs] });
    expect(kind).toBe(expected);
    expect(recorded.pauses).toEqual([]);
  });

  test('waits for statuses that it does not know', async () => {
    const { kind, checks } = await wait({ jobs: [[job('a', 'preparing')], [job('a', 'success')]] });
    expect([kind, checks()]).toEqual([undefined, 2]);
  });

  test('leaves out the job that runs the command', async () => {
    const jobs = [[job('a', 'success'), job('self', 'running', { id: 900 })]];
    const { kind, value } = await wait({ jobs, env: { CI_JOB_ID: '900' } });
    expect([kind, value?.['jobs']]).toEqual([undefined, 1]);
  });

  test('names the failed jobs and the command for details', async () => {
    const { error } = await wait({ jobs: [[...'abcdef'].map((name) => job(name, 'failed'))] });
    expect(error).toMatchObject({
      message: '6 jobs of pipeline 7 failed',
      details: ['a, b, c, d, e and 1 more'],
      hints: ['for details: svc jobs digest 7'],
    });
  });
});

describe('--fail-fast', () => {
  const jobs = [
    [job('a', 'running'), job('b', 'running')],
    [job('a', 'running'), job('b', 'failed')],
  ];
  test('ends at the first failure', async () => {
    const { kind, value, checks } = await wait({ jobs, options: { failFast: true } });
    expect([kind, value?.['result'], checks()]).toEqual(['unsuccessful', 'failed', 2]);
  });
  test('does not end at a failure that is allowed', async () => {
    const allowed = job('b', 'failed', { allow_failure: true });
    const states = ['running', 'success'].map((status) => [job('a', status), allowed]);
    const { kind } = await wait({ jobs: states, options: { failFast: true } });
    expect(kind).toBeUndefined();
  });
  test('without it, every job ends first', async () => {
    const last = [job('a', 'success'), job('b', 'failed')];
    const { kind, checks } = await wait({ jobs: [...jobs, last] });
    expect([kind, checks()]).toEqual(['unsuccessful', 3]);
  });
});

describe('child pipelines', () => {
  const bridge = (more: Row = {}) => job('trigger', 'success', { downstream_pipeline: { id: 8 }, ...more });
  const childJob = (status: string) => [job('child', status, { pipeline: { id: 8 } })];

  test('are read even if the list of jobs does not contain them', async () => {
    const { kind, value } = await wait({ jobs: [[]], bridges: [bridge()], child: () => childJob('failed') });
    expect([kind, value?.['jobs']]).toEqual(['unsuccessful', 2]);
  });
  test('that the list of jobs contains are not read again', async () => {
    const { kind, recorded } = await wait({ jobs: [childJob('success')], bridges: [bridge()] });
    expect(kind).toBeUndefined();
    expect(recorded.calls.filter(({ endpoint }) => endpoint === pipelineCalls.jobs)).toHaveLength(1);
  });
  test('of a trigger job that is allowed to fail may fail', async () => {
    const bridges = [bridge({ allow_failure: true })];
    const { kind } = await wait({ jobs: [[]], bridges, child: () => childJob('failed') });
    expect(kind).toBeUndefined();
  });
  const failing = (kind: 'not_found' | 'auth') => () => {
    throw new Failure(kind, 'not available');
  };
  test('of another project count as their trigger job', async () => {
    const jobs = ['running', 'success'].map((status) => [job('a', status)]);
    const { kind, value } = await wait({ jobs, bridges: [bridge()], child: failing('not_found') });
    expect([kind, value?.['jobs']]).toEqual([undefined, 2]);
  });
  test('that cannot be read for another reason are an error', async () => {
    const { kind } = await wait({ jobs: [[]], bridges: [bridge()], child: failing('auth') });
    expect(kind).toBe('auth');
    const own = { pipeline: { id: 7, project_id: 1 }, downstream_pipeline: { id: 8, project_id: 1 } };
    const lost = await wait({ jobs: [[]], bridges: [bridge(own)], child: failing('not_found') });
    expect(lost.kind).toBe('not_found');
  });
});

describe('waiting', () => {
  const running = [job('a', 'success'), job('b', 'running')];

  test('shows the number of jobs that have ended, failures, and the states of the others', async () => {
    const { recorded } = await wait({ jobs: [running, [job('a', 'success'), job('b', 'success')]] });
    expect(recorded.progress).toEqual(['waiting for pipeline 7: 1 of 2 jobs ended (1 running)']);
    expect(recorded.progressEnded).toBe(1);
    expect(recorded.done).toEqual(['Finished pipeline 7: 2 success']);
  });

  test('lasts at most an hour without --wait-timeout', async () => {
    expect((await wait({ jobs: [running] })).task.now()).toBe(3_600_000);
  });

  test.each([
    [undefined, 10_000],
    [2, 2000],
    [60, 60_000],
  ])('pauses grow up to --interval %s', async (interval, longest) => {
    const { recorded } = await wait({ jobs: [running], options: { interval } });
    expect(recorded.pauses.slice(0, 2)).toEqual([500, 750]);
    expect(Math.max(...recorded.pauses)).toBe(longest);
  });

  test.each(['0', 'x', '-1', '99999'])('rejects --interval %s', async (interval) => {
    const { code, requests } = await svc(`jobs wait 7 --project a/b --interval=${interval}`);
    expect([code, requests]).toEqual([2, []]);
  });

  test('ends if the remaining jobs wait for a manual job, after a second look', async () => {
    const blocked = [job('a', 'success'), job('approve', 'manual'), job('deploy', 'created')];
    const { kind, value, checks, recorded } = await wait({ jobs: [blocked] });
    expect([kind, value?.['result'], checks()]).toEqual([undefined, 'blocked', 2]);
    expect(recorded.notes).toEqual(['the remaining jobs wait for a manual job: approve']);
    const bridges = [job('start', 'running', { downstream_pipeline: { id: 8 } })];
    const child = () => blocked.map((one) => ({ ...one, pipeline: { id: 8 } }));
    const outer = await wait({ jobs: [[job('later', 'created')]], bridges, child });
    expect([outer.kind, outer.value?.['result']]).toEqual([undefined, 'blocked']);
  });

  test('does not end if the manual job is optional', async () => {
    const optional = job('approve', 'manual', { allow_failure: true });
    const deploy = ['created', 'created', 'created', 'success'];
    const { value } = await wait({ jobs: deploy.map((status) => [optional, job('deploy', status)]) });
    expect(value?.['result']).toBe('success');
  });
});

test('in the sandbox: waits for the jobs of a child pipeline', async () => {
  const world = await openWorld();
  const jobs = world.sandbox.world.table('jobs');
  const end = (pipeline: number, status: string) => {
    for (const row of jobs.filter((one) => one['pipeline_id'] === pipeline && one['finished_at'] === null))
      jobs.update(row, { status });
  };
  end(1012, 'success');
  const before = await exited(9, world.run('jobs wait 1012 -p acme/rocket --wait-timeout 0.05 -o json'));
  expect(JSON.parse(before.out)).toMatchObject({ result: 'timed_out', jobs: 38, ended: 35 });
  expect(before.err).toContain('wait again with: svc jobs wait 1012 --project acme/rocket');
  end(1013, 'success');
  const after = await exited(9, world.run('jobs wait 1012 -p acme/rocket -o json'));
  expect(JSON.parse(after.out)).toMatchObject({ result: 'failed', failures: [{ name: 'probe 4/12' }] });
});
