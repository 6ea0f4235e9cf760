/** The areas whose calls do more than an ordinary collection. */
import type { AreaBehaviours } from '../behaviour.ts';
import { branches } from './branches.ts';
import { files } from './files.ts';
import { jobs } from './jobs.ts';
import { license } from './license.ts';
import { variables } from './variables.ts';

export const behaviours: readonly AreaBehaviours[] = [jobs, variables, files, license, branches];
