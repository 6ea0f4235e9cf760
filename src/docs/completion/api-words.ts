/** The words of `svc api` that completion can know. */
import type { CommandGroup } from '../../spec/command.ts';

/** Return the paths of the API without ids other than that of a project or group: `projects/{project}/jobs`. */
export function apiPaths(groups: readonly CommandGroup[]): string[] {
  const endpoints = groups.flatMap(({ commands }) => commands.flatMap((command) => command.endpoints));
  const paths = endpoints.map(({ path, scope }) =>
    (scope ? path.replace(':id', `{${scope.name}}`) : path).replace(/^\//, ''),
  );
  return [...new Set(paths)].filter((path) => !path.includes(':')).sort();
}
