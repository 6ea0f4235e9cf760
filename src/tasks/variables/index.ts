/** The tasks of `svc variables`. Their code is loaded when one of them runs. */

import { project } from '../../api/scopes.ts';
import { textFlag } from '../../spec/flag.ts';
import { taskCommand } from '../context.ts';
import { applyFlags, secrets } from '../engine/flags.ts';

export { present, runners } from './set.ts';

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
  exits: ['partial'],
  flags: { ...applyFlags, prune },
  shared: ['output', 'json', 'csv', 'yes', 'dry-run', 'curl', 'show-secrets'],
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
  exits: ['partial'],
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
  shared: ['output', 'json', 'csv', 'yes', 'dry-run', 'curl', 'show-secrets'],
  secrets,
  examples: {
    'Copy to another project': '--from acme/rocket --to acme/website --yes',
    'Show the requests': '--from acme/rocket --to acme/website --dry-run',
  },
  run: async (task, options) => (await import('./transfer.ts')).copyVariables(task, options),
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

export const commands = [exportCommand, importCommand, diffCommand, copyCommand, execCommand];
