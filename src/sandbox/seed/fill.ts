/** Fill a new state: seed data, generated rows, files of the user, and the license. */
import type { FeatureName } from '../../api/features.ts';
import type { Tier } from '../../spec/field.ts';
import { jsonResponse } from '../core/context.ts';
import { HttpError } from '../core/http-error.ts';
import { type Route, Router } from '../core/router.ts';
import { createWorld, type World } from '../core/world.ts';
import { turnOff } from '../features.ts';
import { setTier } from '../license.ts';
import { createResponder } from '../respond.ts';
import { loadSeedData, seed } from './data.ts';
import { applyScale, type Scale } from './scale.ts';
import { addWorld, type WorldRows } from './world.ts';

/** Send a request to a state that is being filled. */
export type Send = (request: Request) => Promise<Response>;

/** What a new state contains besides the seed data. It cannot be applied to an existing state. */
export interface Content {
  /** Number of rows to generate by kind. */
  readonly scale?: Scale;
  readonly rows?: WorldRows;
  /** Changes the state by requests, which need no license or feature and call no webhook. */
  readonly prepare?: (send: Send) => Promise<void>;
  /** The license (default: ultimate). */
  readonly tier?: Tier | 'free';
  /** Feature flags that are off. By default, all are on. */
  readonly withoutFeatures?: readonly FeatureName[];
}

/** @throws Failure `usage` for invalid content */
export async function fill(world: World, routes: readonly Route[], content: Content): Promise<void> {
  const { rows, scale, tier, withoutFeatures } = content;
  const data = await loadSeedData();
  seed(world, data);
  if (scale !== undefined) applyScale(world, data, scale);
  if (rows !== undefined) addWorld(world, rows);
  await content.prepare?.(sender(world, routes));
  if (tier !== undefined) setTier(world, tier);
  if (withoutFeatures !== undefined) turnOff(world, withoutFeatures);
}

/** Return a function that sends requests to the tables of a state. */
function sender({ store, files }: World, routes: readonly Route[]): Send {
  const quiet = createWorld({ store, files, spam: 'off', emit: () => {} });
  const respond = createResponder(new Router(routes), quiet);
  return async (request) => {
    try {
      return await respond(request, new Uint8Array(await request.arrayBuffer()));
    } catch (error) {
      if (error instanceof HttpError) return jsonResponse(error.status, error.body, error.headers);
      throw error;
    }
  };
}
