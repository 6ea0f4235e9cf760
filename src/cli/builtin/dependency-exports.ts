/** `dependency-exports create --wait`. */
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Runner } from '../additions.ts';

export function weave(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints;
}

const create: Runner = async (leaf, line, context) =>
  (await import('./waiting.ts')).createExport(leaf, line, context);

export const runners = { create };
