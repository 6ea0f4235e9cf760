/** `variables export`, `import`, `diff` and `copy`: the engine for one kind. */

import { project } from '../../api/scopes.ts';
import { variables } from '../../api/variables.ts';
import { usage } from '../../errors.ts';
import type { Resource, ResourceCalls, Row } from '../../spec/resource.ts';
import { applyFlags, applyPlan, compare, pruneFlags } from '../apply.ts';
import { type TaskContext, taskCommand } from '../context.ts';
import { readRows } from '../engine/actual.ts';
import type { Desired, Target } from '../engine/model.ts';
import { nameOf } from '../engine/plan.ts';
import { secretFields } from '../engine/secret-fields.ts';
import { readDesired, readText } from '../engine/shared.ts';
import type { StateDocument } from '../engine/state-file.ts';
import { entriesOf, printState, withheldNote } from '../export.ts';
import { variablesFor } from './scopes.ts';

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

export function readVariables(task: TaskContext, target: Target): Promise<Row[]> {
  return readRows(task, target, variables, calls);
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

const exportCommand = taskCommand({
  name: 'export',
  args: '',
  summary: 'Print the variables of a project as a state file or in dotenv format',
  doc: 'Without --environment, dotenv contains the variables of scope * only. Values that dotenv cannot express exactly are an error.',
  flags: {
    environment: { value: 'name', doc: 'Only the variables that a job of this environment gets' },
    'no-secrets': { doc: 'Leave out the values' },
  },
  shared: ['output', 'json'],
  formats: ['yaml', 'json', 'dotenv'],
  scopes: [project],
  secrets: secretFields,
  examples: [
    { does: 'Save the variables to a file', run: 'variables export --project acme/rocket' },
    {
      does: 'Print the variables of production for a local program',
      run: 'variables export --environment production -o dotenv --project acme/rocket',
    },
  ],
  async run(task, { environment, noSecrets }) {
    const target = projectOf(task);
    const rows = await readVariables(task, target);
    if (task.format === 'dotenv') {
      const { readable, hidden } = withValues(variablesFor(rows, environment));
      const { dotenvText } = await import('./dotenv.ts');
      const text = dotenvText(new Map(readable.map((row) => [String(row['key']), String(row['value'])])));
      for (const name of hidden) task.note(`left out, because its value is hidden: ${name}`);
      task.write(text);
      return;
    }
    const chosen = environment === undefined ? rows : variablesFor(rows, environment);
    const { entries, withheld } = entriesOf(variables, chosen, noSecrets === true);
    await printState(
      task,
      target,
      { [kind]: entries },
      withheldNote(variables, withheld, noSecrets === true),
    );
  },
});

/** Read a state file, the JSON of `variables list`, or a dotenv file. */
async function readFile(task: TaskContext): Promise<StateDocument[]> {
  const file = task.line.words[0] ?? '-';
  const text = await readText(task, file);
  const { parseRowsFile, parseStateFile } = await import('../engine/state-file.ts');
  if (/(^|\/)([^/]*\.)?env$/.test(file)) {
    const { readDotenv } = await import('./dotenv.ts');
    const rows = Object.entries(readDotenv(text)).map(([key, value]) => ({
      key,
      value,
      environment_scope: '*',
    }));
    return parseRowsFile(file, JSON.stringify(rows), kind);
  }
  return /^\s*\[/.test(text) ? parseRowsFile(file, text, kind) : parseStateFile(file, text);
}

async function readDesiredVariables(task: TaskContext): Promise<Desired[]> {
  return readDesired(task, await readFile(task), [kind]);
}

const formats = 'The file is a state file, the JSON of variables list, or a dotenv file (*.env).';

const importCommand = taskCommand({
  name: 'import',
  args: '<file>',
  summary: 'Create and update the variables in a file',
  doc: `Shows the plan and asks for confirmation. ${formats}`,
  flags: applyFlags,
  shared: ['output', 'json', 'csv', 'yes', 'dry-run', 'curl', 'show-secrets'],
  scopes: [project],
  secrets: secretFields,
  examples: [
    { does: 'Import a dotenv file', run: 'variables import settings.env --project acme/rocket --yes' },
    {
      does: 'Print the requests without sending them',
      run: 'variables import settings.env --project acme/rocket --dry-run',
    },
  ],
  run: async (task, options) => applyPlan(task, await readDesiredVariables(task), options),
});

const diffCommand = taskCommand({
  name: 'diff',
  args: '<file>',
  summary: 'Compare the variables in a file with those of a project',
  doc: `Exit code 10 if there are differences. ${formats}`,
  flags: pruneFlags,
  shared: ['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'no-header'],
  scopes: [project],
  secrets: secretFields,
  examples: [{ does: 'Review a change', run: 'variables diff settings.env --project acme/rocket' }],
  run: async (task, options) => compare(task, await readDesiredVariables(task), options),
});

/** The variables of a project as the desired state of others. Hidden ones cannot be copied, and are not deleted either. */
function copied(rows: readonly Row[], resource: Resource, from: string, to: readonly string[]): Desired[] {
  const { hidden } = withValues(rows);
  const withheld = new Set(hidden);
  const { entries } = entriesOf(resource, rows, false);
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

const copyCommand = taskCommand({
  name: 'copy',
  args: '',
  summary: 'Copy the variables of a project to other projects',
  doc: 'Shows the plan and asks for confirmation. Hidden values cannot be copied; they are listed, and the exit code is 11.',
  flags: {
    from: { value: 'project', doc: 'Project to copy from', repeats: true },
    to: { value: 'project', doc: 'Project to copy to; may be repeated', repeats: true },
    ...applyFlags,
  },
  shared: ['output', 'json', 'csv', 'yes', 'dry-run', 'curl', 'show-secrets'],
  scopes: [],
  secrets: secretFields,
  examples: [
    { does: 'Copy to another project', run: 'variables copy --from acme/rocket --to acme/website --yes' },
    { does: 'Show the requests', run: 'variables copy --from acme/rocket --to acme/website --dry-run' },
  ],
  async run(task, options) {
    const named = (flag: string) =>
      task.line.repeated.flatMap(([name, value]) => (name === flag ? [value] : []));
    const [from, ...others] = named('from');
    const to = named('to');
    if (from === undefined || others.length > 0)
      throw usage('--from is required once', 'name the project to copy from');
    if (to.length === 0) throw usage('--to is missing', 'name a project to copy to');
    if (to.includes(from)) throw usage('--from and --to name the same project');
    const rows = await readVariables(task, { scope: 'project', id: from });
    const { readable } = withValues(rows);
    task.conceal(readable.flatMap(({ value }) => (value === '' ? [] : [String(value)])));
    const ending = await applyPlan(task, copied(rows, variables, from, [...new Set(to)]), options);
    const { hidden } = withValues(rows);
    for (const name of hidden) task.note(`not copied, because its value is hidden: ${name}`);
    return hidden.length > 0 && !task.dryRun ? 'partial' : ending;
  },
});

export const transfers = [exportCommand, importCommand, diffCommand, copyCommand];
