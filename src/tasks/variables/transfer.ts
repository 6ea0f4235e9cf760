/** Run `variables export`, `import`, `diff` and `copy`: the engine for one kind. */
import { basename } from 'node:path';
import { variables as description } from '../../api/variables.ts';
import { usage } from '../../errors.ts';
import { type Resource, type ResourceCalls, type Row, withDefaults } from '../../spec/resource.ts';
import { type Result, sayNote } from '../../spec/result.ts';
import { type ApplyOptions, applyPlan, compare } from '../apply.ts';
import type { TaskContext } from '../context.ts';
import { readRows } from '../engine/actual.ts';
import { withCodec } from '../engine/codecs.ts';
import type { Desired, Target } from '../engine/model.ts';
import { nameOf } from '../engine/plan.ts';
import { readDesired, readText } from '../engine/shared.ts';
import { identitiesOf } from '../engine/targets.ts';
import { entriesOf, secretsOf, stateResult } from '../export.ts';
import { variablesFor } from './scopes.ts';

const variables = withCodec(description);
const calls = variables.calls[0] as ResourceCalls;
const kind = variables.kind;

/** The project of the command line or the settings. @throws Failure `usage` */
export function projectOf(task: TaskContext): Target {
  const scoped = task.scoped();
  if (scoped?.scope === 'project') return { scope: 'project', id: scoped.id };
  throw usage(
    '--project is missing',
    'or set SVC_PROJECT, or save a default with svc profiles set project <id|path>',
  );
}

export async function readVariables(task: TaskContext, target: Target): Promise<Row[]> {
  const rows = await readRows(task, target, variables, calls);
  return rows.map((row) => withDefaults(variables, row));
}

const variableName = (row: Row): string =>
  nameOf({
    resource: variables,
    identity: { key: row['key'], environment_scope: row['environment_scope'] },
  });

/** Refuse to leave out variables silently where a value is required. */
export function withValues(rows: readonly Row[]): { readable: Row[]; hidden: string[] } {
  const isReadable = (row: Row) => typeof row['value'] === 'string' && row['hidden'] !== true;
  return {
    readable: rows.filter(isReadable),
    hidden: rows.filter((row) => !isReadable(row)).map(variableName),
  };
}

/** Print the variables as a state file or in dotenv format. */
export async function exportVariables(
  task: TaskContext,
  {
    environment,
    ...options
  }: { readonly environment?: string | undefined } & Parameters<typeof secretsOf>[0],
): Promise<Result> {
  const secrets = secretsOf(options);
  const isDotenv = task.format === 'dotenv';
  if (isDotenv && secrets === 'none') throw usage('--no-secrets and -o dotenv cannot be used together');
  const target = projectOf(task);
  const rows = await readVariables(task, target);
  if (isDotenv) {
    const { readable, hidden } = withValues(variablesFor(rows, environment));
    const { dotenvText } = await import('./dotenv.ts');
    const text = dotenvText(new Map(readable.map((row) => [String(row['key']), String(row['value'])])));
    for (const name of hidden) task.note(`not included, because its value is hidden: ${name}`);
    return { kind: 'text', text };
  }
  const chosen = environment === undefined ? rows : variablesFor(rows, environment);
  const { entries, notes } = entriesOf(variables, chosen, secrets);
  return stateResult(task, target, { [kind]: entries }, notes);
}

/** The names of dotenv files: `.env`, `*.env` and `.env.*`. */
const dotenvName = /^(.*\.)?env$|^\.env\./;

/** Read a state file, the JSON of `variables list`, or a dotenv file. */
async function readDesiredVariables(task: TaskContext, options: ApplyOptions): Promise<Desired[]> {
  const file = task.line.words[0] ?? '-';
  const text = await readText(task, file, '<file>');
  const list = dotenvName.test(basename(file))
    ? await listOfDotenv(file, text)
    : /^\s*\[/.test(text)
      ? text
      : undefined;
  const { parseRowsFile, parseStateFile } = await import('../engine/state-file.ts');
  // The command that wrote the list may have failed. Only a state file declares on purpose that there are none.
  if (options.prune && list !== undefined && /^\s*\[\s*\]\s*$/.test(list))
    throw usage(
      `${file} has no variables, and --prune would delete all of them`,
      'to delete all, use a state file with variables: []',
    );
  const documents = list === undefined ? parseStateFile(file, text) : parseRowsFile(file, list, kind);
  return readDesired(task, documents, options, [kind]);
}

/** The variables of a dotenv file as the JSON of `variables list`. */
async function listOfDotenv(file: string, text: string): Promise<string> {
  const { readDotenv } = await import('./dotenv.ts');
  const variables = Object.entries(readDotenv(file, text));
  return JSON.stringify(variables.map(([key, value]) => ({ key, value, environment_scope: '*' })));
}

/** Create and update the variables in a file. */
export async function importVariables(task: TaskContext, options: ApplyOptions): Promise<Result> {
  return applyPlan(task, await readDesiredVariables(task, options), options);
}

/** Compare the variables in a file with those of the project. */
export async function compareVariables(task: TaskContext, options: ApplyOptions): Promise<Result> {
  return compare(task, await readDesiredVariables(task, options), options);
}

/** The variables of a project as the desired state of others. Hidden ones cannot be copied, and are not deleted either. */
function copied(rows: readonly Row[], resource: Resource, from: string, to: readonly string[]): Desired[] {
  const { hidden } = withValues(rows);
  const withheld = new Set(hidden);
  const { entries } = entriesOf(resource, rows, 'values');
  return to.map((id) => ({
    target: { scope: 'project', id },
    kinds: [
      {
        resource,
        calls,
        entries: entries.map((attributes, index) => ({
          attributes: withheld.has(variableName(attributes))
            ? { key: attributes['key'], environment_scope: attributes['environment_scope'] }
            : attributes,
          at: { file: from, line: index + 1, column: 1 },
          ...(withheld.has(variableName(attributes)) ? { incomplete: 'its value cannot be read' } : {}),
        })),
      },
    ],
  }));
}

/** Copy the variables of one project to others. It ends as `partial` if hidden values could not be copied. */
export async function copyVariables(task: TaskContext, options: ApplyOptions): Promise<Result> {
  const named = (flag: string) =>
    task.line.repeated.flatMap(([name, value]) => (name === flag ? [value] : []));
  const [from = '', ...others] = named('from');
  const to = named('to');
  if (others.length > 0) throw usage('--from can be used only once');
  const projects = [from, ...to].map((id): Target => ({ scope: 'project', id }));
  const known = await identitiesOf(task, projects);
  const [source, ...identities] = projects.map(({ id }, at) => known[at] ?? id);
  if (identities.some((one) => one === source)) throw usage('--from and --to name the same project');
  const unique = to.filter((_, at) => identities.indexOf(identities[at] ?? '') === at);
  if (unique.length < to.length) task.warn('--to names a project more than once; it is copied once');
  const rows = await readVariables(task, { scope: 'project', id: from });
  const { readable } = withValues(rows);
  task.conceal(readable.flatMap(({ value }) => (value === '' ? [] : [String(value)])));
  const result = await applyPlan(task, copied(rows, variables, from, unique), options);
  const { hidden } = withValues(rows);
  const notes = hidden.map((name) => sayNote(`not copied, because its value is hidden: ${name}`));
  return {
    ...result,
    notes: [...(result.notes ?? []), ...notes],
    ...(hidden.length > 0 && !task.dryRun ? { ending: 'partial' } : {}),
  };
}
