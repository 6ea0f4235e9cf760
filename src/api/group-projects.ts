/** The projects of a group. The specification does not describe this request; it is modeled on similar services. */
import { inScope, paging } from '../spec/compose.ts';
import { endpoint, listOf } from '../spec/endpoint.ts';
import { bool, int, text } from '../spec/field.ts';
import { group } from './scopes.ts';

/** Not a command: `svc each --in-group` uses it. */
export const listGroupProjects = inScope(
  group,
  endpoint('GET projects', {
    section: '8',
    command: 'projects',
    noun: 'project',
    summary: 'List projects of a group',
    unspecified: true,
    takes: { include_subgroups: bool('Include the projects of subgroups'), ...paging },
    returns: listOf({
      id: int('Project id'),
      path_with_namespace: text('Full path of the project'),
    }),
    columns: ['path_with_namespace'],
    examples: [],
  }),
);
