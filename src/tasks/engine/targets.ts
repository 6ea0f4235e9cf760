/** Targets that name one project or group in different ways: by id, by path, in other letter case, by an earlier path. */

import { namespaces } from '../../api/namespaces.ts';
import type { Target } from '../../spec/resource.ts';
import { idText } from '../../support/record.ts';
import type { TaskContext } from '../context.ts';
import { readerOf } from './actual.ts';

/**
 * Return a text for each target that is the same for the same project or group, or undefined if the service does not tell.
 * A single target is not looked up.
 */
export async function identitiesOf(
  task: TaskContext,
  targets: readonly Target[],
): Promise<(string | undefined)[]> {
  const identities: (string | undefined)[] = [];
  for (const { scope, id } of targets) {
    const isAlone = targets.every((other) => other.scope !== scope || other.id === id);
    const isKnown = isAlone || scope === 'instance' || /^[1-9]\d*$/.test(id);
    const known = isKnown ? id : idText((await readerOf(task).object(namespaces[scope].get, { id }))?.['id']);
    identities.push(known === undefined ? undefined : `${scope} ${known}`);
  }
  return identities;
}
