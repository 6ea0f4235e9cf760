/** Headers that servers of this API name after their vendor, such as `X-<Vendor>-Blob-Id`. */
import { type Header, utf8 } from './transport.ts';

/** The names of the API. Proxies and storage services have other headers of the same form, such as `X-Amz-*`. */
const vendorHeader =
  /^x-([a-z0-9]+)-(blob-id|commit-id|content-sha256|encoding|execute-filemode|file-name|file-path|last-commit-id|ref|size)$/;

/** Return the vendor headers by the rest of their name, of the vendor that has most of them. */
export function vendorHeaders(headers: readonly Header[]): ReadonlyMap<string, string> {
  const vendors = new Map<string, Map<string, string>>();
  for (const [header, value] of headers) {
    const [, vendor = '', name] = vendorHeader.exec(header) ?? [];
    if (name === undefined) continue;
    const values = vendors.get(vendor) ?? new Map<string, string>();
    if (!values.has(name)) values.set(name, utf8(value));
    vendors.set(vendor, values);
  }
  const [values] = [...vendors.values()].toSorted((a, b) => b.size - a.size);
  return values ?? new Map();
}
