/** Logs of jobs, generated from the job: the same in every run, and growing with the clock while it runs. */
import type { Job, Pipeline } from '../../core/rows.ts';

const green = '\u001b[32;1m';
const red = '\u001b[31;1m';
const cyan = '\u001b[36;1m';
const reset = '\u001b[0;m';
const clear = '\r\u001b[0K';

/** Seconds between two lines of the script. */
const pace = 2;
/** Seconds before the script begins. */
const preparation = 3;
/** Lines of a script that runs for longer than all of them take. */
const maxLines = 2_000;

/** Reasons of failures, with the last lines of the log. */
const endings: Readonly<Record<string, string>> = {
  script_failure: 'ERROR: Job failed: exit code 1',
  job_execution_timeout: 'ERROR: Job failed: execution took longer than 1h0m0s seconds',
  stuck_or_timeout_failure: 'ERROR: Job failed: the job was stuck',
  runner_system_failure: 'ERROR: Job failed (system failure): lost the connection to the runner',
};

/** A section with its heading, as runners mark it. */
function section(name: string, from: number, to: number | undefined, lines: readonly string[]): string {
  const [heading = '', ...rest] = lines;
  const start = `section_start:${Math.round(from)}:${name}${clear}${cyan}${heading}${reset}\n`;
  const body = rest.map((line) => `${line}\n`).join('');
  return to === undefined ? start + body : `${start}${body}section_end:${Math.round(to)}:${name}${clear}`;
}

/** A line of the script, the same for a job and a number. */
function step(job: Job, number: number): string {
  const subjects = ['parser', 'launch', 'orbit', 'landing', 'telemetry', 'fuel', 'cli'];
  const subject = subjects[(job.id + number * 3) % subjects.length];
  return `ok ${number} - ${subject}: case ${((job.id * 7 + number * 13) % 40) + 1} (${(job.id + number) % 9}0 ms)`;
}

const failure = (job: Job, number: number): string[] => [
  `${red}not ok ${number} - ${job.name}: lands within 3 m of the target${reset}`,
  '  expected: 3',
  '  received: 4.2',
  `  at src/main.ts:${10 + (job.id % 80)}`,
];

/**
 * Return the log of a job.
 * @param now milliseconds since the epoch; the log of a running job has the lines until then
 */
export function logOf(job: Job, pipeline: Pipeline | undefined, now: number): string {
  const { started_at, finished_at, erased_at } = job;
  if (typeof started_at !== 'string' || erased_at) return '';
  const start = Date.parse(started_at) / 1000;
  const end = typeof finished_at === 'string' ? Date.parse(finished_at) / 1000 : undefined;
  const seconds = (end ?? now / 1000) - start;
  const runner = job['runner'] as { description: string } | null;
  const manager = job['runner_manager'] as { version: string; revision: string; system_id: string } | null;
  const head = [
    `Running with runner ${manager?.version} (${manager?.revision})`,
    `  on ${runner?.description}, system ID: ${manager?.system_id}`,
  ].map((line) => `${line}\n`);
  const executor = section('prepare_executor', start, start + 1, [
    'Preparing the environment',
    'Using the image alpine:3.22',
  ]);
  if (seconds < preparation) return head.join('') + executor;
  const sources = section('get_sources', start + 1, start + preparation, [
    'Getting source from Git repository',
    `Checking out ${pipeline?.sha.slice(0, 8)} as detached HEAD (ref is ${pipeline?.ref})...`,
  ]);
  const count = Math.min(maxLines, Math.floor((seconds - preparation) / pace));
  const variables = (job['variables'] as { key: string }[] | undefined) ?? [];
  const isFailed = job.status === 'failed';
  const lines = [
    'Executing the script of the job',
    ...(variables.length > 0 ? [`Variables of this run: ${variables.map(({ key }) => key).join(', ')}`] : []),
    `$ make ${job.name.split(/[ :]/, 1)[0]} JOB="${job.name}"`,
    ...Array.from({ length: count }, (_, at) => step(job, at + 1)),
    ...(isFailed && job['failure_reason'] === 'script_failure' ? failure(job, count + 1) : []),
  ];
  const script = section('step_script', start + preparation, end, lines);
  const body = [...head, executor, sources, script].join('');
  if (end === undefined) return body;
  if (isFailed) {
    const text = endings[String(job['failure_reason'])] ?? `ERROR: Job failed: ${job['failure_reason']}`;
    return `${body}${red}${text}${reset}\n`;
  }
  return job.status === 'canceled'
    ? `${body}${red}ERROR: Job failed: canceled${reset}\n`
    : `${body}${green}Job succeeded${reset}\n`;
}
