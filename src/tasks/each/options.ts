import type { OptionsOf } from '../../spec/flag.ts';

export const eachFlags = {
  projects: {
    kind: 'text',
    placeholder: 'file|-',
    suggest: 'path',
    doc: 'File with one project per line; # starts a comment',
  },
  groups: {
    kind: 'text',
    placeholder: 'file|-',
    suggest: 'path',
    doc: 'File with one group per line; # starts a comment',
  },
  'in-group': {
    kind: 'text',
    placeholder: 'id|path',
    suggest: 'group',
    doc: 'Run for each project of this group',
  },
  recursive: { doc: 'With --in-group: include the projects of subgroups' },
  rows: {
    kind: 'text',
    placeholder: 'file|-',
    suggest: 'path',
    doc: 'File with one target per row: csv with a header, or ndjson; columns fill {placeholders}',
  },
  concurrency: {
    kind: 'int',
    min: 1,
    max: 100,
    doc: 'Number of targets that run at a time, 1 to 100 (default: 4)',
  },
  shard: { kind: 'text', placeholder: 'i/n', doc: 'Run for every n-th target, from the i-th: 3/10' },
  journal: {
    kind: 'text',
    suggest: 'path',
    doc: 'File for the journal (default for writes: a file in the state folder)',
  },
  resume: {
    kind: 'text',
    suggest: 'path',
    doc: 'Journal of an earlier run: skip the targets that are done',
  },
  'retry-unknown': { doc: 'With --resume: repeat targets whose outcome is unknown' },
  'fail-fast': { doc: 'Start no target after the first failure' },
} as const;

export type EachOptions = OptionsOf<typeof eachFlags>;
