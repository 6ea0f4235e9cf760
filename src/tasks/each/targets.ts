import { listGroupProjects } from '../../api/namespaces.ts';
import { Failure, usage } from '../../errors.ts';
import type { Target } from '../../spec/resource.ts';
import { groupBy } from '../../support/record.ts';
import { readText, type TargetLine, type TaskContext } from '../context.ts';
import type { EachOptions } from './options.ts';
import { cellOf, fillWords, readRows } from './rows.ts';

/** What distinguishes targets: rows differ in their command lines, others in their names only. */
export function identityOf({ row, name, words }: TargetLine): string {
  return row === undefined ? name : JSON.stringify(words);
}

/** The flag that names the targets, and its value. @throws Failure `usage` unless there is exactly one */
export function sourceOf({ projects, groups, inGroup, recursive, rows }: EachOptions): [string, string] {
  const all = { '--projects': projects, '--groups': groups, '--in-group': inGroup, '--rows': rows };
  const [first, second] = Object.entries(all).flatMap(([flag, value]): [string, string][] =>
    value === undefined ? [] : [[flag, value]],
  );
  if (!first)
    throw usage(
      'no targets given',
      'use --projects <file>, --groups <file>, --in-group <group> or --rows <file>',
    );
  if (second) throw usage(`${first[0]} and ${second[0]} cannot be used together`);
  if (first[1] === '') throw usage(`${first[0]} requires a value`);
  if (recursive && first[0] !== '--in-group') throw usage('--recursive requires --in-group');
  return first;
}

/** Whether the journal keeps the targets: they come from standard input, or from an earlier journal. */
export function keepsTargets({ projects, groups, inGroup, rows }: EachOptions): boolean {
  return projects === '-' || groups === '-' || (projects ?? groups ?? inGroup ?? rows) === undefined;
}

/** Without its scope, whose flag is not the one that names the group here. */
const { scope: _, ...listProjects } = listGroupProjects;

/** Read the targets in their order. @throws Failure `usage` */
export async function readTargets(
  task: TaskContext,
  [flag, value]: readonly [string, string],
  { recursive }: EachOptions,
  words: readonly string[],
): Promise<TargetLine[]> {
  if (flag === '--in-group') {
    const names: string[] = [];
    const values = recursive ? { include_subgroups: true } : {};
    for await (const row of task.rows({ endpoint: listProjects, slots: { id: value }, values })) {
      const path = row['path_with_namespace'] ?? row['id'];
      if (path !== undefined) names.push(String(path));
    }
    return names.map((name) => lineOf(words, { scope: 'project', id: name }));
  }
  const text = await readText(task, value, flag);
  if (flag === '--rows') return fromRows(text, value, words);
  const scope = flag === '--projects' ? 'project' : 'group';
  return listedIn(text).map((id) => lineOf(words, { scope, id }));
}

type Projects = Pick<EachOptions, 'projects' | 'inGroup' | 'recursive'>;

/** Read the projects of a command with flags of its own. Those of a surrounding `svc each` do not count. @throws Failure `usage` */
export function readProjects(
  task: TaskContext,
  { projects, inGroup, recursive }: Projects,
): Promise<TargetLine[]> {
  const own = { projects, inGroup, recursive };
  return readTargets(task, sourceOf(own), own, []);
}

export const lineOf = (words: readonly string[], target: Target): TargetLine => ({
  name: target.id,
  words,
  target,
});

/** The lines of a list. `#` starts a comment at the start of a line or after a space. */
function listedIn(text: string): string[] {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

function fromRows(text: string, name: string, words: readonly string[]): TargetLine[] {
  const { columns, rows } = readRows(text, name === '-' ? 'standard input' : name);
  return rows.map((row, at) => {
    const number = at + 1;
    try {
      return {
        name: String(number),
        row: number,
        words: fillWords(words, (column) => cellOf(row, column, columns)),
      };
    } catch (error) {
      throw inTarget(error, `row ${number}`);
    }
  });
}

/** Add the target to a usage error. */
export function inTarget(error: unknown, target: string): unknown {
  return error instanceof Failure && error.kind === 'usage'
    ? error.with({ message: `${target}: ${error.message}` })
    : error;
}

const listed = 5;

/** `a, b and 3 more` */
export function listOf(names: readonly string[]): string {
  const more = names.length - listed;
  return `${names.slice(0, listed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Remove targets with the same command line, with a warning. */
export function withoutDuplicates(
  targets: readonly TargetLine[],
  warn: (text: string) => void,
): TargetLine[] {
  const groups = [...groupBy(targets, identityOf).values()];
  const repeated = groups.flatMap(([first, ...others]) =>
    others.map(({ row, name }) =>
      row === undefined ? `${name} is listed more than once` : `row ${row} is the same as row ${first?.row}`,
    ),
  );
  if (repeated.length > 0) warn(`${listOf([...new Set(repeated)])}; each runs once`);
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
