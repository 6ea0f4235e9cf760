import type { Row } from './rows.ts';

/**
 * Sort rows in place by a key, then by id.
 * @param sort `asc`, or `desc` (default)
 */
export function ordered<T extends Row>(
  rows: T[],
  key: (row: T) => string | number,
  sort: string | undefined,
): T[] {
  const direction = sort === 'asc' ? 1 : -1;
  return rows.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return direction * (left < right ? -1 : left > right ? 1 : a.id - b.id);
  });
}
