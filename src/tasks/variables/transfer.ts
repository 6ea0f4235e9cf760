/** Run `variables export`, `import`, `diff` and `copy`: the engine for one kind. */
import { basename } from 'node:path';
import { variables as description } from '../../api/variables.ts';
import { usage } from '../../errors.ts';
import { type ResourceCalls, type Row, type Target, withDefaults } from '../../spec/resource.ts';
import type { Result } from '../../spec/result.ts';
import { matchesWildcard } from '../../support/text/wildcard.ts';
import { type ApplyOptions, applyPlan, compare } from '../apply.ts';
import { projectOf, readText, type TaskContext } from '../context.ts';
import { readRows } from '../engine/actual.ts';
import { withCodec } from '../engine/codecs.ts';
import type { Desired } from '../engine/model.ts';
import { nameOf } from '../engine/plan.ts';
import { readDesired } from '../engine/shared.ts';
import { entriesOf, secretsOf, stateResult } from '../export.ts';

const variables = withCodec(description);
const calls = variables.calls[0] as ResourceCalls;

export async function readVariables(task: TaskContext, target: Target): Promise<Row[]> {
  const rows = await readRows(task, target, variables, calls);
  return rows.map((row) => withDefaults(variables, row));
}

const isHidden = (row: Row): boolean => typeof row['value'] !== 'string' || row['hidden'] === true;

const variableName = ({ key, environment_scope }: Row): string =>
  nameOf({ resource: variables, identity: { key, environment_scope } });

/** The variables that a job of the environment gets, as text. Reports those whose values are hidden. */
export async function readableVariables(
  task: TaskContext,
  target: Target,
  environment: string | undefined,
): Promise<Row[]> {
  const rows = variablesFor(await readVariables(task, target), environment);
  for (const row of rows.filter(isHidden))
    task.note(`not included, because its value is hidden: ${variableName(row)}`);
  return rows.filter((row) => !isHidden(row));
}

/**
 * Choose one variable for each key: exact scopes before those with a wildcard, long ones before short ones, `*` last.
 * @param environment without it, only variables of scope `*` count
 */
export function variablesFor(rows: readonly Row[], environment: string | undefined): Row[] {
  const chosen = new Map<string, { row: Row; rank: number }>();
  for (const row of rows) {
    const scope = String(row['environment_scope'] ?? '*');
    if (environment === undefined ? scope !== '*' : !matchesWildcard(scope, environment)) continue;
    const rank = scope === environment ? Number.POSITIVE_INFINITY : scope === '*' ? 0 : scope.length;
    const key = String(row['key']);
    const known = chosen.get(key);
    if (!known || rank > known.rank) chosen.set(key, { row, rank });
  }
  return [...chosen.values()].map(({ row }) => row);
}

export async function exportVariables(
  task: TaskContext,
  options: { readonly environment?: string | undefined } & Parameters<typeof secretsOf>[0],
): Promise<Result> {
  const { environment } = options;
  const secrets = secretsOf(options);
  const target = projectOf(task);
  if (task.format === 'dotenv') {
    if (secrets === 'none') throw usage('--no-secrets and -o dotenv cannot be used together');
    const readable = await readableVariables(task, target, environment);
    const { dotenvText } = await import('./dotenv.ts');
    const values = readable.map((row) => [String(row['key']), String(row['value'])] as const);
    return { kind: 'text', text: dotenvText(new Map(values)) };
  }
  const rows = await readVariables(task, target);
  const chosen = environment === undefined ? rows : variablesFor(rows, environment);
  const { entries, notes } = entriesOf(variables, chosen, secrets);
  return stateResult(task, target, { [variables.kind]: entries }, notes);
}

/** The names of dotenv files: `.env`, `*.env` and `.env.*`. */
const dotenvName = /^(.*\.)?env$|^\.env\./;

async function readDesiredVariables(task: TaskContext, options: ApplyOptions): Promise<Desired[]> {
  const file = task.line.words[0] ?? '-';
  const text = await readText(task, file, '<file>');
  const { parseRowsFile, parseStateFile } = await import('../engine/state-file.ts');
  const read = (documents: ReturnType<typeof parseStateFile>) =>
    readDesired(task, documents, options, [variables.kind]);
  if (dotenvName.test(basename(file))) {
    const { readDotenv } = await import('./dotenv.ts');
    const values = Object.entries(readDotenv(file, text));
    if (values.length === 0)
      throw usage(
        `${file} has no variables`,
        'to declare that there are none, use a state file with variables: []',
      );
    const rows = values.map(([key, value]) => ({ key, value, environment_scope: '*' }));
    return read(parseRowsFile(file, JSON.stringify(rows), variables.kind));
  }
  if (!/^\s*\[/.test(text)) return read(parseStateFile(file, text));
  // The command that wrote the list may have failed. Only a state file declares on purpose that there are none.
  if (options.prune && /^\s*\[\s*\]\s*$/.test(text))
    throw usage(
      `${file} has no variables, and --prune would delete all of them`,
      'to delete all, use a state file with variables: []',
    );
  return read(parseRowsFile(file, text, variables.kind));
}

export async function importVariables(task: TaskContext, options: ApplyOptions): Promise<Result> {
  return applyPlan(task, await readDesiredVariables(task, options), options);
}

export async function compareVariables(task: TaskContext, options: ApplyOptions): Promise<Result> {
  return compare(task, await readDesiredVariables(task, options), options);
}
