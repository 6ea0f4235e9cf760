/** The tasks of `svc license`. */
import { numberFlag } from '../../spec/flag.ts';
import { sharedByObject, taskCommand } from '../context.ts';
import { report } from './usage.ts';

export { present, runners } from './usage.ts';

const reportCommand = taskCommand({
  name: 'report',
  effect: 'read',
  summary: 'Show seats, overage, peak and expiry of the current license',
  doc: 'The peak and its date are those of the usage export. The key and the holder of the license are not printed.',
  exits: ['unsuccessful'],
  flags: {
    'fail-over': numberFlag(
      'Exit 9 if more than this percentage of the seats is used, or if there is overage',
      { unit: 'percent', min: 0, max: 999.999 },
    ),
  },
  shared: sharedByObject,
  prints: report,
  tool: { flags: [] },
  examples: {
    'Show the report': '',
    'Fail a scheduled job before the seats run out': '--fail-over 95%',
    'Print the days to the expiry': '--fields days_to_expiry -o tsv --no-header',
  },
  run: async (task, options) => (await import('./report.ts')).reportLicense(task, options),
});

export const commands = [reportCommand];
