import type { World } from '../core/behavior.ts';

/** Fills tables of a new sandbox. */
export type Seeder = (world: World) => void;
