/** Licenses with the tiers that they unlock (sections 1, 2.20), and feature flags (section 9), which are on by default. */

import type { FeatureName } from '../api/features.ts';
import type { Operation } from '../spec/endpoint.ts';
import type { Feature, Fields, Tier } from '../spec/field.ts';
import { forbidden } from './core/http-error.ts';
import type { Row } from './core/rows.ts';
import type { World } from './core/world.ts';

export interface License extends Row {
  key: string;
  plan: string;
  /** A date, as is `expires_at`. */
  starts_at: string;
  expires_at: string | null;
  user_limit: number;
  historical_max: number;
  maximum_user_count: number;
  licensee: { readonly Name: string; readonly Email: string; readonly Company: string };
}

export const today = (world: World): string => world.time().slice(0, 10);

export const isExpired = (world: World, row: License): boolean =>
  row.expires_at !== null && row.expires_at < today(world);

/** Return the latest license that has started and not expired. */
export function activeLicense(world: World): License | undefined {
  const isActive = (row: License) => row.starts_at <= today(world) && !isExpired(world, row);
  const active = world.table<License>('licenses').filter(isActive);
  return active.sort((a, b) => a.id - b.id).at(-1);
}

/** Let a new state have the license of a tier. `free` has none. */
export function setTier(world: World, tier: Tier | 'free'): void {
  const table = world.table<License>('licenses');
  const active = activeLicense(world);
  if (!active) return;
  if (tier !== 'free') {
    table.update(active, { plan: tier });
    return;
  }
  table.remove(active);
  setTier(world, tier);
}

const plans: Readonly<Record<Tier, readonly string[]>> = {
  premium: ['premium', 'ultimate'],
  ultimate: ['ultimate'],
};

/** @throws HttpError 403 if the active license does not include the tier */
export function requireTier(world: World, tier: Tier): void {
  const license = activeLicense(world);
  if (license && plans[tier].includes(license.plan)) return;
  throw forbidden(`This feature needs a license for ${plans[tier].join(' or ')}`);
}

const table = (world: World) => world.table('sandbox_features_off');

export function turnOff(world: World, names: readonly FeatureName[]): void {
  for (const name of names) table(world).insert({ name });
}

export function isOn(world: World, { name }: Feature): boolean {
  return table(world).find((row) => row['name'] === name) === undefined;
}

/** Return the parameters of a call without those of features that are off, which the service ignores. */
export function fieldsOn(world: World, { takes }: Operation): Fields {
  const off = Object.entries(takes).filter(([, { feature }]) => feature && !isOn(world, feature));
  if (off.length === 0) return takes;
  return Object.fromEntries(Object.entries(takes).filter(([name]) => !off.some(([one]) => one === name)));
}
