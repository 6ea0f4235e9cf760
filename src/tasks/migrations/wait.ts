/** `migrations create` without the token of the source on the command line; `create` and `get` with `--wait`. */
import { createMigration, getMigration } from '../../api/migrations.ts';
import { forPerson, usage } from '../../errors.ts';
import { commandName } from '../../spec/command.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Field, keysOf, text } from '../../spec/field.ts';
import type { Call, Value, Values } from '../../spec/request.ts';
import type { Result } from '../../spec/result.ts';
import { isRecord } from '../../support/record.ts';
import type { Response, Task, TaskContext, TaskLine } from '../context.ts';
import { attributeOf, waitable, waitForOutcome } from '../engine/wait.ts';

const variable = 'SVC_SOURCE_TOKEN';
const tokenLimit = 64 * 1024;

const sourceTokenFile = text(
  `File that contains the access token for the source (default: ${variable}, or a hidden prompt)`,
  { placeholder: 'path', local: true },
);

/** Add a flag for the source token. */
export function present(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.map((one) => {
    if (commandName(one) !== 'create') return one;
    const { configuration, ...takes } = one.takes;
    const { url } = keysOf(configuration) ?? {};
    return {
      ...one,
      doc: `${one.doc} The access token for the source is read from ${variable}.`,
      usage: `A file or a hidden prompt can provide it instead, but not the command line, which other users can read.`,
      takes: {
        ...(configuration && url ? { configuration: { ...configuration, keys: { url } } } : {}),
        source_token_file: sourceTokenFile,
        ...takes,
      },
    };
  });
}

/** `access_token=@file` or `access_token=-`: the token is not on the command line. */
const reference = /^access_token=(@[^@].*|-)$/s;

/** Reject a token on the command line, without repeating it. */
function rejectLiteral({ fields: { configuration }, options: { data } }: TaskLine): void {
  // A comma does not separate keys here, so a token after one would become part of the URL.
  const words = (typeof configuration === 'object' ? configuration : []).filter(
    (word) => /(^|,)access_token=/.test(word) && !reference.test(word),
  );
  if (data?.includes('access_token') && !data.startsWith('@')) words.push(data);
  if (words.length > 0)
    throw usage('the token of the source must not be on the command line, which other users can read', [
      ...forPerson(`use --source-token-file <path> or ${variable}, or run this on a terminal for a prompt`),
      'request not sent',
    ]);
}

async function sourceToken(task: TaskContext): Promise<string> {
  const file = task.line.fields['source_token_file'];
  if (typeof file === 'string') {
    const bytes = await task.read(file, '--source-token-file', tokenLimit);
    return checked(Buffer.from(bytes).toString('utf8'), `--source-token-file ${file}`);
  }
  const given = task.env(variable);
  if (given) return checked(given, variable);
  const typed = await task.askSecret('Access token for the source (hidden): ');
  if (typed !== undefined) return checked(typed, 'the token');
  throw usage(
    'the access token for the source is missing',
    forPerson(`use --source-token-file <path> or ${variable}`),
  );
}

function checked(typed: string, from: string): string {
  const token = typed.trim();
  if (token === '' || token === '-') throw usage(`${from} contains no token`);
  if (/[\0-\x1f\x7f]/.test(token))
    throw usage(`${from} contains more than a token`, 'expected a single line');
  return token;
}

/** Make the token optional, to validate the other values before the token is known. */
function withoutToken(endpoint: Endpoint): Endpoint {
  const { configuration, ...takes } = endpoint.takes;
  const { access_token: token, ...keys } = keysOf(configuration) ?? {};
  if (configuration?.kind !== 'hash' || !token) return endpoint;
  const { required: _, ...optional } = token;
  const withOptional: Field = { ...configuration, keys: { ...keys, access_token: optional } };
  return { ...endpoint, takes: { configuration: withOptional, ...takes } };
}

const isHash = (value: Value | undefined): value is Values => isRecord(value);

async function prepareCreation(task: TaskContext): Promise<Call> {
  const { line } = task;
  rejectLiteral(line);
  const { source_token_file: _, ...fields } = line.fields;
  const { slots, values } = await task.prepare({
    endpoints: [withoutToken(createMigration)],
    line: { ...line, fields },
  });
  const { configuration } = values;
  const source = isHash(configuration) ? configuration : {};
  const access_token = String(source['access_token'] ?? (await sourceToken(task)));
  task.conceal([access_token]);
  return {
    endpoint: createMigration,
    slots,
    values: { ...values, configuration: { ...source, access_token } },
  };
}

const create: Task = waitable(async (task, call) => {
  const created = await task.call(call);
  task.confirmed(call, created);
  return waitForMigration(task, attributeOf(created.value, 'id'), created);
}, prepareCreation);

const get: Task = waitable(async (task, call) =>
  waitForMigration(task, call.slots['id'] ?? '', await task.call(call)),
);

function waitForMigration(task: TaskContext, id: string, start: Response): Promise<Result> {
  const call = { endpoint: getMigration, slots: { id }, values: {} };
  const hint = `to list the failures: ${task.resumeCommand(['migrations', 'entities', id, '--status', 'failed'])}`;
  return waitForOutcome(task, {
    name: `migration ${id}`,
    resume: task.resumeCommand(['migrations', 'get', id, '--wait']),
    endpoint: getMigration,
    fetch: () => task.call(call),
    start,
    stateOf(value) {
      const status = attributeOf(value, 'status');
      if (status === 'created' || status === 'started') return { status, ended: false };
      if (status !== 'finished') return { status, ended: true, failed: [hint] };
      const note = value['has_failures'] === true ? { note: `some items were not copied; ${hint}` } : {};
      return { status, ended: true, ...note };
    },
  });
}

export const runners = { create, get };
