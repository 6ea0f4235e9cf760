/** `svc jobs timeline`: the critical path, compared with pipelines whose dependencies are known, and the picture at every width. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPen } from '../../../src/output/pen.ts';
import type { PipelineJob } from '../../../src/tasks/jobs/pipeline.ts';
import { draw, endOf, savingOf, svgOf, timelineOf, timesByName } from '../../../src/tasks/jobs/timeline.ts';
import { openWorld } from '../../support/sandbox.ts';
import { exited, expectCode } from '../engine/world.ts';

const origin = Date.parse('2026-11-01T00:00:00Z');
const timeAt = (ms: number): string => new Date(origin + ms).toISOString();

interface Known {
  readonly needs: readonly number[];
  readonly queued: number;
  readonly took: number;
  /** Milliseconds that a person waited before a manual start or a retry. */
  readonly idle: number;
  readonly retried: boolean;
  /** In a child pipeline. */
  readonly child: boolean;
  /** Failed in the end, which is allowed. */
  readonly allowed: boolean;
}

const plain = { idle: 0, retried: false, child: false, allowed: false };

/** Milliseconds are odd and large, so that two jobs hardly ever end at the same time. */
const knownJob = fc.record({
  needs: fc.array(fc.nat(30), { maxLength: 3 }),
  queued: fc.integer({ min: 0, max: 60_000 }),
  took: fc.integer({ min: 1, max: 600_000 }),
  idle: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 90_000 })),
  retried: fc.boolean(),
  child: fc.boolean(),
  allowed: fc.boolean(),
});

interface Run {
  readonly ready: number;
  readonly end: number;
  readonly after: Run | undefined;
  readonly job: PipelineJob;
}

/** Runs in which each job waits for those that it needs, and a retry for its first run. */
function simulate(known: readonly Known[]): Run[] {
  const last: Run[] = [];
  const runs: Run[] = [];
  const run = (one: Known, created: number, after: Run | undefined, number: number, status: string): Run => {
    const ready = Math.max(created, after?.end ?? 0) + one.idle;
    const [start, end] = [ready + one.queued, ready + one.queued + one.took];
    const times = { created_at: timeAt(created), started_at: timeAt(start), finished_at: timeAt(end) };
    const job = {
      ...times,
      ...{ id: runs.length + 1, name: `job ${number}`, stage: `stage ${number % 3}`, status },
      pipeline_id: one.child ? 2 : 1,
      queued_duration: one.queued / 1000,
      allow_failure: one.allowed,
    };
    const made = { ready, end, after, job };
    runs.push(made);
    return made;
  };
  known.forEach((one, number) => {
    const needed = one.needs.flatMap((index) => last[index] ?? []);
    const after = needed.sort((a, b) => b.end - a.end)[0];
    const status = one.allowed ? 'failed' : 'success';
    const first = run(one, 0, after, number, one.retried ? 'failed' : status);
    // A retry is created when somebody retries the job.
    last.push(one.retried ? run(one, first.end + one.idle, first, number, status) : first);
  });
  return runs;
}

/** The trigger job of the child pipeline, which lasts as long as its jobs; none without a child pipeline. */
function triggersOf(runs: readonly Run[]): PipelineJob[] {
  const inside = runs.filter(({ job }) => job.pipeline_id === 2);
  if (inside.length === 0) return [];
  const times = { created_at: timeAt(0), started_at: timeAt(Math.min(...inside.map(({ ready }) => ready))) };
  return [
    {
      ...{ id: 1000, pipeline_id: 1, name: 'trigger', stage: 'stage 0', status: 'success', downstream: 2 },
      ...{ ...times, finished_at: timeAt(Math.max(...inside.map(({ end }) => end))) },
      ...{ queued_duration: 0, allow_failure: false },
    },
  ];
}

/** Whether times determine the path: no other job ended between the end of the one that was waited for and the moment of readiness. */
const isDetermined = ({ ready, after }: Run, runs: readonly Run[]): boolean =>
  runs.every((one) => one === after || one.end > ready + 2 || one.end < (after?.end ?? 0) - 2);

describe('the critical path', () => {
  test('is that of the known dependencies where times determine it, and adds up to the whole time', () => {
    let determined = 0;
    fc.assert(
      fc.property(fc.array(knownJob, { minLength: 1, maxLength: 30 }), (known) => {
        const runs = simulate(known);
        const end = Math.max(...runs.map((run) => run.end));
        const pipeline = { created_at: timeAt(0), finished_at: timeAt(end) };
        const all = [...triggersOf(runs), ...runs.map(({ job }) => job).reverse()];
        const { jobs, duration } = timelineOf(pipeline, all, origin);
        expect(duration).toBe(end / 1000);

        const path = jobs.filter(({ critical }) => critical).sort((a, b) => endOf(a) - endOf(b));
        let at = 0;
        let sum = 0;
        for (const { queued } of jobs) expect(queued).toBe(Math.round(queued * 1000) / 1000);
        for (const job of path) {
          expect(job.start - job.queued).toBeGreaterThanOrEqual(at - 0.0021);
          sum += job.start - at + job.duration;
          at = endOf(job);
        }
        expect(sum + duration - at).toBeCloseTo(duration, 6);

        const expected: Run[] = [];
        for (let one = runs.find((run) => run.end === end); one; one = one.after) expected.push(one);
        const isTied = runs.filter((run) => run.end >= end - 2).length > 1;
        if (isTied || !expected.every((run) => isDetermined(run, runs))) return;
        determined += 1;
        expect(path.map(({ id }) => id)).toEqual(expected.reverse().map(({ job }) => job.id));
      }),
      { numRuns: 500 },
    );
    expect(determined).toBeGreaterThan(100);
  });

  test('lasts until now while a job waits, which has no bar', () => {
    const waiting = { id: 1, pipeline_id: 1, name: 'a', stage: 's', status: 'pending', allow_failure: false };
    const timeline = timelineOf({ created_at: timeAt(0) }, [waiting], origin + 60_000);
    expect(timeline).toMatchObject({ duration: 60, jobs: [], waiting: [waiting] });
  });

  test('is counted once per pipeline, with ties, missing times, retries and jobs that run', () => {
    const now = 40;
    const at = (seconds: number) => timeAt(seconds * 1000);
    const anyJob = fc.record({
      name: fc.constantFrom('unit', 'e2e', 'lint'),
      created: fc.nat(3),
      start: fc.option(fc.nat(20)),
      took: fc.option(fc.integer({ min: 1, max: 10 })),
      waited: fc.option(fc.nat(5)),
    });
    const pipelines = fc.array(fc.array(anyJob, { maxLength: 12 }), { maxLength: 4 });
    fc.assert(
      fc.property(pipelines, (all) => {
        const timelines = all.map((jobs) => {
          const rows = jobs.map(({ name, created, start, took, waited }, index) => ({
            ...{ id: index + 1, pipeline_id: 1, name, stage: 'test', allow_failure: false },
            status: start === null ? 'created' : took === null ? 'running' : 'success',
            created_at: at(created),
            started_at: start === null ? null : at(start),
            finished_at: start === null || took === null ? null : at(start + took),
            queued_duration: waited,
          }));
          return timelineOf({ created_at: at(0) }, rows, Date.parse(at(now)));
        });
        const paths = timelines.map((timeline, index) => {
          const started = all[index]!.flatMap(({ created, start, took, waited }, at) => {
            if (start === null) return [];
            const ready = Math.max(start - (waited ?? 0), Math.min(created, start));
            return { id: at + 1, ready, end: took === null ? now : start + took };
          });
          const critical = timeline.jobs.filter((job) => job.critical).map(({ id }) => id);
          const path = started.filter(({ id }) => critical.includes(id)).sort((a, b) => a.end - b.end);
          const latest = (jobs: typeof started) => jobs.sort((a, b) => b.end - a.end)[0]?.end;
          expect(path.at(-1)?.end).toBe(latest([...started]));
          path.forEach(({ ready }, place) => {
            expect(path[place - 1]?.end).toBe(latest(started.filter(({ end }) => end <= ready)));
          });
          return new Set<string>(path.map(({ id }) => all[index]![Number(id) - 1]!.name));
        });
        for (const { name, critical } of timesByName(timelines))
          expect(critical).toBe(paths.filter((names) => names.has(name)).length);
      }),
      { numRuns: 500 },
    );
  });

  test('contains the jobs of a child pipeline in place of the trigger job that waits for it', () => {
    const job = (id: number, pipeline_id: number, start: number, end: number, more = {}): PipelineJob => ({
      ...{ id, pipeline_id, name: `job ${id}`, stage: 'test', status: 'success', allow_failure: false },
      ...{ created_at: timeAt(0), started_at: timeAt(start), finished_at: timeAt(end), queued_duration: 0 },
      ...more,
    });
    const jobs = [
      job(1, 1, 0, 10_000),
      job(2, 1, 10_000, 40_000, { downstream: 2 }),
      job(3, 2, 12_000, 39_000, { created_at: timeAt(11_000) }),
      job(4, 1, 40_000, 50_000),
    ];
    const timeline = timelineOf({ created_at: timeAt(0), finished_at: timeAt(50_000) }, jobs, origin);
    expect(timeline.jobs.filter(({ critical }) => critical).map(({ id }) => id)).toEqual([1, 3, 4]);
  });

  test('a pipeline without a time of creation is an error of the service', () => {
    for (const pipeline of [{}, { created_at: 'unknown' }])
      expect(() => timelineOf(pipeline, [], 0)).toThrow('the pipeline has no time of creation');
  });

  test('a shorter job saves only the time until another job is the last', () => {
    const known = (took: number, ...needs: number[]) => ({ needs, queued: 0, took, ...plain });
    const runs = simulate([known(100_000), known(70_000), known(10_000, 0)]).map(({ job }) => job);
    const timeline = timelineOf({ created_at: timeAt(0), finished_at: timeAt(110_000) }, runs, origin);
    expect(savingOf(timeline, 'job 0', 50)).toBeCloseTo(30, 6);
    expect(savingOf(timeline, 'job 0', 20)).toBeCloseTo(20, 6);
    expect(savingOf(timeline, 'job 1', 20)).toBeCloseTo(0, 6);
  });
});

describe('the picture', () => {
  const runs = simulate(
    Array.from({ length: 12 }, (_, index) => ({
      ...{ ...plain, needs: [index - 1], queued: 4000, took: 90_000, retried: index === 3 },
    })),
  ).map(({ job }, index) => ({ ...job, name: index === 2 ? '构建 <b>&"\u001b[31m' : job.name }));
  const timeline = timelineOf({ created_at: timeAt(0) }, runs, origin);

  test('is never wider than the terminal, from 20 to 200 columns', async () => {
    const { default: stringWidth } = await import('string-width');
    for (const unicode of [true, false])
      for (let width = 20; width <= 200; width++) {
        const lines = draw(
          await createPen(width, { unicode, color: false, accessible: false }),
          'Pipeline 1  main  success',
          timeline,
        );
        expect(lines).toHaveLength(runs.length + 3);
        expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
        expect(lines.join('')).not.toContain('\u001b');
        if (!unicode) expect(lines.slice(4).join('')).toMatch(/^[ -~]*$/);
      }
  });

  test('says which jobs failed without color, as text, in words and as SVG', async () => {
    const world = await openWorld();
    const line = 'jobs timeline 1011 -p acme/rocket';
    const isFailure = (name: string) => expect.stringMatching(name);
    const lines = (await world.run(line)).out.split('\n');
    expect(lines).toContainEqual(isFailure('^ +test:e2e +✗ +░+█+$'));
    expect(lines).toContain('✗ failed');
    const spoken = (await world.run(line, { env: { SVC_ACCESSIBLE: '1' } })).out;
    expect(spoken).toContain('test:e2e failed: waiting 3m2s from 6m29s, running 4m19s from 9m31s\n');
    expect(spoken).not.toMatch(/[░█]/);
    const capacity = await world.run('jobs capacity -p acme/rocket', { env: { SVC_ACCESSIBLE: '1' } });
    expect(capacity.out).toMatch(/^Mon 9: (\d+m)?\d+s$/m);
    expect(capacity.out).not.toMatch(/^0 6 12 18$/m);
    const svg = svgOf('Pipeline 1', {
      ...timeline,
      jobs: timeline.jobs.map((job) => ({
        ...job,
        status: 'failed',
        name: 'n'.repeat(40),
        stage: 's'.repeat(40),
      })),
    });
    expect(svg).toContain(`<title>${'n'.repeat(40)}: failed, 1m30s, queued 4s</title>`);
    expect(svg).toMatch(/>n{25}…( \*)? ✗<\/text>/);
    expect(svg).toContain(`>${'s'.repeat(11)}…</text>`);
  });

  test('as SVG has neither scripts nor markup of names', () => {
    const svg = svgOf('Pipeline 1', timeline);
    expect(svg).toMatch(/^<svg xmlns=/);
    expect(svg).toContain('构建 &lt;b&gt;&amp;&quot;');
    expect(svg).not.toMatch(/<b>|<script|\u001b/);
    expect(svg).toContain('prefers-color-scheme:dark');
    const labels = [...svg.matchAll(/text-anchor="middle">([^<]+)</g)].map(([, label]) => label);
    expect(labels[0]).toBe('0');
    expect(labels.slice(1).every((label) => /^\d+[dhms]/.test(label ?? ''))).toBe(true);
  });
});

test('in the sandbox, prints a picture, the same facts as JSON, and the typical times; replaces no file', async () => {
  const world = await openWorld();
  const picture = await exited(0, world.run('jobs timeline 1012 -p acme/rocket'));
  expect(picture.out).toMatch(/^Pipeline 1012 {2}main {2}running {2}\d+m/);
  const { jobs } = JSON.parse((await world.run('jobs timeline 1012 -p acme/rocket -o json')).out);
  expect(picture.out.trim().split('\n')).toHaveLength(jobs.length + 3);
  const members = 'id name stage status start queued duration critical after';
  expect(Object.keys(jobs[0]).join(' ')).toBe(members);
  const typical = await exited(0, world.run('jobs timeline 1012 --typical 3 -p acme/rocket -o json'));
  expect(typical.err).toContain('3 finished pipelines of main');
  const numbers = { runs: expect.any(Number), median: expect.any(Number) };
  expect(JSON.parse(typical.out)[0]).toMatchObject(numbers);
  const refused = await world.run(`jobs timeline 1012 --svg ${import.meta.filename} -p acme/rocket`);
  expectCode(refused, 2);
  expect(refused.err).toContain('it already exists');
});
