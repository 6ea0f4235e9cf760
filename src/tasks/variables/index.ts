/** The tasks of `svc variables`. `set` updates the variable with this key and scope, or creates it. */

import { project } from '../../api/scopes.ts';
import { createVariable, getVariable, updateVariable, variable } from '../../api/variables.ts';
import { Failure } from '../../errors.ts';
import { computedRows } from '../../spec/compose.ts';
import { type Endpoint, wholeListOf } from '../../spec/endpoint.ts';
import { bool, omit, pick, secret, text } from '../../spec/field.ts';
import { intFlag, textFlag } from '../../spec/flag.ts';
import type { Call } from '../../spec/request.ts';
import { sayNote } from '../../spec/result.ts';
import { type Caller, sharedByPlan, type Task, taskCommand } from '../context.ts';
import { applyFlags } from '../engine/flags.ts';

const setVariable: Endpoint = {
  ...createVariable,
  command: 'set <key> [value]',
  repeatable: true,
  summary: 'Create a variable, or update the one with this key and scope',
  doc: 'Sends an update (PUT) first, and creates the variable (POST) if there is none to update. If that is refused, updates it once more, in case another process has created it. With --masked-and-hidden, reads the variable first: only a new variable can be hidden, and the value of a hidden one can be changed.',
  usage: 'The value is an argument, @file, - for standard input, or a hidden prompt on a terminal.',
  // An update keeps omitted attributes, so the defaults of a creation apply to the scope only.
  takes: { ...createVariable.takes, ...omit(updateVariable.takes, 'filter', 'environment_scope') },
  examples: [
    { does: 'Create or update', run: 'variables set LOG_LEVEL debug --project acme/rocket' },
    {
      does: 'For one environment, from a file',
      run: 'variables set CERT_FILE @README.md --project acme/rocket --environment-scope production',
    },
  ],
};

/** `set` follows `get`, as the command that most people look for. */
export const present = (one: Endpoint): readonly Endpoint[] =>
  one === getVariable ? [one, setVariable] : [one];

const isAbsent = (error: unknown): boolean => error instanceof Failure && error.exchange?.status === 404;

/**
 * Whether the variable exists and is hidden.
 * @throws Failure `rejected` if it exists and is readable, because only a creation can hide a variable
 */
async function isHidden(task: Caller, get: Call): Promise<boolean> {
  const found = await task.call(get).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found && found.value['hidden'] !== true)
    throw new Failure('rejected', `variable ${get.slots['key']} exists and is not hidden`, {
      hint: 'only a new variable can be hidden: delete this one first, with svc variables delete',
    });
  return found !== undefined;
}

const set: Task = async (task) => {
  const { slots, values } = await task.prepare();
  const key = String(values['key']);
  // A service that does not know masked_and_hidden masks the value at least.
  const hiding = values['masked_and_hidden'] === true ? { masked: true } : {};
  const create: Call = { endpoint: createVariable, slots, values: { ...values, ...hiding } };
  // The scope selects the variable, and parameters of a creation only are omitted.
  const { key: _, environment_scope = '*', masked_and_hidden: isHiding, ...updated } = values;
  const filter = { environment_scope };
  const update: Call = { endpoint: updateVariable, slots: { ...slots, key }, values: { ...updated, filter } };
  let calls = [update, create];
  if (isHiding === true) {
    const get: Call = { endpoint: getVariable, slots: update.slots, values: { filter } };
    if (task.dryRun) calls = [get, ...calls];
    else calls = (await isHidden(task, get)) ? [update] : [create];
  }
  if (task.dryRun) {
    const [first, other] = calls.slice(-2).map(({ endpoint }) => endpoint.method);
    const hidden = calls.length > 2 ? `${first} is sent only if the variable is hidden, ` : '';
    const note = `${hidden}${other} is sent only if the first returns 404`;
    return { ...(await task.requests(calls)), notes: [sayNote(note)] };
  }
  const send = async (call: Call) => {
    const response = await task.call(call);
    task.confirmed(call, response);
    if (isHiding === true && response.value['hidden'] !== true)
      task.warn(`the service did not hide variable ${key}: it can be read`);
    return task.response(response, call.endpoint);
  };
  const [first, other] = calls as [Call, Call?];
  return send(first).catch(async (error: unknown) => {
    if (!other || !isAbsent(error)) throw error;
    try {
      // If the project does not exist, the creation reports that.
      return await send(other);
    } catch (rejected) {
      if (!(rejected instanceof Failure) || rejected.kind !== 'rejected') throw rejected;
      // Another process may have created the variable after the update.
      return send(first).catch((second: unknown) => {
        throw isAbsent(second) ? rejected : second;
      });
    }
  });
};

export const runners = { set };

const listed = pick(variable, 'key', 'environment_scope', 'protected', 'masked');
const scope = { path: 'environment_scope', label: 'SCOPE', kind: 'id' } as const;

const candidates: Endpoint = {
  ...getVariable,
  noun: 'matching variable',
  returns: wholeListOf({
    used: bool('Whether a job gets this variable'),
    source: text('Project or group of the variable'),
    ...listed,
    value: secret('Value; null if it is masked or hidden', { nullable: true }),
    reason: text('Why a job gets it, or not'),
  }),
  columns: ['used', 'source', scope, 'protected', 'value', 'reason'],
};

const unmentioned = computedRows(
  'unreferenced variable',
  { ...listed, ...omit(variable, 'value') },
  { environment_scope: { label: 'SCOPE', kind: 'id' }, variable_type: null, hidden: null, raw: null },
);

const exportCommand = taskCommand({
  name: 'export',
  effect: 'read',
  summary: 'Print the variables of a project as a state file or in dotenv format',
  doc: 'In a state file, masked values become references to environment variables, such as { env: SECRET_API_TOKEN }. Without --environment, dotenv contains the variables of scope * only. Values that dotenv cannot express exactly are an error.',
  flags: {
    environment: textFlag('Only the variables that a job of this environment gets', { placeholder: 'name' }),
    'with-secrets': { doc: 'Include the values of masked variables; dotenv always has them' },
    'no-secrets': { doc: 'Leave out the values' },
  },
  shared: ['output', 'json'],
  formats: ['yaml', 'json', 'dotenv'],
  scopes: [project],
  examples: {
    'Save the variables to a file': '',
    'Print the variables of production for a local program': '--environment production -o dotenv',
  },
  run: async (task, options) => (await import('./transfer.ts')).exportVariables(task, options),
});

const prune = { doc: 'Delete variables that are not in the file' } as const;
const formats =
  'The file is a state file, the JSON of variables list --all, or a dotenv file (.env, *.env, .env.*).';

const importCommand = taskCommand({
  name: 'import',
  effect: 'destructive',
  args: '<file>',
  summary: 'Create and update the variables in a file',
  doc: `Shows the plan and asks for confirmation. ${formats}`,
  exits: ['unsuccessful', 'partial'],
  flags: { ...applyFlags, prune },
  shared: sharedByPlan,
  scopes: [project],
  examples: {
    'Import a dotenv file': 'settings.env --yes',
    'Print the requests without sending them': 'settings.env --dry-run',
  },
  run: async (task, options) => (await import('./transfer.ts')).importVariables(task, options),
});

const diffCommand = taskCommand({
  name: 'diff',
  effect: 'read',
  args: '<file>',
  summary: 'Compare the variables in a file with those of a project',
  doc: `Exit code 10 if there are differences. ${formats}`,
  exits: ['differs'],
  flags: { prune },
  shared: ['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'no-header'],
  scopes: [project],
  examples: { 'Review a change': 'settings.env' },
  run: async (task, options) => (await import('./transfer.ts')).compareVariables(task, options),
});

const other = { placeholder: 'project', repeats: true } as const;

const copyCommand = taskCommand({
  name: 'copy',
  effect: 'destructive',
  summary: 'Copy the variables of a project to other projects',
  doc: 'Shows the plan and asks for confirmation. Hidden values cannot be copied; they are listed, and the exit code is 11.',
  exits: ['unsuccessful', 'partial'],
  flags: {
    from: textFlag('Project to copy from', { ...other, required: 'name the project to copy from' }),
    to: textFlag('Project to copy to; may be repeated', { ...other, required: 'name a project to copy to' }),
    ...applyFlags,
    prune: { doc: 'Delete variables of the other projects that the first project does not have' },
  },
  shared: sharedByPlan,
  examples: {
    'Copy to another project': '--from acme/rocket --to acme/website --yes',
    'Show the requests': '--from acme/rocket --to acme/website --dry-run',
  },
  run: async (task, options) =>
    (await import('../engine/copy.ts')).copySettings(task, options, ['variables'], 'project'),
});

const environment = textFlag('Environment of the job (default: only variables of scope *)', {
  placeholder: 'name',
});

const execCommand = taskCommand({
  name: 'exec',
  effect: 'destructive',
  idempotent: false,
  args: '-- <command>',
  summary: 'Run a command with the variables of a project in its environment',
  doc: 'Variables of type file are written to temporary files, which are removed afterwards. Includes protected variables and those of the groups above the project, but not those of the instance. The token must be able to read them. References to other variables are not expanded. Variables that change how programs start, such as PATH, are refused. After Ctrl-C, svc waits for the command; a second one within five seconds ends it. The exit code is that of the command.',
  flags: {
    environment,
    'allow-unsafe-names': { doc: 'Also pass variables that change how programs start, such as PATH' },
  },
  scopes: [project],
  examples: { 'Run a program with the variables of production': '--environment production -- env' },
  run: async (task, options) => (await import('./transfer.ts')).runWithVariables(task, options),
});

const whyCommand = taskCommand({
  name: 'why',
  args: '<key>',
  of: { key: getVariable.slots['key'] ?? text('Key of the variable') },
  summary: 'Explain which value of a variable a job gets',
  doc: 'Lists the variables with this key of the project and of each group above it. A job gets a variable if the scope matches its environment and, for a protected variable, if its branch is protected. A variable of the project takes precedence over those of its groups, and a nearer group over one above it; within one of them the most specific scope counts: an exact scope before one with a wildcard, a long one before a short one, and * last. Values of masked variables are not shown. Instance variables, and those that a pipeline or a job sets itself, are not visible. If a list that decides cannot be read, the command prints what it knows and fails.',
  exits: ['partial'],
  flags: {
    environment,
    ref: textFlag('Branch of the job (default: the default branch)', { suggest: 'branches/list/name' }),
  },
  prints: candidates,
  tool: { flags: ['environment', 'ref'] },
  scopes: [project],
  examples: { 'Explain the value that jobs of production get': 'DATABASE_URL --environment production' },
  run: async (task, options) => (await import('./answers.ts')).explainVariable(task, options),
});

const unreferencedCommand = taskCommand({
  name: 'unreferenced',
  summary: 'List variables that no file of the default branch mentions',
  doc: 'Sends one search per key. A variable without a reference may still be used: by files that the pipeline includes from other projects, by a tool that reads its environment, or on another branch.',
  flags: {
    parallel: intFlag('Number of searches at a time, 1 to 32', { default: 4, min: 1, max: 32 }),
  },
  prints: unmentioned,
  tool: { flags: [] },
  scopes: [project],
  examples: { 'List the variables to review': '' },
  run: async (task, options) => (await import('./answers.ts')).listUnreferenced(task, options),
});

export const commands = [
  ...[exportCommand, importCommand, diffCommand, copyCommand, execCommand],
  ...[whyCommand, unreferencedCommand],
];
