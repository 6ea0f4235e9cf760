import { intFlag } from '../../spec/flag.ts';

/** The flags of commands that compare and apply, and the attributes that their traces mask. Loaded for help. */

export const planFlags = {
  'changed-only': { doc: 'Print only targets with changes' },
  concurrency: intFlag('Targets to compare at a time, 1 to 100 (default: 4)', { min: 1, max: 100 }),
} as const;

export const pruneFlags = {
  prune: { doc: 'Delete resources of the declared kinds that are not in the file' },
} as const;

export const applyFlags = {
  ...pruneFlags,
  'max-deletes': intFlag('With --prune: the largest number of deletions (default: 10)', { min: 0 }),
  rehearse: { doc: 'Run it in a copy of these kinds in memory; only reads are sent to the service' },
  'rewrite-secrets': { doc: 'Send secrets that cannot be read and compared' },
} as const;

export const secrets = async () => (await import('./plan.ts')).secretFields();
