/**
 * Projects and groups themselves. The specification does not describe these requests; they are modeled on similar services. None of them
 * is a command: tasks use them.
 */
import { inArea } from '../spec/compose.ts';
import { listOf, one, type Scope } from '../spec/endpoint.ts';
import { bool, choice, type Fields, int, text } from '../spec/field.ts';
import { group, project } from './scopes.ts';
import { variable } from './variables.ts';

const unspecified = true as const;
const projectFields = {
  id: int('Project id'),
  path_with_namespace: text('Full path of the project'),
  default_branch: text('Default branch', { nullable: true }),
};
const groupFields = { id: int('Group id'), full_path: text('Full path of the group') };

/** Used by `svc each --in-group`. */
export const listGroupProjects = inArea('projects', { noun: 'project', scope: group })('GET projects', {
  unspecified,
  takes: {
    include_subgroups: bool('Include the projects of subgroups'),
    with_shared: bool('Include projects of other groups that are shared with the group'),
  },
  returns: listOf(projectFields),
  columns: ['path_with_namespace'],
});

const listing = inArea('groups', { noun: 'group', scope: group });
const subgroups = { unspecified, returns: listOf(groupFields), columns: ['full_path'] } as const;

/** Used by `svc each --subgroups-of`. */
export const listSubgroups = listing('GET subgroups', subgroups);
export const listDescendants = listing('GET descendant_groups', subgroups);

/** Used by `svc variables why`. */
export const listGroupVariables = inArea('variables', { noun: 'variable', scope: group })('GET variables', {
  unspecified,
  returns: listOf(variable),
  columns: ['key', 'environment_scope'],
});

/** Search the files of the default branch for a text, without regard to case. */
export const searchFiles = inArea('projects', { noun: 'match', scope: project })('GET search', {
  unspecified,
  takes: {
    scope: choice(['blobs'], 'Files', { required: true }),
    search: text('Text to find', { required: true }),
  },
  returns: listOf({
    path: text('Path of the file'),
    ref: text('Branch'),
    startline: int('First line of the excerpt'),
    data: text('Lines around the match'),
  }),
  columns: ['path', 'startline'],
});

function reads(scope: Scope, fields: Fields) {
  const get = inArea(`${scope.name}s`, { noun: scope.name })('GET ', { unspecified, returns: one(fields) });
  return { ...get, path: scope.prefix, scope };
}

const namespaces = { project: reads(project, projectFields), group: reads(group, groupFields) };

/** The call that reads a project or a group. */
export const readNamespace = (scope: keyof typeof namespaces, id: string) => ({
  endpoint: namespaces[scope],
  slots: { id },
  values: {},
});
