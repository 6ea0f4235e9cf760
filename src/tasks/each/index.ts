/** The tasks `svc each` and `svc each report`. Their code is loaded when they run. */
import { intFlag } from '../../spec/flag.ts';
import { type EachContext, taskCommand } from '../context.ts';
import { eachFlags } from '../engine/flags.ts';

export { templateOf } from './rows.ts';

export const eachCommand = taskCommand({
  name: 'each',
  args: '-- <command>',
  // That of the command, at most.
  effect: 'destructive',
  summary: 'Run a command for many projects, groups or rows',
  doc: 'Runs any command of the API, svc api, and any task, except commands that concern this machine or its terminal. The command line of each target is validated before the first request. Results are printed in the order of the targets: table, csv and tsv begin with a column TARGET; json, ndjson and yaml have an object with target, exit and data, steps or error. A list that fails midway keeps the rows that arrived in table, csv and tsv only. With --rows, {column} is replaced by the value of the row, which is never read as a flag, @file or -; use {{ and }} for braces. In the path of svc api, {project} and {group} are the targets, and values of rows are encoded. Output flags, connection flags and --yes may precede or follow --. A command that writes keeps a journal, from which --resume continues with the same command. Exits with 10 if some targets differ, 11 if some failed, or the code that all failures share.',
  exits: ['unsuccessful', 'differs', 'partial'],
  flags: eachFlags,
  shared: [
    ...['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'sort-by', 'all-fields', 'no-header'],
    ...['csv-safe', 'wrap', 'time', 'yes', 'dry-run', 'curl', 'show-secrets', 'retry-unsafe', 'notify'],
  ],
  examples: {
    'Set a variable in several projects': '--projects projects.txt -- variables set LOG_LEVEL info',
    'List the failed jobs of each project, 8 at a time':
      '--projects projects.txt --concurrency 8 -- jobs list --scope failed --limit 5 --json',
    'For each project of a group': '--in-group acme --recursive -- approvals get',
    'Send the same request to each project':
      "--projects projects.txt -- api PUT 'projects/{project}/notification_settings' -f level=watch",
    'Fill in the columns of a file': '--rows rotate.csv -- variables set {key} @{file} --project {project}',
  },
  notInEach: 'it runs another command itself',
  // Only `svc each` runs it, with the command after `--`.
  run: async (task, options) => (await import('./each.ts')).runEach(task as EachContext, options),
});

export const reportCommand = taskCommand({
  name: 'report',
  effect: 'read',
  args: '<journal...>',
  summary: 'Join the journals of svc each, such as those of parallel CI jobs, into one summary',
  doc: 'Counts the targets that are done, failed, unknown (started, without a known end) and not started, and lists the failures. The exit code is 0 if all targets are done, 11 if some failed, or the code that all failures share. csv and tsv have a row for each target that is not done.',
  exits: ['partial'],
  flags: {
    expect: intFlag('The number of different journals to expect; fewer is a failure', { min: 1 }),
  },
  shared: ['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'no-header', 'csv-safe'],
  notInEach: 'it reads files of this machine, and would do the same for each target',
  examples: { 'Report the run of 20 parallel jobs': 'shard-*.ndjson --expect 20' },
  run: async (task, options) => (await import('./report.ts')).reportJournals(task, options),
});
