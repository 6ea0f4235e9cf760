/** `svc status`: one screen about a project. */
import { listProtections } from '../api/branches.ts';
import { listCalls } from '../api/hooks.ts';
import { getCurrentLicense } from '../api/license.ts';
import { listMigrations, migration } from '../api/migrations.ts';
import { readNamespace } from '../api/namespaces.ts';
import { listPipelines, pipelineFields } from '../api/pipelines.ts';
import { project } from '../api/scopes.ts';
import { computedObject } from '../spec/compose.ts';
import { datetime, int, object, pick, rows, text } from '../spec/field.ts';
import type { Call } from '../spec/request.ts';
import type { Row } from '../spec/resource.ts';
import { objectResult, type Result } from '../spec/result.ts';
import { jsonIn } from '../support/json.ts';
import { isRecord, part } from '../support/record.ts';
import { shortList } from '../support/text/list.ts';
import type { Pen } from '../support/text/pen.ts';
import { matchesWildcard } from '../support/text/wildcard.ts';
import { type Maybe, type TaskContext, taskCommand } from './context.ts';
import { allRows, ifAvailable } from './engine/codecs.ts';

const shownPipeline = pick(pipelineFields, 'id', 'ref', 'status', 'created_at', 'web_url');

const projectStatus = computedObject({
  branches: rows('Newest pipeline of each protected branch, among the last 100 pipelines', shownPipeline),
  last_failure: object('Newest pipeline that failed', {
    ...shownPipeline,
    next: text('Command that explains it'),
  }),
  hooks: rows('Webhooks of the project that the service has suspended after failures', {
    id: int('Webhook id'),
    url: text('URL'),
    alert_status: text('Health of the webhook'),
    disabled_until: datetime('Time until which deliveries are suspended', { nullable: true }),
  }),
  migrations: rows('Migrations that are running', pick(migration, 'id', 'status', 'created_at')),
  license_days: int('Days to the expiry of the license'),
});

/** The rows of a page, the only one that is read of each list. */
const pageSize = 100;
const day = 86_400_000;

/** Read the first page of a list; undefined if the caller may not read it, or the service has no such list. */
function firstRows(task: TaskContext, call: Call): Promise<Row[] | undefined> {
  return ifAvailable(allRows(task.rows(call, { maxPages: 1 })));
}

async function showStatus(task: TaskContext): Promise<Result> {
  const pipelines = await task.prepare({ endpoints: [listPipelines] });
  const { slots } = pipelines;
  const hookList = listCalls.find(({ scope }) => scope?.name === 'project');
  const calls = {
    protections: { endpoint: listProtections, slots, values: {} },
    hooks: { endpoint: hookList ?? listPipelines, slots, values: {} },
    migrations: { endpoint: listMigrations, slots: {}, values: {} },
    license: { endpoint: getCurrentLicense, slots: {}, values: {} },
  };
  if (task.dryRun) return task.requests([pipelines, ...Object.values(calls)]);
  const [license, newest, protections, hooks, migrations] = await Promise.all([
    // A service without a license responds with null.
    ifAvailable(task.text(calls.license)),
    firstRows(task, pipelines),
    firstRows(task, calls.protections),
    firstRows(task, calls.hooks),
    firstRows(task, calls.migrations),
  ]);
  // A project that does not exist has no part at all.
  if ((newest ?? protections ?? hooks) === undefined)
    await task.call(readNamespace('project', String(slots['id'])));
  const shown = Object.keys(shownPipeline);
  const patterns = (protections ?? []).map(({ name }) => String(name));
  const refs = new Set((newest ?? []).map(({ ref }) => String(ref)));
  const branches = [...refs].filter((ref) => patterns.some((pattern) => matchesWildcard(pattern, ref)));
  const last = (ref: string) => newest?.find((pipeline) => pipeline['ref'] === ref) ?? {};
  const failed = newest?.find(({ status }) => status === 'failed');
  const current = jsonIn(license ?? '');
  const expiry = Date.parse(String(isRecord(current) && current['expires_at']));
  const next = () => task.resumeCommand(['jobs', 'digest', String(failed?.['id'])]);
  const running = migrations?.filter(({ status }) => status === 'created' || status === 'started');
  const failing = hooks?.filter(({ alert_status }) => (alert_status ?? 'executable') !== 'executable');
  const value = {
    ...(newest && protections && { branches: branches.map((ref) => part(last(ref), shown)) }),
    ...(failed && { last_failure: { ...part(failed, shown), next: next() } }),
    ...(failing && {
      hooks: failing.map((row) => part(row, ['id', 'url', 'alert_status', 'disabled_until'])),
    }),
    ...(running && { migrations: running.map((row) => part(row, ['id', 'status', 'created_at'])) }),
    ...(Number.isNaN(expiry) ? {} : { license_days: Math.ceil((expiry - task.now()) / day) }),
  };
  const cut = Object.entries({ 'protected branches': protections, webhooks: hooks, migrations }).flatMap(
    ([name, rows]) => (rows && rows.length >= pageSize ? name : []),
  );
  if (cut.length > 0) task.warn(`only the first ${pageSize} ${shortList(cut)} were read`);
  if (Object.keys(value).length === 0) task.warn('no part of the state can be read with this token');
  return objectResult(value, projectStatus, { picture: (pen) => draw(pen, value) });
}

type Status = Maybe<
  { last_failure: Row; license_days: number } & Record<'branches' | 'hooks' | 'migrations', readonly Row[]>
>;

const minute = (time: unknown): string => String(time).slice(0, 16).replace('T', ' ').concat(' UTC');

/** Draw a section for each part that was read. */
export function draw(pen: Pen, status: Status): string[] {
  const lines: string[] = [];
  const section = (title: string, rows: readonly string[] | undefined, none = 'none') => {
    if (rows) lines.push(title, ...(rows.length > 0 ? rows : [none]).map((row) => `  ${row}`));
  };
  const pipeline = ({ id, ref, status: state, created_at }: Row) =>
    `${pen.mark(String(state))} ${ref}  ${state}  pipeline ${id}  ${minute(created_at)}`;
  const { branches, last_failure: failed, hooks, migrations, license_days: days } = status;
  section('Protected branches', branches?.map(pipeline), 'no pipeline among the last 100');
  section('Last failure', failed && [pipeline(failed), `  ${failed['next']}`]);
  const hook = ({ id, alert_status, url }: Row) => `${id}  ${alert_status}  ${url}`;
  section('Suspended webhooks', hooks?.map(hook));
  const running = ({ id, status: state }: Row) => `${id}  ${state}`;
  section('Running migrations', migrations?.map(running));
  section('License', days === undefined ? undefined : [`${days} days left`]);
  // The terminal wraps a command, so that it can be copied as a whole.
  const isCommand = (line: string) => line.trim() === failed?.['next'];
  return lines.map((line) =>
    isCommand(line) ? pen.paint('plain', line) : pen.fit(line, pen.width).trimEnd(),
  );
}

export const statusCommand = taskCommand({
  name: 'status',
  summary: 'Show the state of a project: pipelines, webhooks, migrations and license',
  doc: 'Sends at most six requests. A part that the token may not read is left out. Of each list, the first 100 rows are read; a warning names a list that may be longer. A webhook with failures that the service has not suspended is listed by hooks health only.',
  scopes: [project],
  prints: projectStatus,
  tool: { flags: [] },
  examples: {
    'Show the state of a project': '',
    'Print the days to the expiry of the license for a script': '--jq .license_days',
  },
  run: showStatus,
});
