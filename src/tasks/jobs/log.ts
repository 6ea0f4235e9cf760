/** `jobs log`: print the log of a job, while it grows too. */
import { StringDecoder } from 'node:string_decoder';
import { getJob, getLog } from '../../api/jobs.ts';
import { Failure, forPerson, usage } from '../../errors.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import type { Body, File, Frame } from '../../spec/result.ts';
import { collect } from '../../support/bytes.ts';
import { printable, printableText } from '../../support/text/printable.ts';
import type { Progress, TaskContext, TaskWith } from '../context.ts';
import { hasEnded } from './pipeline.ts';

/** Milliseconds between two reads of a log that grows. */
const interval = 3_000;
/** Characters of a line beyond which its parts are processed one by one. */
const longLine = 64 * 1024;
/** Characters of the end of a log that is shown elsewhere. */
const maxLength = 64 * 1024;
/** Lines of the end of a log that may be empty, or contain control sequences only. */
const maxEmpty = 50;

/** The start or the end of a section, as runners mark it: `section_start:1774689340:get_sources[collapsed=true]`. */
const marker = /section_(start|end):(\d{1,11}):([\w.-]+)(?:\[[^\]\n]*\])?\r?(?:\x1b\[0K)?/g;
/** The time, the stream and the kind that some runners write before each line. */
const lineTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z [\da-f]{2}[OE][ +]/;
const sgr = /(\x1b\[[\d;:]*m)/;

/** Split a log into texts of whole lines. Only the last line, or one that is too long, is not whole. */
async function* textsOf(bytes: Body, encoding: 'utf8' | 'latin1'): AsyncGenerator<string> {
  const decoder = new StringDecoder(encoding);
  let rest = '';
  for await (const chunk of bytes) {
    rest += decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    const end = rest.lastIndexOf('\n') + 1 || (rest.length > longLine ? rest.length : 0);
    if (end > 0) yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  yield rest + decoder.end();
}

/** Chunks that are kept until those before the last lines are removed. */
const maxChunks = 64;

/** Keep only the last lines before the first empty chunk, or before the end. */
export async function* lastLines(bytes: Body, count: number): AsyncGenerator<Uint8Array> {
  let kept: Uint8Array[] | undefined = [];
  for await (const chunk of bytes) {
    if (!kept) yield chunk;
    else if (chunk.length === 0) {
      yield endOf(kept, count);
      kept = undefined;
    } else {
      kept.push(chunk);
      if (kept.length === maxChunks) kept = [endOf(kept, count)];
    }
  }
  if (kept) yield endOf(kept, count);
}

function endOf(kept: readonly Uint8Array[], count: number): Buffer {
  const all = Buffer.concat(kept);
  let start = all.at(-1) === 0x0a ? all.length - 1 : all.length;
  for (let line = 0; line < count; line++) {
    const before = start === 0 ? -1 : all.lastIndexOf(0x0a, start - 1);
    if (before < 0) return all;
    start = before;
  }
  return all.subarray(start + 1);
}

/** Read the last lines of a log that are not empty as plain text. */
export async function endOfLog(task: TaskContext, call: Call, lines: number): Promise<string[]> {
  const read = lastLines(task.appended(call)(), lines + maxEmpty);
  const text = Buffer.from(await collect(read)).toString('utf8');
  const all = text
    .slice(-maxLength)
    .split(/\r?\n/)
    .map((line) => line.replace(marker, '').replace(lineTime, ''))
    .map((line) => printable(line.replace(/\x1b\[[\d;:]*[A-Za-z]/g, '')));
  return all.filter((line) => line.trim() !== '').slice(-lines);
}

/** Put the time that the log states before each line: of the line, or else of its section. Other bytes are unchanged. */
async function* withTimes(bytes: Body): AsyncGenerator<Uint8Array> {
  let time = ' '.repeat(20);
  let isStart = true;
  const stamp = (line: string): string => {
    const [own, at] = lineTime.exec(line) ?? [];
    const seconds = [...line.matchAll(marker)].at(-1)?.[2];
    if (at !== undefined) time = `${at}Z`;
    else if (seconds !== undefined) time = `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
    return `${time} ${line.slice(own?.length ?? 0)}`;
  };
  for await (const text of textsOf(bytes, 'latin1')) {
    const parts = text.split(/(?<=\n)/);
    const stamped = parts.map((line, at) => (line === '' || (at === 0 && !isStart) ? line : stamp(line)));
    if (text !== '') isStart = text.endsWith('\n');
    yield Buffer.from(stamped.join(''), 'latin1');
  }
}

/** Make a log safe for a terminal: colors stay, sections show their names, and other control sequences are removed. */
const shown: NonNullable<File['shown']> = async function* (bytes, { color, unicode }) {
  const title = (name: string) => {
    const text = `${unicode ? '▸' : '>'} ${name}`;
    return `${color ? `\u001b[1m${text}\u001b[0m` : text}  `;
  };
  let isPainted = false;
  try {
    for await (const text of textsOf(bytes, 'utf8')) {
      const plain = text
        .replace(new RegExp(lineTime, 'gm'), '')
        .replace(marker, (_, side, __, name) => (side === 'start' ? title(name) : ''))
        .replace(/\r(?=[^\n])/g, ' ');
      const parts = plain.split(sgr).map((part, at) => (at % 2 === 1 && color ? part : printableText(part)));
      isPainted ||= parts.length > 1 && color;
      yield Buffer.from(parts.join(''));
    }
  } finally {
    if (isPainted) yield Buffer.from('\u001b[0m');
  }
};

/** Stream the log until the job has ended. An empty chunk follows each part that the service had. @param end called with the job */
async function* followed(task: TaskContext, job: Call, read: () => Body, end: (job: Row) => void) {
  let waiting: Progress | undefined;
  let isEmpty = true;
  try {
    for (;;) {
      const { value } = await task.call(job);
      for await (const chunk of read()) {
        waiting?.end();
        isEmpty = false;
        yield chunk;
      }
      yield new Uint8Array(0);
      if (hasEnded(value)) return end(value);
      const state = `waiting for the log of job ${job.slots['job_id']}: ${value['status']}`;
      if (isEmpty && waiting) waiting.step(state);
      else if (isEmpty) waiting = task.waiting(state);
      await task.pause(interval);
    }
  } finally {
    waiting?.end();
  }
}

/** Say that a log is empty, as before a job starts. */
async function* orNone(task: TaskContext, bytes: Body): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const chunk of bytes) {
    isEmpty = false;
    yield chunk;
  }
  if (isEmpty) task.note('the log is empty; while the job waits or runs, --follow prints what is added');
}

function outcomeOf(task: TaskContext, id: string, job: Row): Frame {
  const { name, status, failure_reason: reason, allow_failure: isAllowed } = job;
  const title = `job ${id} (${name})`;
  const next = (command: string) => task.resumeCommand(['jobs', command, id]);
  if (status === 'manual')
    return { notes: [{ how: 'say', text: `${title} was not started; start it with: ${next('play')}` }] };
  if ((status !== 'failed' && status !== 'canceled') || isAllowed === true)
    return { notes: [{ how: 'done', text: `Finished ${title}: ${status}` }] };
  const hint = forPerson(`run it again with: ${next('retry')}`);
  const details = typeof reason === 'string' ? [reason] : [];
  return { failure: new Failure('unsuccessful', `${title} ended as ${status}`, { details, hint }) };
}

export const printLog: TaskWith<{ follow: true; tail: number; timestamps: true }> = async (task, options) => {
  const call = await task.prepare({ endpoints: [getLog] });
  const job: Call = { endpoint: getJob, slots: call.slots, values: {} };
  const flag = (['follow', 'tail', 'timestamps'] as const).find((name) => options[name] !== undefined);
  if (flag && task.line.options.outputFile !== undefined)
    throw usage(`--output-file cannot be used with --${flag}`, 'redirect standard output to a file instead');
  if (task.dryRun) return task.requests(options.follow ? [job, call] : [call]);
  if (task.line.options.outputFile !== undefined) return task.run(call);
  const read = task.appended(call);
  const file: { -readonly [K in keyof File]: File[K] } = { kind: 'file', bytes: orNone(task, read()), shown };
  const end = (ended: Row) => Object.assign(file, outcomeOf(task, call.slots['job_id'] ?? '', ended));
  if (options.follow) file.bytes = followed(task, job, read, end);
  if (options.tail !== undefined) file.bytes = lastLines(file.bytes, options.tail);
  if (options.timestamps) file.bytes = withTimes(file.bytes);
  return file;
};
