/** The actual state: the resources that the service has. */
import { readNamespace } from '../../api/namespaces.ts';
import { Failure } from '../../errors.ts';
import { isSingleton, type Row, type Target } from '../../spec/resource.ts';
import { mapInOrder } from '../../support/in-order.ts';
import { jsonText } from '../../support/json.ts';
import { idText } from '../../support/record.ts';
import { ifAvailable, isUnavailable, type Reading } from './codecs.ts';
import { type Kind, slotsOf, targetName } from './model.ts';

/** Read every resource of a kind. @throws Failure if the list did not arrive as a whole */
export async function readRows(
  task: Reading,
  target: Target,
  { resource, calls, entries }: Kind,
): Promise<readonly Row[]> {
  const slots = slotsOf(target);
  const endpoint = calls.list ?? calls.get;
  if (!endpoint) return [];
  if (isSingleton(resource)) {
    const { value } = await task.call({ endpoint, slots, values: {} });
    return [resource.read?.(value, target.scope) ?? value];
  }
  const declared = entries?.map(({ attributes }) => attributes);
  const { unlisted } = resource;
  try {
    const rows: Row[] = [];
    const seen = new Set<string>();
    for await (const row of task.rows({ endpoint, slots, values: resource.listing ?? {} })) {
      // A row that moved to the next page displaced another, which the list therefore lacks.
      if (seen.size === seen.add(jsonText(row)).size) {
        const message = `the ${resource.kind} of ${targetName(target)} changed while they were read`;
        throw new Failure('server_error', message, { hint: 'nothing was changed; try again' });
      }
      const known = resource.read ? resource.read(row, target.scope) : row;
      if (known) rows.push(known);
    }
    return (await resource.refine?.(rows, declared, slots, task)) ?? rows;
  } catch (error) {
    // Without entries, nothing says which rules the branches have.
    if (!unlisted || !declared || !isUnavailable(error)) throw error;
    return unlisted(declared, slots, task);
  }
}

/**
 * Return a text for each target that is the same for the same project or group, or undefined if the service does not tell. Targets can be
 * written by id, by path, in other letter case, or by an earlier path. A single target is not looked up.
 */
export async function identitiesOf(task: Reading, targets: readonly Target[], concurrency = 4) {
  return mapInOrder(targets, concurrency, async ({ scope, id }) => {
    const isAlone = targets.every((other) => other.scope !== scope || other.id === id);
    if (isAlone || scope === 'instance' || /^[1-9]\d*$/.test(id)) return `${scope} ${id}`;
    const known = idText((await ifAvailable(task.call(readNamespace(scope, id))))?.value['id']);
    return known === undefined ? undefined : `${scope} ${known}`;
  });
}
