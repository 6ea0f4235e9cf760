/** `svc find`: search the rows of lists over many projects. Its code is loaded when it runs. */
import { searchFiles } from '../../api/namespaces.ts';
import { type Endpoint, wholeListOf } from '../../spec/endpoint.ts';
import { int, text } from '../../spec/field.ts';
import { textFlag } from '../../spec/flag.ts';
import { taskCommand } from '../context.ts';
import { eachFlags, groupPath } from '../engine/flags.ts';
import type { FindOptions } from './search.ts';

const columns = {
  project: text('Project'),
  kind: text('List'),
  name: text('Name of the row'),
  field: text('Fields that contain the pattern'),
};
const ofSomeLists = text('Identifying attribute of the row in its list', { nullable: true });

/** The rows of the lists that are searched by default. */
const foundRows: Endpoint = {
  ...searchFiles,
  noun: 'matching row',
  returns: wholeListOf({
    ...columns,
    key: ofSomeLists,
    environment_scope: ofSomeLists,
    id: int('Id', { nullable: true }),
    url: ofSomeLists,
    title: ofSomeLists,
    path: ofSomeLists,
  }),
  columns: Object.keys(columns),
};

export const findCommand = taskCommand({
  name: 'find',
  args: '<pattern>',
  of: {
    pattern: text('Text to find, case-sensitive, or a regular expression (RE2) between slashes: /^db-\\d+/'),
  },
  summary: 'Find rows of lists over many projects, such as variables, webhooks and files',
  exits: ['partial'],
  doc: 'Searches every field of the rows, secret values included, and prints which fields contain the pattern, never their values. The rows identify what was found: as csv or ndjson, they are the rows of `svc each --rows -`. Files are searched on the default branch by the search of the service, which has no regular expressions. The expression `/(?i)old/` ignores case. Lists that cannot be read are named in a warning. Exit code 11 if the token can read no list of a project, or if reading one failed; if nothing could be read, the code of the last failure.',
  flags: {
    projects: eachFlags.projects,
    'in-group': textFlag('Search each project of this group', groupPath),
    recursive: eachFlags.recursive,
    filter: eachFlags.filter,
    in: textFlag(
      'Lists to search, separated by commas (default: variables,hooks,badges,snippets,approval-rules, and files without a regular expression)',
      { placeholder: 'kinds' },
    ),
  },
  shared: [...['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'sort-by', 'no-header', 'csv-safe']],
  prints: foundRows,
  tool: {
    flags: ['in-group', 'recursive', 'in'],
    doc: 'Searches every field of the rows except secrets, and returns which fields contain the pattern. Files are searched on the default branch by the search of the service, which has no regular expressions.',
    run: async (task) => {
      const { findRows, withoutSecretTexts } = await import('./search.ts');
      return findRows(task, task.line.options as FindOptions, withoutSecretTexts);
    },
  },
  examples: {
    'Find what mentions an old server': 'old.example --in-group acme --recursive',
    'Find webhooks and variables by a regular expression, for svc each --rows':
      "'/https?:\\/\\//' --in-group acme --recursive --in hooks,variables -o csv",
  },
  run: async (task, options) => (await import('./search.ts')).findRows(task, options),
});
