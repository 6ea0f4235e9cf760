/** Generated jobs with plausible durations and runners. */
import { defined } from '../core/lookup.ts';
import type { AnyRow, Pipeline } from '../core/rows.ts';
import { iso, minute } from '../core/time.ts';
import type { Rows } from '../store/store.ts';
import { seededRandom } from './random.ts';

const jobsPerPipeline = 20;
const statuses = ['success', 'success', 'success', 'success', 'failed', 'canceled'];

/** Return a function that makes ended jobs, one each ten seconds until now, and their pipelines. */
export function generatedJobs(jobs: Rows, pipelines: Rows<Pipeline>, now: number, count: number) {
  const roll = seededRandom(count);
  const { id: first, ...model } = defined(pipelines.get(jobs.all()[0]?.['pipeline_id'] as number));
  const plan = jobs.where('pipeline_id', first).filter(({ retried }: AnyRow) => retried === false);
  let pipeline: Pipeline | undefined;
  return (number: number): object => {
    const startedAt = now - (count - number + 60) * 10_000;
    const created_at = iso(startedAt - minute);
    if (pipeline === undefined || number % jobsPerPipeline === 1) {
      pipeline = pipelines.insert({ ...model, created_at, updated_at: created_at });
    }
    const { name, stage, tag_list, allow_failure } = defined(plan[number % plan.length]);
    const status = defined(statuses[roll(statuses.length)]);
    const duration = 20 + roll(400) + roll(1000) / 1000;
    return {
      ...{ pipeline_id: pipeline.id, name, stage, tag_list, allow_failure, status, duration },
      failure_reason: status === 'failed' ? 'script_failure' : null,
      created_at,
      started_at: iso(startedAt),
      finished_at: iso(startedAt + duration * 1000),
      queued_duration: 60,
      runner_id: 1 + (number % 3),
    };
  };
}
