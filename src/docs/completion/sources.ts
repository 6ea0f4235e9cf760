/** Find the list commands that provide the values of arguments. */
import { pathOfColumn } from '../../spec/column.ts';
import { type Argument, type Command, type CommandGroup, commandName } from '../../spec/command.ts';
import { type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { fieldOf, type RowSource } from '../../spec/field.ts';

/**
 * Return the list that contains the values of an argument: `hooks/list/id` for the slot of `/groups/:id/hooks/:hook_id`, because
 * `hooks list` requests the path before the slot.
 * @param siblings the endpoints of the area of the command
 * @returns undefined if no list of the area has the path, or if the endpoints of the command differ
 */
export function sourceOf(
  argument: Argument,
  { area, endpoints }: Pick<Command, 'area' | 'endpoints'>,
  siblings: readonly Endpoint[],
): RowSource | undefined {
  const users = endpoints.filter(({ slots }) => argument.field in slots);
  const found = new Set(users.map((endpoint) => sourceOfSlot(argument.field, endpoint, area, siblings)));
  return found.size === 1 ? [...found][0] : undefined;
}

function sourceOfSlot(
  slot: string,
  endpoint: Endpoint,
  area: string,
  siblings: readonly Endpoint[],
): RowSource | undefined {
  const path = collectionOf(endpoint, slot);
  const list = siblings.find(
    (one) => one.method === 'GET' && one.path === path && one.returns.kind === 'list',
  );
  const attribute = list && attributeOf(slot, list);
  return list && attribute ? `${area}/${commandName(list)}/${attribute}` : undefined;
}

/** Return the path before the last slot of this name. The id of a project or group has the same name as some slots. */
function collectionOf({ path }: Endpoint, slot: string): string {
  const segments = path.split('/');
  return segments.slice(0, segments.lastIndexOf(`:${slot}`)).join('/');
}

/** Return the attribute that identifies a row: `id` for the slot `hook_id`, and `name` for the slot `branch` of `branches`. */
function attributeOf(slot: string, { path, returns, columns }: Endpoint): string | undefined {
  const fields = returnedFields({ returns });
  const suffix = slot.slice(slot.lastIndexOf('_') + 1);
  const same = [slot, suffix].find((name) => fieldOf(fields, name));
  if (same) return same;
  const [identifying] = columns;
  return identifying && path.slice(path.lastIndexOf('/') + 1).startsWith(slot)
    ? pathOfColumn(identifying)
    : undefined;
}

/** Return the paths of the API without ids other than that of a project or group: `projects/{project}/jobs`. */
export function apiPaths(groups: readonly CommandGroup[]): string[] {
  const endpoints = groups.flatMap(({ commands }) => commands.flatMap((command) => command.endpoints));
  const paths = endpoints.map(({ path, scope }) =>
    (scope ? path.replace(':id', `{${scope.name}}`) : path).replace(/^\//, ''),
  );
  return [...new Set(paths)].filter((path) => !path.includes(':')).sort();
}
