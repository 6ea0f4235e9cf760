/** The areas whose calls do more than an ordinary collection. */
import type { AreaBehaviours } from '../behaviour.ts';
import { jobs } from './jobs.ts';
import { license } from './license.ts';
import { variables } from './variables.ts';

export const behaviours: readonly AreaBehaviours[] = [jobs, variables, license];
