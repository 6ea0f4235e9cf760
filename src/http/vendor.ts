/** Headers that servers of this API name after their vendor: `X-<Vendor>-Blob-Id` (interface.md section 7). */
import { utf8 } from './text.ts';
import type { Header } from './transport.ts';

/**
 * Vendor headers by the rest of their name: `blob-id` -> its value. If a response has headers of several vendors (a server and a
 * proxy), the vendor with the most headers is used.
 */
export function vendorHeaders(headers: readonly Header[]): ReadonlyMap<string, string> {
  return byVendor(headers)[1];
}

/** The vendor in the header names of a server, in lower case; undefined if there are no vendor headers. */
export function vendorOf(headers: readonly Header[]): string | undefined {
  return byVendor(headers)[0];
}

/** Common headers that look like vendor headers. */
const common =
  /^(request-id|content-type-options|frame-options|xss-protection|runtime|total|total-pages|per-page|next-page|prev-page|forwarded-\w+|powered-by)$/;

function byVendor(
  headers: readonly Header[],
): readonly [vendor: string | undefined, values: ReadonlyMap<string, string>] {
  const vendors = new Map<string, Map<string, string>>();
  for (const [header, value] of headers) {
    const [, vendor, name] = /^x-([a-z0-9]+)-(.+)$/.exec(header) ?? [];
    if (vendor === undefined || name === undefined || common.test(header.slice(2))) continue;
    const values = vendors.get(vendor) ?? new Map<string, string>();
    if (!values.has(name)) values.set(name, utf8(value));
    vendors.set(vendor, values);
  }
  const [first] = [...vendors].toSorted(([, a], [, b]) => b.size - a.size);
  return first ?? [undefined, new Map()];
}
