/** Fill a new state: seed data, generated rows, files of the user, and the license. */
import type { FeatureName } from '../../api/features.ts';
import type { Tier } from '../../spec/field.ts';
import type { Deliveries } from '../areas/hooks/delivery.ts';
import { type Route, Router } from '../core/router.ts';
import { createWorld, type World } from '../core/world.ts';
import { setTier, turnOff } from '../license.ts';
import { createResponder } from '../respond.ts';
import { applyScale, loadSeedData, type Scale, type SeedData, seed } from './scale.ts';
import { addWorld, type WorldRows } from './world.ts';

export type Send = (request: Request) => Promise<Response>;

/** What a new state contains besides the seed data. It cannot be applied to an existing state. */
export interface Content {
  /**
   * A copy of another service: of the seed data, it has only the administrator, the license and the settings of the instance. Events are
   * not delivered to its webhooks, or only to those on this machine.
   */
  readonly copy?: Deliveries['to'];
  readonly scale?: Scale;
  readonly rows?: WorldRows;
  /** Changes the state by requests, which need no license or feature and call no webhook. */
  readonly prepare?: (send: Send) => Promise<void>;
  readonly tier?: Tier | 'free';
  /** Feature flags that are off. By default, all are on. */
  readonly withoutFeatures?: readonly FeatureName[];
}

/** @throws Failure `usage` for invalid content */
export async function fill(world: World, routes: readonly Route[], content: Content): Promise<void> {
  const { rows, scale, tier, withoutFeatures } = content;
  const all = await loadSeedData();
  const data = content.copy === undefined ? all : bareData(all);
  seed(world, data);
  if (content.copy) world.table<Deliveries>('sandbox_deliveries').insert({ to: content.copy });
  if (scale !== undefined) applyScale(world, data, scale);
  if (rows !== undefined) addWorld(world, rows);
  await content.prepare?.(sender(world, routes));
  if (tier !== undefined) setTier(world, tier);
  if (withoutFeatures !== undefined) turnOff(world, withoutFeatures);
}

/** The tables to keep, and how many of their rows. The administrator and the token are the first. */
const bare = { users: 1, tokens: 1, licenses: undefined, appearance: undefined };

function bareData(all: SeedData): SeedData {
  const kept = Object.entries(bare).map(([name, count]) => {
    const { rows = [], ...table } = all.tables[name] ?? {};
    return [name, { ...table, rows: rows.slice(0, count) }];
  });
  return { ...all, tables: Object.fromEntries(kept), jobs: [] };
}

function sender({ store, files }: World, routes: readonly Route[]): Send {
  const quiet = createWorld({ store, files, spam: 'off', emit: () => {} });
  const respond = createResponder(new Router(routes), quiet);
  return async (request) => respond(request, new Uint8Array(await request.arrayBuffer()));
}
