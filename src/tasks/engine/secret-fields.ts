/** The attributes of all kinds that are secret, to be masked in traces. */
import { resources } from '../../api/resources.ts';
import type { Fields } from '../../spec/field.ts';
import { hasSecret } from './plan.ts';

export async function secretFields(): Promise<Fields> {
  const loaded = await Promise.all(Object.values(resources).map((load) => load()));
  return Object.fromEntries(
    loaded.flatMap((resource) => Object.entries(resource.attributes).filter(([, field]) => hasSecret(field))),
  );
}
