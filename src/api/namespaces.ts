/**
 * Projects and groups themselves. The specification does not describe these requests; they are modeled on similar services. None of them
 * is a command: tasks use them.
 */
import { inArea } from '../spec/compose.ts';
import { listOf, one, type Scope } from '../spec/endpoint.ts';
import { bool, type Fields, int, text } from '../spec/field.ts';
import { group, project } from './scopes.ts';

const unspecified = true;
const projectFields = { id: int('Project id'), path_with_namespace: text('Full path of the project') };
const groupFields = { id: int('Group id'), full_path: text('Full path of the group') };

/** Used by `svc each --in-group`. */
export const listGroupProjects = inArea('projects', { noun: 'project', scope: group })('GET projects', {
  unspecified,
  takes: { include_subgroups: bool('Include the projects of subgroups') },
  returns: listOf(projectFields),
  columns: ['path_with_namespace'],
});

function calls(scope: Scope, fields: Fields) {
  const endpoint = inArea(`${scope.name}s`, { noun: scope.name });
  const get = endpoint('GET ', { unspecified, returns: one(fields) });
  return {
    get: { ...get, path: scope.prefix, scope },
    list: endpoint(`GET ${scope.name}s`, { unspecified, returns: listOf(fields) }),
  };
}

export const namespaces = { project: calls(project, projectFields), group: calls(group, groupFields) };
