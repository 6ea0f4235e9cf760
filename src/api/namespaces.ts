/**
 * Projects and groups themselves. The specification does not describe these requests; they are modeled on similar services. None of them
 * is a command: tasks use them.
 */
import { inScope, paging } from '../spec/compose.ts';
import { endpoint, listOf, one } from '../spec/endpoint.ts';
import { bool, int, text } from '../spec/field.ts';
import { group, project } from './scopes.ts';

const base = { section: '8', unspecified: true, examples: [] } as const;
const projectFields = { id: int('Project id'), path_with_namespace: text('Full path of the project') };
const groupFields = { id: int('Group id'), full_path: text('Full path of the group') };

/** Used by `svc each --in-group`. */
export const listGroupProjects = inScope(
  group,
  endpoint('GET projects', {
    ...base,
    command: 'projects',
    noun: 'project',
    summary: 'List projects of a group',
    takes: { include_subgroups: bool('Include the projects of subgroups'), ...paging },
    returns: listOf(projectFields),
    columns: ['path_with_namespace'],
  }),
);

const calls = <F extends typeof projectFields | typeof groupFields>(scope: typeof project, fields: F) => ({
  get: {
    ...endpoint('GET ', { ...base, command: 'get', summary: `Show a ${scope.name}`, returns: one(fields) }),
    path: scope.prefix,
    scope,
  },
  list: endpoint(`GET ${scope.name}s`, {
    ...base,
    command: 'list',
    summary: `List ${scope.name}s`,
    takes: paging,
    returns: listOf(fields),
  }),
});

export const namespaces = { project: calls(project, projectFields), group: calls(group, groupFields) };
