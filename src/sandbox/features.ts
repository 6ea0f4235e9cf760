/** Feature flags (section 9). All are on, except those that a new state turns off. */
import { type FeatureName, features } from '../api/features.ts';
import { usage } from '../errors.ts';
import type { Operation } from '../spec/endpoint.ts';
import type { Feature, Fields } from '../spec/field.ts';
import type { Row } from './core/rows.ts';
import type { World } from './core/world.ts';

interface Off extends Row {
  name: string;
}

const table = (world: World) => world.table<Off>('sandbox_features_off');

/** @throws Failure `usage` for an unknown name */
export function turnOff(world: World, names: readonly FeatureName[]): void {
  const known: readonly string[] = features.map(({ name }) => name);
  for (const name of new Set(names)) {
    if (!known.includes(name))
      throw usage(`unknown feature flag ${JSON.stringify(name)}; feature flags: ${known.join(', ')}`);
    table(world).insert({ name });
  }
}

export function isOn(world: World, { name }: Feature): boolean {
  return table(world).find((row) => row.name === name) === undefined;
}

/** Return the parameters of a call without those of features that are off, which the service ignores. */
export function fieldsOn(world: World, { takes }: Operation): Fields {
  const off = Object.entries(takes).filter(([, { feature }]) => feature && !isOn(world, feature));
  if (off.length === 0) return takes;
  return Object.fromEntries(Object.entries(takes).filter(([name]) => !off.some(([one]) => one === name)));
}
