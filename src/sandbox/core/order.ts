/** The order of a list. */
import type { Row } from './rows.ts';

/**
 * Rows in the order of a key, those with the same key by their ids. Sorts in place.
 * @param sort of keys and ids: `asc`; by default `desc`, as the API has it
 */
export function ordered<T extends Row>(
  rows: T[],
  key: (row: T) => string | number,
  sort: string | undefined,
): T[] {
  const way = sort === 'asc' ? 1 : -1;
  return rows.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return way * (left < right ? -1 : left > right ? 1 : a.id - b.id);
  });
}
