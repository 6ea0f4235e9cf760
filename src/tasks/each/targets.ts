import { listDescendants, listGroupProjects, listSubgroups } from '../../api/namespaces.ts';
import { Failure, usage } from '../../errors.ts';
import { targetLabel } from '../../spec/names.ts';
import type { Row, Target } from '../../spec/resource.ts';
import { filled, fillFrom } from '../../support/placeholders.ts';
import { groupBy } from '../../support/record.ts';
import { alternatives } from '../../support/suggest.ts';
import { shortList } from '../../support/text/list.ts';
import { matchesPath } from '../../support/text/wildcard.ts';
import {
  type EachContext,
  readText,
  type Subcommand,
  type TargetLine,
  type TaskContext,
  valuesOf,
} from '../context.ts';
import { identitiesOf } from '../engine/actual.ts';
import { allRows } from '../engine/codecs.ts';
import type { EachOptions } from '../engine/flags.ts';
import { keptTargets } from './journal.ts';
import { cellOf, readRows, templateOf } from './rows.ts';

/** The key that distinguishes targets: rows differ in their command lines, others in their names only. */
export function identityOf({ row, name, words, fill }: TargetLine): string {
  return row === undefined ? name : JSON.stringify(filled(words, fill));
}

/** The flag that names the targets, and its value. @throws Failure `usage` unless there is exactly one */
function sourceOf(options: EachOptions): [string, string] {
  const { projects, groups, inGroup, subgroupsOf, rows, recursive } = options;
  const listed = { '--in-group': inGroup, '--subgroups-of': subgroupsOf };
  const all = { '--projects': projects, '--groups': groups, ...listed, '--rows': rows };
  const [first, second] = Object.entries(all).flatMap(([flag, value]): [string, string][] =>
    value === undefined ? [] : [[flag, value]],
  );
  const hint = 'use --projects <file>, --groups <file>, --in-group <group> or --rows <file>';
  if (!first) throw usage('no targets given', hint);
  if (second) throw usage(`${first[0]} and ${second[0]} cannot be used together`);
  if (first[1] === '') throw usage(`${first[0]} requires a value`);
  if (recursive && !(first[0] in listed)) throw usage('--recursive requires --in-group or --subgroups-of');
  return first;
}

/** Whether the journal keeps the targets: they come from standard input, or from an earlier journal. */
export function keepsTargets({ projects, groups, inGroup, subgroupsOf, rows }: EachOptions): boolean {
  const source = projects ?? groups ?? inGroup ?? subgroupsOf ?? rows;
  return projects === '-' || groups === '-' || source === undefined;
}

/** Conditions on the fields of rows: `archived=false`. @throws Failure `usage` */
function filterOf(filters: readonly string[]): (rows: readonly Row[]) => Row[] {
  const conditions = filters.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw usage(`--filter must be like archived=false, not ${JSON.stringify(text)}`);
    return { field: text.slice(0, at), value: text.slice(at + 1) };
  });
  return (rows) => {
    const known = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const unknown = conditions.map(({ field }) => field).find((field) => !known.includes(field));
    if (rows.length > 0 && unknown !== undefined) {
      const hints = alternatives(unknown, known, 'fields');
      throw usage(`--filter: the rows have no field ${JSON.stringify(unknown)}`, hints);
    }
    return rows.filter((row) => conditions.every(({ field, value }) => isMatch(field, value, row[field])));
  };
}

function isMatch(field: string, wanted: string, value: unknown): boolean {
  if (['path_with_namespace', 'full_path'].includes(field)) return matchesPath(wanted, String(value));
  return [value].flat().some((one) => String(one ?? '') === wanted);
}

/** Read the projects or groups of a list or a group in their order. @throws Failure `usage` */
export async function readTargets(
  task: TaskContext,
  [flag, value]: readonly [string, string],
  { recursive }: EachOptions,
): Promise<Target[]> {
  if (flag === '--in-group' || flag === '--subgroups-of') {
    const chosen = filterOf(valuesOf(task, 'filter'));
    const scope = flag === '--in-group' ? 'project' : 'group';
    const groups = recursive ? listDescendants : listSubgroups;
    // The flag of the scope is not the one that names the group here.
    const { scope: _, ...endpoint } = scope === 'project' ? listGroupProjects : groups;
    const inside = { with_shared: false, ...(recursive ? { include_subgroups: true } : {}) };
    const values = scope === 'project' ? inside : {};
    const rows = chosen(
      await allRows(task.rows({ endpoint, slots: { id: task.scopeId('group', value, flag) }, values })),
    );
    return rows.flatMap((row) => {
      const path = row['path_with_namespace'] ?? row['full_path'] ?? row['id'];
      return path === undefined ? [] : [{ scope, id: String(path) }];
    });
  }
  const scope = flag === '--projects' ? 'project' : 'group';
  const ids = listedIn(await readList(task, flag, value));
  return ids.map((id) => ({ scope, id: task.scopeId(scope, id, flag) }));
}

async function readList(task: TaskContext, flag: string, path: string): Promise<string> {
  if (valuesOf(task, 'filter').length > 0) throw usage('--filter requires --in-group or --subgroups-of');
  return readText(task, path, flag).catch((error: unknown) => {
    const hint = `${flag} names a file with one target per line; - is standard input`;
    throw error instanceof Failure ? error.withHints(hint) : error;
  });
}

/** The targets of the options, or those that the journal to resume keeps. @throws Failure `usage` */
export async function targetsOf(task: EachContext, options: EachOptions): Promise<TargetLine[]> {
  const words = task.line.tail;
  const lineOf = (target: Target): TargetLine => ({ name: target.id, words, target });
  const { resume, projects, groups } = options;
  if (resume !== undefined && keepsTargets(options) && (projects ?? groups) === undefined)
    return (await keptTargets(task.path(resume))).map(lineOf);
  const source = sourceOf(options);
  const [flag, value] = source;
  if (flag === '--rows') return fromRows(await readList(task, flag, value), value, words);
  // An invalid command is reported before the targets are listed.
  const scope = flag === '--in-group' ? 'project' : 'group';
  // A file of each target may have to exist.
  const isCommon = !words.some((word) => word.includes('{target}'));
  if ((flag === '--in-group' || flag === '--subgroups-of') && isCommon)
    await task.subcommand.check(lineOf({ scope, id: `group/${scope}` }));
  return (await readTargets(task, source, options)).map(lineOf);
}

/** Check the command line of each target. @returns them with the names that their command lines have @throws Failure `usage` */
export async function checkedTargets(command: Subcommand, targets: readonly TargetLine[]) {
  const checked: TargetLine[] = [];
  for (const target of targets) {
    const { row, name } = target;
    try {
      const named = await command.check(target);
      checked.push({ ...target, name: (row === undefined ? undefined : named) ?? name });
    } catch (error) {
      throw inTarget(error, targetLabel(target));
    }
  }
  return checked;
}

export const noTargets = 'there are no targets';

export type Projects = Pick<EachOptions, 'projects' | 'inGroup' | 'recursive'>;

/** Read the projects of a command with flags of its own. Those of a surrounding `svc each` do not count. @throws Failure `usage` */
export async function readProjects(task: TaskContext, { projects, inGroup, recursive }: Projects) {
  const own = { projects, inGroup, recursive };
  const targets = await readTargets(task, sourceOf(own), own);
  if (targets.length === 0) task.warn(noTargets);
  return targets.map(({ id }) => id);
}

/** The lines of a list. `#` starts a comment at the start of a line or after a space. */
export function listedIn(text: string): string[] {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

async function fromRows(text: string, name: string, words: readonly string[]): Promise<TargetLine[]> {
  const { columns, rows } = await readRows(text, name === '-' ? 'standard input' : name);
  const template = templateOf(words);
  return rows.map((row, at) => {
    const number = at + 1;
    try {
      const cells = template.columns.map((column) => cellOf(row, column, columns));
      return { name: String(number), row: number, words: template.words, fill: fillFrom(cells) };
    } catch (error) {
      throw inTarget(error, `row ${number}`);
    }
  });
}

function inTarget(error: unknown, target: string): unknown {
  return error instanceof Failure && error.kind === 'usage'
    ? error.with({ message: `${target}: ${error.message}` })
    : error;
}

export function withoutDuplicates(task: TaskContext, targets: readonly TargetLine[]): TargetLine[] {
  const groups = [...groupBy(targets, identityOf).values()];
  const repeated = groups.flatMap(([first, ...others]) =>
    others.map(({ row, name }) =>
      row === undefined ? `${name} is listed more than once` : `row ${row} is the same as row ${first?.row}`,
    ),
  );
  if (repeated.length > 0) task.warn(`${shortList([...new Set(repeated)])}; each runs once`);
  return groups.flatMap(([first]) => first ?? []);
}

/** Leave out targets that are the same project or group as another one, if ids and paths, or letter cases, are mixed. */
export async function withoutAliases(task: TaskContext, lines: readonly TargetLine[]): Promise<TargetLine[]> {
  const targets = lines.flatMap(({ target }) => target ?? []);
  const numbers = targets.filter(({ id }) => /^\d+$/.test(id)).length;
  const isMixed = numbers > 0 && numbers < targets.length;
  const folded = new Set(targets.map(({ id }) => id.toLowerCase()));
  if (targets.length < lines.length || (!isMixed && folded.size === targets.length)) return [...lines];
  const known = await identitiesOf(task, targets);
  const identities = new Map(lines.map((line, at) => [line, known[at] ?? line.name]));
  const groups = [...groupBy(lines, (line) => identities.get(line) ?? '').values()];
  for (const names of groups.map((group) => group.map(({ name }) => name)))
    if (names.length > 1) task.warn(`${shortList(names)} are the same target, which runs once`);
  return groups.flatMap(([first]) => first ?? []);
}

/** Return the part of the targets that `--shard 3/10` selects: every tenth, from the third. @throws Failure `usage` */
export function shardOf<T>(targets: readonly T[], shard: string | undefined): T[] {
  if (shard === undefined) return [...targets];
  const [, index = '', total = ''] = /^(\d{1,6})\/(\d{1,6})$/.exec(shard) ?? [];
  const [first, step] = [Number(index), Number(total)];
  if (first < 1 || first > step)
    throw usage(`--shard must be like 3/10, from 1/10 to 10/10, not ${JSON.stringify(shard)}`);
  return targets.filter((_, at) => at % step === first - 1);
}
