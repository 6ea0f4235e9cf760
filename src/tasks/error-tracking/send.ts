/** `errors send`: send an event to the DSN of a project (section 6.2). */
import { randomUUID } from 'node:crypto';
import { listClientKeys } from '../../api/client-keys.ts';
import { Failure, type Kind, usage } from '../../errors.ts';
import { done, objectResult, type Result } from '../../spec/result.ts';
import { decode } from '../../support/bytes.ts';
import { isRecord } from '../../support/record.ts';
import { parseUrl } from '../../support/url.ts';
import type { TaskContext } from '../context.ts';
import { parseStack } from './stack.ts';

/** The flags of the command. */
export interface SendOptions {
  readonly dsn?: string | undefined;
  readonly message?: string | undefined;
  readonly level?: string | undefined;
  readonly stackTrace?: string | undefined;
}

const dsnLimit = 4096;
const stackLimit = 1024 * 1024;
const variable = 'SVC_DSN';

/** The address of a DSN, and the key that it embeds. */
interface Dsn {
  readonly url: URL;
  readonly key: string;
  readonly project: string;
}

/** Parse a DSN: `https://<key>@host/path/<project id>`. @throws Failure `usage`; the message never contains the DSN */
export function parseDsn(text: string, source: string): Dsn {
  const dsn = parseUrl(text);
  const [, path = '', project] = /^(.*)\/([^/]+)\/?$/.exec(dsn?.pathname ?? '') ?? [];
  if (!dsn || !/^https?:$/.test(dsn.protocol) || project === undefined || !/^\w+$/.test(dsn.username))
    throw usage(
      `${source} is not a valid DSN`,
      'a DSN has the form https://<key>@<host>/<path>/<project id>',
    );
  return { url: new URL(`${dsn.origin}${path}/api/${project}/envelope/`), key: dsn.username, project };
}

/** The DSN of the first active client key of the project. */
async function dsnOfProject(task: TaskContext): Promise<string> {
  const line = { ...task.line, args: {}, words: [], fields: {}, options: {}, repeated: [] };
  const call = await task.prepare({ endpoints: [listClientKeys], line });
  for await (const { active, tracker_dsn: dsn } of task.rows(call))
    if (active === true && typeof dsn === 'string') return dsn;
  throw new Failure('not_found', 'the project has no active client key', {
    hint: 'create one with svc client-keys create',
  });
}

async function readDsn(task: TaskContext, { dsn: typed }: SendOptions): Promise<Dsn> {
  if (typed !== undefined) {
    const path = typed === '-' ? typed : /^@(.+)$/.exec(typed)?.[1];
    if (path === undefined)
      throw usage('--dsn must be @<file> or -, because other users can read the command line', [
        `or set ${variable}, or use --project to read the DSN from the service`,
      ]);
    return concealed(task, decode(await task.read(path, '--dsn', dsnLimit)) ?? '', '--dsn');
  }
  if (task.line.project !== undefined)
    return concealed(task, await dsnOfProject(task), 'the DSN of the project');
  const value = task.env(variable);
  if (value) return concealed(task, value, variable);
  if (task.scoped()?.scope === 'project')
    return concealed(task, await dsnOfProject(task), 'the DSN of the project');
  throw usage('no DSN is given', [`use --dsn @<file>, --project or ${variable}`]);
}

function concealed(task: TaskContext, text: string, source: string): Dsn {
  const dsn = parseDsn(text.trim(), source);
  task.conceal([text.trim(), dsn.key]);
  return dsn;
}

/** @throws Failure `usage` for a tag without a value */
function readTags(task: TaskContext): Record<string, string> {
  const tags: [string, string][] = [];
  for (const [flag, word] of task.line.repeated) {
    const at = word.indexOf('=');
    if (flag === 'tag' && at < 1) throw usage('--tag requires key=value', 'for example: --tag release=1.2.0');
    if (flag === 'tag') tags.push([word.slice(0, at), word.slice(at + 1)]);
  }
  return Object.fromEntries(tags);
}

async function readStacks(task: TaskContext, typed: string | undefined) {
  if (typed === undefined) return [];
  const path = typed === '-' ? typed : typed.replace(/^@/, '');
  const text = decode(await task.read(path, '--stack-trace', stackLimit));
  if (text === undefined) throw usage('--stack-trace is not UTF-8 text');
  const stacks = parseStack(text);
  if (stacks.length === 0)
    throw usage(
      '--stack-trace contains no stack frames',
      'stack traces of Node.js, Java, Python and Ruby are supported',
    );
  return stacks;
}

/** The kind of failure of a status other than 2xx. */
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

/** The message that a response body gives, if it gives one. */
function detailsOf(text: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  const found = isRecord(body) ? (body['detail'] ?? body['message'] ?? body['error']) : undefined;
  return typeof found === 'string' ? [found.slice(0, 300)] : [];
}

export async function send(task: TaskContext, options: SendOptions): Promise<Result> {
  const { message, level = 'error', stackTrace } = options;
  if (message === undefined && stackTrace === undefined)
    throw usage('--message or --stack-trace is required');
  if (message?.trim() === '') throw usage('--message requires a text');
  if (options.dsn === '-' && stackTrace === '-')
    throw usage('--dsn and --stack-trace cannot both read standard input');
  const tags = readTags(task);
  task.requireWrite();
  const stacks = await readStacks(task, stackTrace);
  const { url, key, project } = await readDsn(task, options);
  const id = randomUUID().replaceAll('-', '');
  const time = new Date(task.now()).toISOString();
  const event = {
    event_id: id,
    timestamp: time,
    platform: 'other',
    level,
    ...(message === undefined ? {} : { message }),
    tags,
    ...(stacks.length === 0
      ? {}
      : {
          exception: {
            values: stacks.map(({ type, value, frames }, index) => ({
              type,
              value: value || (index === stacks.length - 1 ? (message ?? '') : ''),
              stacktrace: { frames },
            })),
          },
        }),
  };
  const lines = [{ event_id: id, sent_at: time }, { type: 'event', content_type: 'application/json' }, event];
  const { status, text } = await task.post({
    url,
    headers: [
      ['Content-Type', 'application/x-sentry-envelope'],
      ['User-Agent', 'svc'],
      ['X-Sentry-Auth', `Sentry sentry_version=7, sentry_client=svc/1, sentry_key=${key}`],
    ],
    secrets: [key],
    body: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  });
  if (status < 200 || status > 299) {
    const kind = kindOf(status);
    const hint = hints[kind];
    throw new Failure(kind, `the service did not accept the event (status ${status})`, {
      details: detailsOf(text),
      ...(hint === undefined ? {} : { hint }),
      exchange: { method: 'POST', url: `${url.origin}${url.pathname}`, status },
    });
  }
  task.done(`Sent event ${id} to project ${project}`);
  return task.format === undefined ? done() : objectResult({ id });
}
