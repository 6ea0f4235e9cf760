/** `dependency-exports create --wait`. */
import type { Runner } from '../cli/overrides.ts';

const create: Runner = async (leaf, line, context) =>
  (await import('./waiting.ts')).createExport(leaf, line, context);

export const runners = { create };
