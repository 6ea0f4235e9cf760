/** `errors send`: send an event to the DSN of a project (section 6.2). */
import { randomUUID } from 'node:crypto';
import { listClientKeys } from '../../api/client-keys.ts';
import { Failure, type Kind, usage } from '../../errors.ts';
import { done, objectResult, type Result } from '../../spec/result.ts';
import { parseUrl } from '../../support/url.ts';
import { readText, startOf, type TaskContext, valuesOf } from '../context.ts';
import { parseStack } from './stack.ts';

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

async function dsnOfProject(task: TaskContext): Promise<string> {
  const line = { ...task.line, args: {}, words: [], fields: {}, options: {}, repeated: [] };
  const call = await task.prepare({ endpoints: [listClientKeys], line });
  for await (const { active, tracker_dsn: dsn } of task.rows(call))
    if (active === true && typeof dsn === 'string') return dsn;
  throw new Failure('not_found', 'the project has no active client key', {
    hint: 'create one with svc client-keys create',
  });
}

async function findDsn(
  task: TaskContext,
  typed: string | undefined,
): Promise<[text: string, source: string]> {
  if (typed !== undefined) {
    const path = typed === '-' ? typed : /^@(.+)$/.exec(typed)?.[1];
    if (path === undefined)
      throw usage('--dsn must be @<file> or -, because other users can read the command line', [
        `or set ${variable}, or use --project to read the DSN from the service`,
      ]);
    return [await readText(task, path, '--dsn', dsnLimit), '--dsn'];
  }
  const given = task.env(variable);
  if (given && task.line.project === undefined) return [given, variable];
  if (task.target()?.scope === 'project') return [await dsnOfProject(task), 'the DSN of the project'];
  throw usage('no DSN is given', [`use --dsn @<file>, --project or ${variable}`]);
}

function readTags(task: TaskContext): Record<string, string> {
  const tags = valuesOf(task, 'tag');
  if (tags.some((word) => word.indexOf('=') < 1))
    throw usage('--tag requires key=value', 'for example: --tag release=1.2.0');
  return Object.fromEntries(tags.map((word) => [word.replace(/=.*/s, ''), word.replace(/^.*?=/s, '')]));
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

export async function send(
  task: TaskContext,
  {
    dsn,
    message,
    level = 'error',
    stackTrace,
  }: Readonly<Partial<Record<'dsn' | 'message' | 'level' | 'stackTrace', string | undefined>>>,
): Promise<Result> {
  if (message === undefined && stackTrace === undefined)
    throw usage('--message or --stack-trace is required');
  if (message?.trim() === '') throw usage('--message requires a text');
  if (dsn === '-' && stackTrace === '-')
    throw usage('--dsn and --stack-trace cannot both read standard input');
  const tags = readTags(task);
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
  const response = await task.post({
    url,
    headers: [
      ['Content-Type', 'application/x-sentry-envelope'],
      ['User-Agent', 'svc'],
      ['X-Sentry-Auth', `Sentry sentry_version=7, sentry_client=svc/1, sentry_key=${key}`],
    ],
    secrets: [key],
    body: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  });
  const { status } = response;
  if (status < 200 || status > 299) {
    const kind = kindOf(status);
    throw new Failure(kind, `the service did not accept the event (status ${status})`, {
      details: startOf(response),
      hint: hints[kind] ?? [],
      exchange: { method: 'POST', url: `${url.origin}${url.pathname}`, status },
    });
  }
  task.done(`Sent event ${event_id} to project ${project}`);
  return task.format === undefined ? done() : objectResult({ id: event_id });
}
