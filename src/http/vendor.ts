/** Headers that servers of this API name after their vendor: `X-<Vendor>-Blob-Id` (interface.md section 7). */
import { utf8 } from './text.ts';
import type { Header } from './transport.ts';

/**
 * Vendor headers by the rest of their name: `blob-id` -> its value. Where several vendors' names stand in one answer
 * (a server's and a proxy's), the one with most headers counts.
 */
export function vendorHeaders(headers: readonly Header[]): ReadonlyMap<string, string> {
  return byVendor(headers)[1];
}

/** The vendor after whom a server names its headers, in lower case; undefined where none is named so. */
export function vendorOf(headers: readonly Header[]): string | undefined {
  return byVendor(headers)[0];
}

/** Headers of the whole web that look as if a vendor had named them. */
const common =
  /^(request-id|content-type-options|frame-options|xss-protection|runtime|total|total-pages|per-page|next-page|prev-page|forwarded-\w+|powered-by)$/;

function byVendor(
  headers: readonly Header[],
): readonly [vendor: string | undefined, values: ReadonlyMap<string, string>] {
  const vendors = new Map<string, Map<string, string>>();
  for (const [name, value] of headers) {
    const match = /^x-([a-z0-9]+)-(.+)$/.exec(name);
    if (!match || common.test(name.slice(2))) continue;
    const found = vendors.get(match[1]!) ?? new Map<string, string>();
    if (!found.has(match[2]!)) found.set(match[2]!, utf8(value));
    vendors.set(match[1]!, found);
  }
  const [most] = [...vendors].toSorted(([, a], [, b]) => b.size - a.size);
  return most ?? [undefined, new Map()];
}
