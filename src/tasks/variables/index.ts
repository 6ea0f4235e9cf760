/** The tasks of `svc variables`. Their code is loaded when one of them runs. */

import { project } from '../../api/scopes.ts';
import { getVariable, variable } from '../../api/variables.ts';
import { type Endpoint, wholeListOf } from '../../spec/endpoint.ts';
import { bool, pick, secret, text } from '../../spec/field.ts';
import { intFlag, textFlag } from '../../spec/flag.ts';
import { sharedByPlan, sharedByRows, taskCommand } from '../context.ts';
import { applyFlags, secrets } from '../engine/flags.ts';

export { present, runners } from './set.ts';

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

const unmentioned: Endpoint = {
  ...getVariable,
  noun: 'unreferenced variable',
  returns: wholeListOf({ ...listed, description: text('Description', { nullable: true }) }),
  columns: ['key', scope, 'protected', 'masked', 'description'],
};

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
  secrets,
  examples: {
    'Save the variables to a file': '',
    'Print the variables of production for a local program': '--environment production -o dotenv',
  },
  run: async (task, options) => (await import('./transfer.ts')).exportVariables(task, options),
});

const prune = { doc: 'Delete variables that are not in the file' } as const;
const formats =
  'The file is a state file, the JSON of variables list, or a dotenv file (.env, *.env, .env.*).';

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
  secrets,
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
  secrets,
  examples: {
    'Review a change': 'settings.env',
  },
  run: async (task, options) => (await import('./transfer.ts')).compareVariables(task, options),
});

const copyCommand = taskCommand({
  name: 'copy',
  effect: 'destructive',
  summary: 'Copy the variables of a project to other projects',
  doc: 'Shows the plan and asks for confirmation. Hidden values cannot be copied; they are listed, and the exit code is 11.',
  exits: ['unsuccessful', 'partial'],
  flags: {
    from: textFlag('Project to copy from', {
      placeholder: 'project',
      repeats: true,
      required: 'name the project to copy from',
    }),
    to: textFlag('Project to copy to; may be repeated', {
      placeholder: 'project',
      repeats: true,
      required: 'name a project to copy to',
    }),
    ...applyFlags,
    prune: { doc: 'Delete variables of the other projects that the first project does not have' },
  },
  shared: sharedByPlan,
  secrets,
  examples: {
    'Copy to another project': '--from acme/rocket --to acme/website --yes',
    'Show the requests': '--from acme/rocket --to acme/website --dry-run',
  },
  run: async (task, options) =>
    (await import('../engine/copy.ts')).copySettings(task, options, ['variables'], 'project'),
});

const execCommand = taskCommand({
  name: 'exec',
  effect: 'destructive',
  idempotent: false,
  args: '-- <command>',
  summary: 'Run a command with the variables of a project in its environment',
  doc: 'Variables of type file are written to temporary files, which are removed afterwards. Protected variables are included. References to other variables are not expanded. Variables that change how programs start, such as PATH, are refused. After Ctrl-C, svc waits for the command; a second one within five seconds ends it. The exit code is that of the command.',
  flags: {
    environment: textFlag('Environment of the job (default: only variables of scope *)', {
      placeholder: 'name',
    }),
    'allow-unsafe-names': { doc: 'Also pass variables that change how programs start, such as PATH' },
  },
  scopes: [project],
  secrets,
  examples: {
    'Run a program with the variables of production': '--environment production -- env',
  },
  run: async (task, options) => (await import('./exec.ts')).runWithVariables(task, options),
});

const whyCommand = taskCommand({
  name: 'why',
  effect: 'read',
  args: '<key>',
  of: { key: getVariable.slots['key'] ?? text('Key of the variable') },
  summary: 'Explain which value of a variable a job gets',
  doc: 'Lists the variables with this key of the project and of each group above it. A job gets a variable if the scope matches its environment and, for a protected variable, if its branch is protected. A variable of the project takes precedence over those of its groups, and a nearer group over one above it; within one of them the most specific scope counts: an exact scope before one with a wildcard, a long one before a short one, and * last. Values of masked variables are not shown. Instance variables, and those that a pipeline or a job sets itself, are not visible.',
  flags: {
    environment: textFlag('Environment of the job (default: only variables of scope *)', {
      placeholder: 'name',
    }),
    ref: textFlag('Branch of the job (default: the default branch)', { suggest: 'branches/list/name' }),
  },
  shared: sharedByRows,
  prints: candidates,
  tool: { flags: ['environment', 'ref'] },
  scopes: [project],
  secrets,
  examples: { 'Explain the value that jobs of production get': 'DATABASE_URL --environment production' },
  run: async (task, options) => (await import('./answers.ts')).explainVariable(task, options),
});

const unreferencedCommand = taskCommand({
  name: 'unreferenced',
  effect: 'read',
  summary: 'List variables that no file of the default branch mentions',
  doc: 'Sends one search per key. A variable without a reference may still be used: by files that the pipeline includes from other projects, by a tool that reads its environment, or on another branch.',
  flags: {
    parallel: intFlag('Number of searches at a time, 1 to 32 (default: 4)', { min: 1, max: 32 }),
  },
  shared: sharedByRows,
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
