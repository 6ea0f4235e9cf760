import { intFlag } from '../../spec/flag.ts';
/** The flags of commands that compare and apply, and the attributes that their traces mask. Loaded for help. */

export const pruneFlags = {
  prune: { doc: 'Delete resources of the declared kinds that are not in the file' },
} as const;

export const applyFlags = {
  ...pruneFlags,
  'max-deletes': intFlag('With --prune: the largest number of deletions (default: 10)', { min: 0 }),
  'rewrite-secrets': { doc: 'Send secrets that cannot be read and compared' },
} as const;

/** The attributes of all kinds that are secret. */
export const secrets = async () => (await import('./plan.ts')).secretFields();
