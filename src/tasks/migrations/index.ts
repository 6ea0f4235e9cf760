/** The tasks of `svc migrations`. */

import { getMigration } from '../../api/migrations.ts';
import { numberFlag } from '../../spec/flag.ts';
import { sharedByRows, taskCommand } from '../context.ts';
import { groups, outcomes, verified } from './wait.ts';

export { present, runners } from './wait.ts';

const of = getMigration.slots;

const watchCommand = taskCommand({
  name: 'watch',
  polls: true,
  effect: 'read',
  args: '<id>',
  of,
  summary: 'Follow a migration to its end; exit 9 if it or one of its entities failed',
  doc: 'Reports each group and project when it has ended, and prints all of them at the end.',
  exits: ['unsuccessful'],
  flags: {
    'wait-timeout': numberFlag('Time to wait for the migration to end (default: 3600)', {
      unit: 'seconds',
      min: 0,
      max: 9_999_999,
    }),
  },
  shared: [...sharedByRows, 'notify'],
  prints: outcomes,
  tool: {
    flags: ['wait-timeout'],
    summary: 'Wait until a migration has ended, and list its groups and projects',
    doc: 'The status of each row says whether it succeeded.',
    wait: 50,
  },
  examples: {
    'Follow a migration': '21',
    'Print the new paths for a script': '21 --fields destination_full_path -o tsv --no-header',
  },
  run: async (task) => (await import('./entities.ts')).watchMigration(task),
});

const reportCommand = taskCommand({
  name: 'report',
  effect: 'read',
  args: '<id>',
  of,
  summary: 'List the failures of a migration, grouped by error and relation',
  doc: 'Message and correlation id are those of the first failure of each group. `migrations failures` lists the failures of one group or project.',
  shared: sharedByRows,
  prints: groups,
  tool: { flags: [] },
  examples: {
    'Show why a migration failed': '22',
    'Export the groups to a spreadsheet': '22 --csv --csv-safe',
  },
  run: async (task) => (await import('./entities.ts')).reportFailures(task),
});

const verifyCommand = taskCommand({
  name: 'verify',
  effect: 'read',
  args: '<id>',
  of,
  summary: 'Compare what a migration copied with its source; exit 9 if something is missing',
  doc: 'Compares the counts of the source with those that were fetched and imported, for each part of each group and project, and names what the API never copies.',
  exits: ['unsuccessful'],
  shared: sharedByRows,
  prints: verified,
  tool: { flags: [], summary: 'Compare what a migration copied with its source' },
  examples: {
    'Check that everything arrived': '21',
    'Print the counts as csv': '21 --fields relation,source,imported -o csv',
  },
  run: async (task) => (await import('./verify.ts')).verifyMigration(task),
});

export const commands = [watchCommand, reportCommand, verifyCommand];
