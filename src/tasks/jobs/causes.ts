/** What `jobs digest` tells about a failed job: when it passed last, whether it is flaky, and the end of its log. */
import { getLog } from '../../api/jobs.ts';
import { Failure, isFromSignal } from '../../errors.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import type { Note } from '../../spec/result.ts';
import { collect } from '../../support/bytes.ts';
import { isRecord } from '../../support/record.ts';
import type { Pen } from '../../support/text/pen.ts';
import { printable } from '../../support/text/printable.ts';
import type { TaskContext } from '../context.ts';
import { ifAvailable } from '../engine/codecs.ts';
import { Outcomes } from './flaky.ts';
import { openHistory } from './history.ts';
import { lastLines, withoutMarkers } from './log.ts';
import { idIn, type PipelineJob } from './pipeline.ts';

/** The newest pipelines of the branch that are compared. */
const comparedPipelines = 20;
/** The failed jobs whose logs are read. */
const maxLogs = 10;
/** Bytes of the lines of one log. */
const maxBytes = 64 * 1024;

export interface Cause {
  /** Pipelines of the same branch: `1005–1010`. */
  readonly passed_in: string | null;
  readonly flaky: boolean;
  readonly log: readonly string[];
}

/** The last consecutive pipelines before another one in which a job passed. @param runs the runs of the job */
export function passedIn(runs: readonly Row[], before: number | bigint): string | null {
  const passed = new Map<number | bigint, boolean>();
  for (const { pipeline, status } of runs) {
    const id = idIn(pipeline);
    if (id === undefined || id >= before || (status !== 'success' && status !== 'failed')) continue;
    passed.set(id, passed.get(id) === true || status === 'success');
  }
  const newest = [...passed].sort(([a], [b]) => (a < b ? 1 : -1));
  const start = newest.findIndex(([, isPassed]) => isPassed);
  if (start < 0) return null;
  const end = newest.findIndex(([, isPassed], at) => at > start && !isPassed);
  const [to, from] = [newest[start], newest.at(end < 0 ? -1 : end - 1)].map((one) => String(one?.[0]));
  return from === to ? String(to) : `${from}–${to}`;
}

/** Read the last lines of a log as plain text. */
export async function endOfLog(task: TaskContext, call: Call, lines: number): Promise<string[]> {
  const text = Buffer.from(await collect(lastLines(task.appended(call)(), lines))).toString('utf8');
  const all = text
    .slice(-maxBytes)
    .split(/\r?\n/)
    .map((line) => printable(withoutMarkers(line)));
  return all.filter((line) => line.trim() !== '').slice(-lines);
}

/** Explain failed jobs. @param lines of each log */
export async function causesOf(
  task: TaskContext,
  { slots }: Call,
  failed: readonly PipelineJob[],
  lines: number,
): Promise<{ readonly causes: ReadonlyMap<unknown, Cause>; readonly notes: readonly Note[] }> {
  const ref = failed[0]?.['ref'];
  const period = { last: comparedPipelines, ...(typeof ref === 'string' && { ref }) };
  const history = await openHistory(task, period, slots['id']);
  const names = new Set(failed.map(({ name }) => name));
  const outcomes = new Outcomes();
  const runs: Row[] = [];
  const readHistory = async () => {
    for await (const job of history.jobs) {
      outcomes.add(job);
      if (names.has(String(job['name']))) runs.push(pickRun(job));
    }
    return history.note();
  };
  const notes: Note[] = [];
  const note = await ifAvailable(readHistory());
  if (note) notes.push(note);
  const flaky = new Set(outcomes.rows().map(({ job }) => job));
  const causes = new Map<unknown, Cause>();
  for (const [at, { id, name, pipeline_id }] of failed.entries()) {
    const call = { endpoint: getLog, slots: { ...slots, job_id: String(id) }, values: {} };
    const isRead = lines > 0 && at < maxLogs;
    const reading = isRead ? ifAvailable(endOfLog(task, call, lines)) : undefined;
    const log =
      (await reading?.catch((error: unknown) => {
        if (!(error instanceof Failure) || isFromSignal(error)) throw error;
        notes.push({ how: 'warn', text: `log of job ${id} not read: ${error.message}` });
        return undefined;
      })) ?? [];
    const own = runs.filter((run) => run['name'] === name);
    causes.set(id, { passed_in: passedIn(own, pipeline_id), flaky: flaky.has(name), log });
  }
  return { causes, notes };
}

const pickRun = ({ name, status, pipeline }: Row): Row => ({
  ...{ name, status },
  pipeline: { id: isRecord(pipeline) ? pipeline['id'] : undefined },
});

/** Draw the causes below the table, each with the next commands. */
export function drawCauses(
  pen: Pen,
  pipeline: string,
  failed: readonly PipelineJob[],
  causes: ReadonlyMap<unknown, Cause>,
  command: (words: readonly string[]) => string,
): string[] {
  return failed.slice(0, maxLogs).flatMap((job) => {
    const { id, name, pipeline_id, downstream } = job;
    const { passed_in, flaky, log } = causes.get(id) ?? { passed_in: null, flaky: false, log: [] };
    const facts = [
      passed_in === null ? 'never passed in the last pipelines' : `passed in ${passed_in}`,
      flaky ? 'flaky' : 'not flaky',
    ];
    const isTrigger = 'downstream_pipeline' in job;
    const words = isTrigger
      ? [['digest', downstream] as const]
      : ([
          ['log', id],
          ['retry', id],
        ] as const);
    const next = words.flatMap(([word, of]) => (of === undefined ? [] : command(['jobs', word, String(of)])));
    const place = String(pipeline_id) === pipeline ? '' : ` (pipeline ${pipeline_id})`;
    const cut = (line: string) => pen.fit(line, pen.width).trimEnd();
    return [
      '',
      pen.paint('removed', cut(`${name}${place}: ${facts.join(', ')}`)),
      ...log.map((line) => cut(`  ${line}`)),
      ...next.map((line) => `  ${pen.paint('changed', line)}`),
    ];
  });
}
