/** The variables that a job of an environment gets. */
import type { Row } from '../../spec/resource.ts';
import { matchesWildcard } from '../../support/text/wildcard.ts';

/** Exact scopes before those with a wildcard, long ones before short ones, `*` last. */
function rank(scope: string, environment: string): number {
  if (scope === environment) return Number.POSITIVE_INFINITY;
  return scope === '*' ? 0 : scope.length;
}

/**
 * Choose one variable for each key.
 * @param environment without it, only variables of scope `*` count
 */
export function variablesFor(rows: readonly Row[], environment: string | undefined): Row[] {
  const chosen = new Map<string, { row: Row; rank: number }>();
  for (const row of rows) {
    const scope = String(row['environment_scope'] ?? '*');
    if (environment === undefined ? scope !== '*' : !matchesWildcard(scope, environment)) continue;
    const own = rank(scope, environment ?? '*');
    const key = String(row['key']);
    const known = chosen.get(key);
    if (!known || own > known.rank) chosen.set(key, { row, rank: own });
  }
  return [...chosen.values()].map(({ row }) => row);
}
