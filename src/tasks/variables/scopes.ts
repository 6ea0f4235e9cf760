/** The variables that a job of an environment gets. */
import type { Row } from '../../spec/resource.ts';

/** Whether an environment scope matches; `*` in it is any text. */
function matches(scope: string, environment: string): boolean {
  const parts = scope.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(environment);
}

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
    if (environment === undefined ? scope !== '*' : !matches(scope, environment)) continue;
    const own = rank(scope, environment ?? '*');
    const key = String(row['key']);
    const known = chosen.get(key);
    if (!known || own > known.rank) chosen.set(key, { row, rank: own });
  }
  return [...chosen.values()].map(({ row }) => row);
}
