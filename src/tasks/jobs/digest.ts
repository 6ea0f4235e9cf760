/** `jobs digest`: what failed in a pipeline, and why. */
import { pipelineCalls } from '../../api/jobs.ts';
import { usage } from '../../errors.ts';
import { type Endpoint, wholeListOf } from '../../spec/endpoint.ts';
import { bool, int, number, text, url } from '../../spec/field.ts';
import { counted } from '../../spec/noun.ts';
import type { TaskContext } from '../context.ts';
import { callsOf, countText, hasFailed, idOf, type PipelineJob, prepareJobs, readJobs } from './pipeline.ts';

const failedJobs: Endpoint = {
  ...pipelineCalls.jobs,
  noun: 'failed job',
  returns: wholeListOf({
    id: int('Job id'),
    pipeline_id: int('Id of the pipeline or child pipeline'),
    name: text('Name'),
    stage: text('Stage'),
    status: text('Status: failed or canceled'),
    allow_failure: bool('Allowed to fail without failing the pipeline'),
    failure_reason: text('Reason for the failure', { nullable: true }),
    duration: number('Duration in seconds', { nullable: true }),
    queued_duration: number('Time in the queue, in seconds', { nullable: true }),
    web_url: url('Web page of the job'),
  }),
  columns: [
    'id',
    'status',
    { path: 'allow_failure', label: 'ALLOWED' },
    'name',
    // The reason must stay on a narrow terminal.
    { path: 'failure_reason', label: 'REASON', kind: 'name' },
    'duration',
    { path: 'queued_duration', label: 'QUEUED', kind: 'duration' },
    'stage',
    { path: 'web_url', label: 'URL' },
  ],
};

/** Failures first, then canceled jobs, then those that are allowed to fail. */
const rank = ({ status, allow_failure }: PipelineJob): number =>
  (allow_failure ? 2 : 0) + (status === 'failed' ? 0 : 1);

/** Print the failed jobs. @throws Failure `usage` for Markdown in another format */
export async function printDigest(
  task: TaskContext,
  { markdown }: { readonly markdown?: true | undefined },
): Promise<void> {
  if (markdown && task.line.options.output !== undefined)
    throw usage('--markdown and --output cannot be used together');
  const root = await prepareJobs(task);
  if (task.dryRun) {
    const { jobs, bridges } = callsOf(root);
    for (const call of [jobs, bridges]) await task.show(call);
    return;
  }
  const jobs = await readJobs(task, root);
  const failed = jobs.filter(hasFailed).sort((a, b) => rank(a) - rank(b) || a.id - b.id);
  if (markdown) {
    const { digestMarkdown } = await import('./markdown.ts');
    task.write(digestMarkdown(idOf(root), jobs, failed));
    return;
  }
  await task.printRows(failed, failedJobs);
  task.note(`Pipeline ${idOf(root)}: ${counted(jobs.length, 'job')}: ${countText(jobs)}`);
}
