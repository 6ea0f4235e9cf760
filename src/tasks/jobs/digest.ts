/** `jobs digest`: what failed in a pipeline, and why. */
import { usage } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import { type Result, rowsResult } from '../../spec/result.ts';
import type { TaskContext } from '../context.ts';
import { failedJobs } from './outputs.ts';
import {
  byId,
  callsOf,
  countText,
  hasFailed,
  idOf,
  type PipelineJob,
  prepareJobs,
  readJobs,
} from './pipeline.ts';

/** Failures first, then canceled jobs, then those that are allowed to fail. */
const rank = ({ status, allow_failure }: PipelineJob): number =>
  (allow_failure ? 2 : 0) + (status === 'failed' ? 0 : 1);

/** List the failed jobs. @throws Failure `usage` for Markdown in another format */
export async function digestJobs(
  task: TaskContext,
  { markdown }: { readonly markdown?: true | undefined },
): Promise<Result> {
  const { output, json, csv, fields, sortBy, jq } = task.line.options;
  for (const [flag, value] of Object.entries({ output, json, csv, fields, 'sort-by': sortBy, jq }))
    if (markdown && value !== undefined) throw usage(`--markdown and --${flag} cannot be used together`);
  const root = await prepareJobs(task);
  if (task.dryRun) {
    const { jobs, bridges } = callsOf(root);
    return task.requests([jobs, bridges]);
  }
  const jobs = await readJobs(task, root);
  const failed = jobs.filter(hasFailed).sort((a, b) => rank(a) - rank(b) || byId(a, b));
  if (markdown) {
    const { digestMarkdown } = await import('./markdown.ts');
    return { kind: 'text', text: digestMarkdown(idOf(root), jobs, failed) };
  }
  const text = `Pipeline ${idOf(root)}: ${counted(jobs.length, 'job')}: ${countText(jobs)}`;
  return rowsResult(failed, failedJobs, { notes: [{ how: 'say', text }] });
}
