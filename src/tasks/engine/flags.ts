/** Flags that several tasks have. Loaded for help. */
import { intFlag, newFile, type OptionsOf, secondsFlag, textFlag } from '../../spec/flag.ts';

export const planFlags = {
  'changed-only': { doc: 'Print only targets with changes' },
  concurrency: intFlag('Targets to compare at a time, 1 to 100', { default: 4, min: 1, max: 100 }),
} as const;

export const pruneFlags = {
  prune: { doc: 'Delete resources of the declared kinds that are not in the file' },
} as const;

export const applyFlags = {
  ...pruneFlags,
  'max-deletes': intFlag('The largest number of deletions', { default: 10, min: 0 }),
  rehearse: { doc: 'Run it in a copy of these kinds in memory; only reads are sent to the service' },
  'rewrite-secrets': { doc: 'Send secrets that cannot be read and compared' },
} as const;

export type PlanOptions = OptionsOf<typeof applyFlags & typeof planFlags>;

export const listFile = { placeholder: 'file|-', suggest: 'path' } as const;
export const groupPath = { placeholder: 'id|path', suggest: 'group' } as const;

export const waitTimeout = (doc: string) => secondsFlag(doc, { default: 3600, min: 0, max: 9_999_999 });

export const eachFlags = {
  projects: textFlag('File with one project per line; # starts a comment', listFile),
  groups: textFlag('File with one group per line; # starts a comment', listFile),
  'in-group': textFlag('Run for each own project of this group', groupPath),
  'subgroups-of': textFlag('Run for each subgroup of this group', groupPath),
  recursive: { doc: 'Include those of subgroups' },
  filter: textFlag(
    'Only projects or groups with this value of a field, with * and ** in path_with_namespace and full_path; may be repeated',
    { placeholder: 'field=value', repeats: true },
  ),
  rows: textFlag(
    'File with one target per row: csv with a header, or ndjson; columns fill {placeholders}',
    listFile,
  ),
  concurrency: intFlag('Number of targets that run at a time, 1 to 100', { default: 4, min: 1, max: 100 }),
  shard: textFlag('Run for every n-th target, from the i-th: 3/10', { placeholder: 'i/n' }),
  journal: textFlag('File for the journal (default for writes: a file in the state folder)', newFile),
  resume: textFlag('Journal of an earlier run: skip the targets that are done', newFile),
  'retry-unknown': { doc: 'With --resume: repeat targets whose outcome is unknown' },
  slurp: { doc: 'Print one list of the rows of all targets, each with target; --jq gets the whole list' },
  'changed-only': { doc: 'With apply and diff: print only targets with changes' },
  rehearse: { doc: 'Run it in a copy of these resources in memory; only reads are sent to the service' },
  'fail-fast': { doc: 'Start no target after the first failure' },
} as const;

export type EachOptions = OptionsOf<typeof eachFlags>;
