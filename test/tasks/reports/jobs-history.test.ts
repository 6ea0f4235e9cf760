/** `svc jobs flaky` and `jobs capacity`, compared with computations from their definitions over random histories. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/spec/resource.ts';
import { loadOf, mostAtOnce, runnersFor, waitWith } from '../../../src/tasks/jobs/capacity.ts';
import { flakyIn, runOf } from '../../../src/tasks/jobs/flaky.ts';
import { percentile } from '../../../src/tasks/jobs/history.ts';
import { ask } from '../../interface/service.ts';
import { openWorld } from '../../support/sandbox.ts';
import { canned } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';

const world = await openWorld();

const histories = { numRuns: 500 };

describe('flaky jobs', () => {
  const job = fc.record({
    name: fc.constantFrom('unit', 'e2e', 'lint'),
    status: fc.constantFrom('success', 'failed', 'canceled', 'skipped', 'running', 'created'),
    commit: fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd') }),
    duration: fc.option(fc.integer({ min: 0, max: 600 })),
    failure_reason: fc.constantFrom(
      ...['script_failure', 'job_execution_timeout', 'runner_system_failure', 'unknown_failure', null],
    ),
  });

  test('are those that both succeeded and failed at a commit', () => {
    fc.assert(
      fc.property(fc.array(job, { maxLength: 40 }), (jobs) => {
        const expected = ['unit', 'e2e', 'lint'].flatMap((name) => {
          const runs = jobs.filter((one) => one.name === name && /^(success|failed)$/.test(one.status));
          const shas = [...new Set(runs.map(({ commit }) => commit.id))];
          const at = (sha: string, status: string) =>
            runs.filter((one) => one.commit.id === sha && one.status === status);
          const flaky = shas.filter((sha) => at(sha, 'success').length > 0 && at(sha, 'failed').length > 0);
          if (flaky.length === 0) return [];
          const failures = flaky.flatMap((sha) => at(sha, 'failed'));
          const known = failures.filter((one) => !/unknown|null/.test(String(one.failure_reason)));
          const script = known.filter((one) => /script|execution/.test(String(one.failure_reason))).length;
          return {
            ...{ job: name, runs: runs.length, commits: shas.length, flaky: flaky.length },
            failed: runs.filter(({ status }) => status === 'failed').length,
            rate: flaky.length / shas.length,
            minutes_lost: Math.round(failures.reduce((sum, one) => sum + (one.duration ?? 0), 0) / 6) / 10,
            cause: known.length === 0 ? null : script * 2 >= known.length ? 'script' : 'infrastructure',
          };
        });
        const rows = flakyIn(jobs.flatMap((one) => runOf(one) ?? []));
        expect(rows).toHaveLength(expected.length);
        expect(rows).toEqual(expect.arrayContaining(expected));
        expect(rows.map(({ rate }) => rate)).toEqual(rows.map(({ rate }) => rate).sort((a, b) => b - a));
      }),
      histories,
    );
  });

  test('exit with 9 above --fail-over only, and say what was read', async () => {
    const shown = await exited(0, world.run('jobs flaky -p acme/rocket -o json'));
    expect(shown.err).toMatch(/^\d+ jobs read, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\n$/);
    // The seeded job with this name fails at random.
    expect(JSON.parse(shown.out)[0]).toMatchObject({ job: 'test:flaky', rate: 1 });
    await exited(0, world.run('jobs flaky -p acme/rocket --fail-over 100%'));
    await exited(9, world.run('jobs flaky -p acme/rocket --fail-over 99%'));
    const last = await world.run('jobs flaky -p acme/rocket --last 1');
    expect(last.err).toContain('older pipelines were not read (--last 1)');
    // Only one pipeline is in this period.
    const recent = await world.run('jobs flaky -p acme/rocket --last 1 --since 2d');
    expect(recent.err).toMatch(/^\d+ jobs read, \S+ to \S+\n$/m);
    const mistyped = await exited(0, world.run('jobs flaky -p acme/rocket --ref mian --fail-over 5%'));
    expect(mistyped.err).toContain('warning: no jobs of mian found');
  });

  test('count a job once that moved to a later page', async () => {
    const { out } = await world.run('api projects/{project}/jobs --all -p acme/rocket');
    const rows = JSON.parse(out).map((job: Row) => JSON.stringify(job));
    const doubled = { body: `[${[...rows, ...rows.slice(50)].join(',')}]` };
    const transport = canned(({ url }) => (/\/jobs\b/.test(url) ? doubled : { body: '[]' }));
    for (const name of ['flaky', 'capacity']) {
      const line = `jobs ${name} --since 2020-01-01 -p acme/rocket -o json`;
      expect((await world.run(line, { transport })).out).toBe((await world.run(line)).out);
    }
  });

  test('accepts a day as the begin of the period', async () => {
    const day = await exited(0, world.run('jobs flaky -p acme/rocket --since 2026-03-25'));
    expect(day.err).toMatch(/^\d+ jobs read, 2026-03-25 to /);
    const absent = await exited(2, world.run('jobs flaky -p acme/rocket --since 2026-02-30'));
    expect(absent.err).toContain('there is no such time: 2026-02-30');
  });
});

describe('capacity', () => {
  const load = fc.record({
    ready: fc.integer({ min: 0, max: 500 }),
    queued: fc.integer({ min: 0, max: 20 }),
    duration: fc.integer({ min: 0, max: 60 }),
  });
  const loads = fc.array(load, { minLength: 1, maxLength: 30 });

  test('percentiles are nearest ranks', () => {
    const tens = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
    expect([0.5, 0.95, 0.05].map((share) => percentile(tens, share))).toEqual([50, 100, 10]);
    expect(percentile([], 0.5)).toBeNull();
    const seconds = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(seconds, fc.constantFrom(50, 95), (all, percent) => {
        const isEnough = (value: number) =>
          all.filter((one) => one <= value).length * 100 >= percent * all.length;
        expect(percentile(all, percent / 100)).toBe(Math.min(...all.filter(isEnough)));
      }),
      histories,
    );
  });

  /** A job that may not have started or ended, and whose times can be equal to those of others or in a wrong order. */
  const run = fc.record({
    start: fc.option(fc.nat(100)),
    end: fc.option(fc.nat(120)),
    queued: fc.option(fc.nat(20)),
  });
  const now = 130;
  const timeAt = (seconds: number | null) =>
    seconds === null ? null : new Date(seconds * 1000).toISOString();

  test('the most at once is the highest number of jobs that run in any second', () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 30 }), (all) => {
        const loads = all.flatMap(({ start, end, queued }) => {
          const times = { started_at: timeAt(start), finished_at: timeAt(start === null ? null : end) };
          const status = end === null ? 'running' : 'success';
          return loadOf({ ...times, queued_duration: queued, status }, now * 1000) ?? [];
        });
        const running = Array.from({ length: now }, (_, second) =>
          all.filter(({ start, end }) => start !== null && start <= second && second < (end ?? now)),
        );
        expect(mostAtOnce(loads)).toBe(Math.max(...running.map(({ length }) => length)));
      }),
      histories,
    );
  });

  test('the target holds with the number of runners, and with one fewer it does not', () => {
    fc.assert(
      fc.property(loads, fc.integer({ min: 0, max: 30 }), (all, target) => {
        const runners = runnersFor(target, all);
        expect(simulated(runners, all)).toBeLessThanOrEqual(target);
        if (runners > 1) expect(simulated(runners - 1, all)).toBeGreaterThan(target);
        expect(waitWith(runners, all)).toBe(simulated(runners, all));
      }),
      histories,
    );
  });

  /** Second by second: a free runner takes the job that was ready first. */
  function simulated(runners: number, all: readonly { ready: number; duration: number }[]): number {
    const queue = [...all].sort((a, b) => a.ready - b.ready);
    const waits: number[] = [];
    let ends: number[] = [];
    for (let second = 0; queue.length > 0; second++) {
      ends = ends.filter((end) => end > second);
      while (queue[0] && queue[0].ready <= second && ends.length < runners) {
        const { ready, duration } = queue.shift()!;
        waits.push(second - ready);
        if (duration > 0) ends.push(second + duration);
      }
    }
    return waits.sort((a, b) => a - b)[Math.ceil(waits.length * 0.95) - 1]!;
  }

  test('a running job counts until now, and a job that did not start does not count', () => {
    const job: Row = { started_at: '2026-11-01T00:00:10Z', queued_duration: 4, status: 'running' };
    expect(loadOf(job, Date.parse('2026-11-01T00:01:00Z'))).toMatchObject({ queued: 4, duration: 50 });
    expect(loadOf({ ...job, started_at: null }, 0)).toBeUndefined();
  });

  test('a time in the queue that the service does not know is not zero', async () => {
    const [started_at, finished_at] = ['2026-11-01T00:00:10Z', '2026-11-01T00:00:20Z'];
    const jobs = [null, null, 100].map((queued_duration, id) => {
      return { id, status: 'success', tag_list: [], queued_duration, started_at, finished_at };
    });
    const line = 'jobs capacity --since 2020-01-01 -p 1 -o json';
    const { out } = await ask(line, { body: JSON.stringify(jobs) });
    expect(JSON.parse(out)).toMatchObject([{ jobs: 3, median: 100, p95: 100 }]);
  });

  test('finds the number of runners of the seeded jobs, and draws a map for people', async () => {
    const rows = await exited(0, world.run('jobs capacity --target 30s -p acme/rocket -o json'));
    expect(rows.err).toContain('only jobs of this project are visible');
    const [linux] = JSON.parse(rows.out);
    expect(linux).toMatchObject({ tags: 'linux', most_at_once: 6 });
    // The map for people has the same facts by weekday and hour.
    expect(linux.week.find(({ day }: { day: string }) => day === 'Wed')).toMatchObject({ hour: 9 });
    const counts = linux.week.map(({ jobs }: { jobs: number }) => jobs);
    expect(counts.reduce((sum: number, jobs: number) => sum + jobs)).toBe(linux.jobs);
    const shown = await world.run('jobs capacity -p acme/rocket');
    expect(shown.out).toMatch(/^Mon /m);
    expect(shown.out).toMatch(/^Sun /m);
  });
});

test.each([
  ['jobs capacity --target 30s -p acme/rocket', 'NEEDED'],
  ['jobs flaky -p acme/rocket', 'RATE'],
  ['jobs timeline 1011 --typical 5 -p acme/rocket', 'SAVES'],
  ['hooks health -g acme', 'BROKEN'],
])('%s keeps %s on a terminal of 40 columns', async (line, column) => {
  const { out } = await world.run(line, { terminal: 40, env: { NO_COLOR: '1' } });
  const [header = ''] = out.split('\n');
  expect(header).toContain(column);
  expect(header.length).toBeLessThanOrEqual(40);
});
