/** Licenses, and what the one in force opens (sections 1, 2.20). */
import type { Tier } from '../spec/field.ts';
import type { World } from './core/behavior.ts';
import { forbidden } from './core/http-error.ts';
import type { Row } from './core/rows.ts';

export interface License extends Row {
  /** The text that it was added by. */
  key: string;
  plan: string;
  created_at: string;
  /** Days. */
  starts_at: string;
  expires_at: string | null;
  user_limit: number;
  historical_max: number;
  maximum_user_count: number;
  licensee: { readonly Name: string; readonly Email: string; readonly Company: string };
  add_ons: Readonly<Record<string, number>>;
}

export const today = (world: World): string => world.time().slice(0, 10);

export const isExpired = (world: World, row: License): boolean =>
  row.expires_at !== null && row.expires_at < today(world);

/** Of the licenses that have begun and not ended, the latest. */
export function activeLicense(world: World): License | undefined {
  const isAlive = (row: License) => row.starts_at <= today(world) && !isExpired(world, row);
  const alive = world.table<License>('licenses').filter(isAlive);
  return alive.sort((a, b) => a.id - b.id).at(-1);
}

/** The plans that reach each tier. */
const plans: Readonly<Record<Tier, readonly string[]>> = {
  premium: ['premium', 'ultimate'],
  ultimate: ['ultimate'],
};

/** @throws HttpError 403 where the license in force does not reach the tier of a call */
export function requireTier(world: World, tier: Tier): void {
  const license = activeLicense(world);
  if (license && plans[tier].includes(license.plan)) return;
  throw forbidden(`This feature needs a license for ${plans[tier].join(' or ')}`);
}
