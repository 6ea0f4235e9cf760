/** `license refresh --wait`. */
import type { Runner } from '../cli/overrides.ts';

const refresh: Runner = async (leaf, line, context) =>
  (await import('./waiting.ts')).refreshLicense(leaf, line, context);

export const runners = { refresh };
