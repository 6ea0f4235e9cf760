/** `errors send`: send an event to the DSN of a project (section 6.2). */
import { randomUUID } from 'node:crypto';
import { listClientKeys } from '../../api/client-keys.ts';
import { Failure, type Kind, usage } from '../../errors.ts';
import { done, objectResult } from '../../spec/result.ts';
import { parseUrl } from '../../support/url.ts';
import { readText, startOf, type TaskContext, type TaskWith, valuesOf } from '../context.ts';
import { plannedPosts } from '../hooks/calls.ts';

/** Stack traces as programs print them. */

interface Language {
  readonly frame: RegExp;
  /** The text between an exception and its cause. */
  readonly between: RegExp;
  /** The outermost frame and the cause are printed first. */
  readonly outermostFirst?: true;
  /** The last line that matches contains the type and the message. */
  readonly title: RegExp;
  /** The lines of the title. @param first the index of the first frame */
  readonly titles: (lines: readonly string[], first: number) => readonly string[];
}

/** `java.io.IOException: disk full`, `ValueError` */
const title = /^(?:Exception in thread "[^"]*" |Uncaught )?(?<type>[A-Za-z_][\w.$]*)(?:: (?<value>.*))?$/;
const linesBefore = (lines: readonly string[], first: number) => lines.slice(0, first);

const languages: readonly Language[] = [
  {
    // Python: `File "a.py", line 3, in open`
    frame: /^\s*File "(?<file>.+)", line (?<line>\d+)(?:, in (?<name>.+))?$/,
    between:
      /^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$/m,
    outermostFirst: true,
    title,
    titles: (lines, first) => lines.slice(first),
  },
  {
    // Node.js: `at open (file.js:1:2)`, `at file.js:1:2`
    frame:
      /^\s*at (?:(?<name>.+?) \()?(?<file>(?:\w+:\/\/)?[^()\s][^()]*?):(?<line>\d+):(?<column>\d+)\)?(?: \{)?$/,
    between: /^[^\S\n]*\[cause\]: /m,
    title,
    titles: linesBefore,
  },
  {
    // Java: `at a.b.C.open(C.java:12)`, `at a.b.C.open(Native Method)`
    frame: /^\s*at (?<name>[\w.$<>/]+)\((?<file>[^():]+)(?::(?<line>\d+))?\)$/,
    between: /^Caused by: /m,
    title,
    titles: linesBefore,
  },
  {
    // Ruby: ``from a.rb:3:in `open'``, after ``a.rb:3:in `open': no fuel (RuntimeError)``
    frame: /^\s*(?:from )?(?<file>[^\s:]+\.rb):(?<line>\d+):in [`'](?<name>.+?)'/,
    between: /\n(?=\S[^\n]*:in [`'][^`'\n]+': [^\n]* \([A-Z][\w:]*\)(?:\n|$))/,
    title: /:in [`'][^`']+': (?<value>.*) \((?<type>[A-Z][\w:]*)\)$/,
    titles: (lines, first) => lines.slice(first, first + 1),
  },
];

function parseOne(text: string, language: Language) {
  const lines = text.split('\n');
  const found = lines.map((line) => language.frame.exec(line)?.groups);
  const first = found.findIndex((groups) => groups);
  if (first < 0) return undefined;
  const frames = found.flatMap((groups) => {
    if (!groups) return [];
    const { file = '', name, line, column } = groups;
    const place = { ...(line && { lineno: Number(line) }), ...(column && { colno: Number(column) }) };
    return [{ filename: file, function: name?.trim() || '<anonymous>', ...place }];
  });
  const titled = language.titles(lines, first).findLast((line) => language.title.test(line));
  const { type = 'Error', value = '' } = language.title.exec(titled ?? '')?.groups ?? {};
  /** The class of the exception, its message, and the frames, the outermost first. */
  return { type, value, frames: language.outermostFirst ? frames : frames.reverse() };
}

/**
 * Parse a stack trace of Node.js, Java, Python or Ruby.
 * @returns the exceptions, each after its cause; none if no line is a frame
 */
export function parseStack(text: string) {
  // Java prints exceptions of closed resources inside of the trace.
  const lines = text.replaceAll('\r\n', '\n').replace(/^\t+Suppressed: .*\n(?:\t\t.*\n?)*/gm, '');
  for (const language of languages) {
    const stacks = lines.split(language.between).flatMap((part) => parseOne(part, language) ?? []);
    if (stacks.length > 0) return language.outermostFirst ? stacks : stacks.reverse();
  }
  return [];
}

const dsnLimit = 4096;
const stackLimit = 1024 * 1024;
const variable = 'SVC_DSN';

/** Parse a DSN: `https://<key>@host/path/<project id>`. @throws Failure `usage`; the message never contains the DSN */
function parseDsn(text: string, source: string) {
  const dsn = parseUrl(text);
  const [, path = '', project] = /^(.*)\/([^/]+)\/?$/.exec(dsn?.pathname ?? '') ?? [];
  if (!dsn || !/^https?:$/.test(dsn.protocol) || project === undefined || !/^\w+$/.test(dsn.username))
    throw usage(
      `${source} is not a valid DSN`,
      'a DSN has the form https://<key>@<host>/<path>/<project id>',
    );
  return { url: new URL(`${dsn.origin}${path}/api/${project}/envelope/`), key: dsn.username, project };
}

async function findDsn(task: TaskContext, typed?: string): Promise<[text: string, source: string]> {
  if (typed !== undefined) {
    const path = typed === '-' ? typed : /^@(.+)$/.exec(typed)?.[1];
    if (path === undefined)
      throw usage('--dsn must be @<file> or -, because other users can read the command line', [
        `set ${variable}, or use --project to read the DSN from the service`,
      ]);
    return [await readText(task, path, '--dsn', dsnLimit), '--dsn'];
  }
  const given = task.env(variable);
  if (given && task.line.project === undefined) return [given, variable];
  if (task.target()?.scope !== 'project')
    throw usage('no DSN is given', [`use --dsn @<file>, --project or ${variable}`]);
  const call = await task.prepare({ endpoints: [listClientKeys], line: { args: {}, fields: {} } });
  for await (const { active, tracker_dsn: dsn } of task.rows(call))
    if (active === true && typeof dsn === 'string') return [dsn, 'the DSN of the project'];
  const hint = 'create one with svc client-keys create';
  throw new Failure('not_found', 'the project has no active client key', { hint });
}

async function readStacks(task: TaskContext, typed: string | undefined) {
  if (typed === undefined) return [];
  const path = typed === '-' ? typed : typed.replace(/^@/, '');
  const stacks = parseStack(await readText(task, path, '--stack-trace', stackLimit));
  if (stacks.length === 0)
    throw usage(
      '--stack-trace contains no stack frames',
      'stack traces of Node.js, Java, Python and Ruby are supported',
    );
  return stacks;
}

function kindOf(status: number): Kind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'rejected';
}

const hints: Partial<Record<Kind, string>> = {
  auth: 'the client key may be deleted: list the keys with svc client-keys list',
  not_found: 'the project may not track errors: see svc error-tracking get',
};

export const send: TaskWith<{ dsn: string; message: string; level: string; stackTrace: string }> = async (
  task,
  options,
) => {
  const { dsn, message, level = 'error', stackTrace } = options;
  if (message === undefined && stackTrace === undefined)
    throw usage('--message or --stack-trace is required');
  if (message?.trim() === '') throw usage('--message requires a text');
  const words = valuesOf(task, 'tag');
  if (words.some((word) => word.indexOf('=') < 1))
    throw usage('--tag requires key=value', 'for example: --tag release=1.2.0');
  const tags = Object.fromEntries(
    words.map((word) => [word.replace(/=.*/s, ''), word.replace(/^.*?=/s, '')]),
  );
  task.requireWrite();
  const stacks = await readStacks(task, stackTrace);
  const [found, source] = await findDsn(task, dsn);
  const { url, key, project } = parseDsn(found.trim(), source);
  task.conceal([found.trim(), key]);
  const event_id = randomUUID().replaceAll('-', '');
  const timestamp = new Date(task.now()).toISOString();
  const values = stacks.map(({ type, value, frames }, index) => ({
    type,
    value: value || (index === stacks.length - 1 ? (message ?? '') : ''),
    stacktrace: { frames },
  }));
  const exception = values.length === 0 ? {} : { exception: { values } };
  const lines = [
    { event_id, sent_at: timestamp },
    { type: 'event', content_type: 'application/json' },
    { event_id, timestamp, platform: 'other', level, message, tags, ...exception },
  ];
  const request = {
    url,
    headers: [
      ['Content-Type', 'application/x-sentry-envelope'],
      ['User-Agent', 'svc'],
      ['X-Sentry-Auth', `Sentry sentry_version=7, sentry_client=svc/1, sentry_key=${key}`],
    ] as const,
    secrets: [key],
    body: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  };
  if (task.dryRun) return plannedPosts(request);
  const response = await task.post(request);
  const { status } = response;
  if (status < 200 || status > 299) {
    const kind = kindOf(status);
    throw new Failure(kind, `the service did not accept the event (status ${status})`, {
      details: startOf(response),
      hint: hints[kind] ?? [],
      exchange: { method: 'POST', url: `${url.origin}${url.pathname}`, status },
    });
  }
  const notes = [{ how: 'done', text: `Sent event ${event_id} to project ${project}` }] as const;
  return task.format === undefined ? done({ notes }) : objectResult({ id: event_id }, undefined, { notes });
};
