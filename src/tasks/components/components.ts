/** `dependency-exports find` and `diff`: the components in the bills of materials of pipelines. */
import { createExport, downloadExport, getExport } from '../../api/dependency-exports.ts';
import { latestPipeline, listPipelines } from '../../api/pipelines.ts';
import { Failure, isFromSignal, usage } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import { type Result, rowsResult, sayNote } from '../../spec/result.ts';
import { jsonIn } from '../../support/json.ts';
import { groupBy, isRecord } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import { mapWithProgress, type Response, type TaskContext, type TaskWith } from '../context.ts';
import { type Projects, readProjects } from '../each/targets.ts';
import { allRows, isUnavailable } from '../engine/codecs.ts';
import { attributeOf, fetchUntilEnd, timeoutOf } from '../engine/wait.ts';

/** Ecosystems of package URLs whose versions follow semantic versioning. */
const semantic = /^pkg:(?:npm|cargo|golang|hex|pub|swift|nuget|composer)\//;
const release = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\w.-]+))?$/;

const isNumber = (part: string): boolean => /^\d+$/.test(part);

/** Numbers compare as numbers of any length, text by code units. @param textSign the sign if the first is text and the other a number */
function compareParts(a: string, b: string, textSign: 1 | -1): number {
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -textSign : textSign;
  const [x, y] = isNumber(a) ? [BigInt(a), BigInt(b)] : [a, b];
  return x === y ? 0 : x < y ? -1 : 1;
}

/** The first part that differs decides. @param padding for parts that one of them lacks; without it, fewer parts come first */
function compareLists(a: readonly string[], b: readonly string[], textSign: 1 | -1, padding?: string) {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [x = padding, y = padding] = [a[at], b[at]];
    if (x === undefined || y === undefined) return a.length - b.length;
    const sign = compareParts(x, y, textSign);
    if (sign !== 0) return sign;
  }
  return 0;
}

/** The core and the identifiers of a pre-release; undefined if it is not a semantic version. */
function readSemantic(version: string): { core: string[]; before: string[] | undefined } | undefined {
  const [found, major = '', minor = '0', patch = '0', before] =
    release.exec(version.replace(/\+.*$/s, '')) ?? [];
  return found === undefined ? undefined : { core: [major, minor, patch], before: before?.split('.') };
}

/**
 * Compare two versions of a component: negative if the first is earlier.
 * @param purl selects the rules: semantic versioning, or else part by part, where text comes before numbers and a missing part is 0
 */
export function compareVersions(first: string, second: string, purl: string): number {
  const [a = '', b = ''] = [first, second].map((version) => version.trim().replace(/^v(?=\d)/i, ''));
  const [x, y] = semantic.test(purl) ? [readSemantic(a), readSemantic(b)] : [];
  if (!x || !y) return compareLists(partsOf(a), partsOf(b), -1, '0');
  const core = compareLists(x.core, y.core, 1);
  if (core !== 0) return core;
  if (!x.before || !y.before) return Number(!x.before) - Number(!y.before);
  return compareLists(x.before, y.before, 1);
}

const partsOf = (version: string): string[] => version.match(/\d+|[a-z]+/gi) ?? [];

type Component = ReturnType<typeof readComponents>[number];

/** The package URL without version, qualifiers and subpath. The `@` of an npm scope is encoded, or begins a part of the path. */
const withoutVersion = (purl: string): string =>
  purl.replace(/[?#].*$/s, '').replace(/(?<=[^/])@[^@/]*$/, '');

/** Prepare the call that creates the export of a pipeline. @param id may be `latest` or `latest:<ref>` */
const prepareExport = (task: TaskContext, id: string): Promise<Call> =>
  task.prepare({ endpoints: [createExport], line: { args: { id }, fields: { export_type: 'sbom' } } });

/** Describe how to wait for an export. @param created the response with its id */
export function polledExport(task: TaskContext, created: Response) {
  const id = attributeOf(created.value, 'id');
  return {
    id,
    name: `export ${id}`,
    resume: task.resumeCommand(['dependency-exports', 'get', id]),
    fetch: () => task.call({ endpoint: getExport, slots: { id }, values: {} }),
    start: created,
    stateOf({ value }: Response) {
      if (value['status'] === 'failed') throw new Failure('unsuccessful', `export ${id} failed`);
      return { status: 'being generated', ended: value['has_finished'] === true };
    },
  };
}

/** Create the export of a pipeline, and read its components. @throws Failure `server_error` for another document, `unsuccessful` after the timeout */
async function componentsOf(task: TaskContext, pipeline: string): Promise<Component[]> {
  const create = { endpoint: createExport, slots: { id: pipeline }, values: { export_type: 'sbom' } };
  const polled = polledExport(task, await task.call(create));
  const { id } = polled;
  const { late } = await fetchUntilEnd(task, polled, timeoutOf(task));
  if (late) throw late;
  const text = await task.text({ endpoint: downloadExport, slots: { id }, values: {} });
  return readComponents(text, pipeline);
}

/** The components of a CycloneDX document. @throws Failure `server_error` */
function readComponents(text: string, pipeline: string) {
  const json = jsonIn(text);
  const document = isRecord(json) ? json : {};
  const { bomFormat, components = bomFormat === 'CycloneDX' ? [] : null } = document;
  if (!Array.isArray(components))
    throw new Failure('server_error', `the bill of materials of pipeline ${pipeline} is not CycloneDX JSON`);
  return components.filter(isRecord).map(({ group, name, version, purl }) => ({
    component: group ? `${group}/${name}` : String(name),
    version: String(version ?? ''),
    purl: String(purl ?? ''),
  }));
}

/** List the components with the name, per project. Projects that cannot be read are named in a warning, and the result ends as `partial`. */
export const findComponent: TaskWith<Projects & { below: string; pipeline: string }> = async (
  task,
  options,
) => {
  const { below, pipeline } = options;
  const [name = ''] = task.line.words;
  if (name.trim() === '') throw usage('the name of the component is empty');
  if (pipeline !== undefined && (options.projects ?? options.inGroup) !== undefined)
    throw usage('--pipeline cannot be used with --projects or --in-group');
  if (pipeline === undefined && (options.projects ?? options.inGroup) === undefined)
    throw usage('nothing to search', 'use --projects <file>, --pipeline <id> or --in-group <group>');
  task.requireWrite();
  const matches = ({ component, version, purl }: Component): boolean =>
    [
      component,
      withoutVersion(purl),
      component.startsWith('@') ? '' : component.replace(/^.*\//s, ''),
    ].includes(name) &&
    (below === undefined || version === '' || compareVersions(version, below, purl) < 0);
  if (pipeline !== undefined) {
    const call = await prepareExport(task, pipeline);
    if (task.dryRun) return task.requests([call]);
    const id = String(call.slots['id']);
    const components = await componentsOf(task, id);
    const rows = components.filter(matches).map((one) => ({ project: null, ...one, pipeline: Number(id) }));
    const read = sayNote(`${counted(components.length, 'component')} of pipeline ${id} read`);
    return rowsResult(rows, task.command.prints, { notes: [read] });
  }
  const targets = await readProjects(task, options);
  if (task.dryRun) return task.requests(targets.map(newestOf));
  const without: string[] = [];
  const unread: string[] = [];
  let last: unknown;
  let read = 0;
  const found = await mapWithProgress(task, 'reading components', targets, async (project) => {
    try {
      const id = await newestPipeline(task, project);
      if (id === undefined) without.push(project);
      const components = id === undefined ? [] : await componentsOf(task, id);
      read += components.length;
      return components.filter(matches).map((one) => ({ project, ...one, pipeline: Number(id) }));
    } catch (error) {
      if (!(error instanceof Failure) || isFromSignal(error)) throw error;
      last = error;
      unread.push(`${project} (${error.message})`);
      return [];
    }
  });
  if (last !== undefined && unread.length === targets.length) throw last;
  if (without.length > 0) task.note(`without a pipeline: ${shortList(without.sort())}`);
  const searched = counted(targets.length - without.length - unread.length, 'project');
  const note = sayNote(
    `${counted(read, 'component')} of ${searched} read, from the latest pipeline of each default branch`,
  );
  return rowsResult(found.flat(), task.command.prints, {
    notes: [note],
    ...(unread.length > 0
      ? { failure: new Failure('partial', `not searched: ${shortList(unread.sort())}`) }
      : {}),
  });
};

const newestOf = (id: string): Call => ({ endpoint: latestPipeline, slots: { id }, values: {} });

/** The id of the newest pipeline of the default branch, if there is one. @throws Failure for a project that cannot be read */
async function newestPipeline(task: TaskContext, project: string): Promise<string | undefined> {
  try {
    const { value } = await task.call(newestOf(project));
    return attributeOf(value, 'id');
  } catch (error) {
    // A service can respond with 403 if the newest commit has no pipeline.
    if (!isUnavailable(error)) throw error;
    // A project that does not exist, or whose pipelines may not be read, has the same response.
    await allRows(task.rows({ ...newestOf(project), endpoint: listPipelines }, { maxPages: 1 }));
    return undefined;
  }
}

/** List the differences between the components of two pipelines. The result ends as `differs` if there are any. */
export async function compareComponents(task: TaskContext): Promise<Result> {
  task.requireWrite();
  const [before = '', after = ''] = task.line.words;
  const calls = [await prepareExport(task, before), await prepareExport(task, after)];
  if (task.dryRun) return task.requests(calls);
  const bills = await Promise.all(calls.map(({ slots }) => componentsOf(task, String(slots['id']))));
  const [from, to] = bills.map(versionsOf);
  const rows = [...new Set(bills.flatMap((bill) => bill.map(keyOf)))].sort().flatMap((key) => {
    const [old, now] = [from?.get(key), to?.get(key)];
    if (old?.versions === now?.versions) return [];
    const change = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    const component = (now ?? old)?.component;
    const purl = key.startsWith('pkg:') ? key : null;
    return [{ change, component, purl, from: old?.versions ?? null, to: now?.versions ?? null }];
  });
  const counts = bills.map(
    (bill, at) => `${counted(bill.length, 'component')} of pipeline ${calls[at]?.slots['id']}`,
  );
  return rowsResult(rows, task.command.prints, {
    notes: [sayNote(`${counts.join(' and ')} read`)],
    ...(rows.length > 0 ? { ending: 'differs' } : {}),
  });
}

/** The identity of a component: its package URL without the version, or its name. */
const keyOf = ({ purl, component }: Component): string => (purl === '' ? component : withoutVersion(purl));

function versionsOf(bill: readonly Component[]) {
  const groups = groupBy(bill, keyOf);
  return new Map(
    [...groups].map(([key, [first, ...others]]) => {
      const versions = [first, ...others].map((one) => one?.version ?? '').sort();
      return [key, { component: first?.component ?? key, versions: [...new Set(versions)].join(', ') }];
    }),
  );
}
