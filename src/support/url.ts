/** A URL, or a text that should be one, without the user name and password before its host. */
export function withoutUser(url: string): string {
  // A password may hold a slash, and a scheme may be missing: everything up to the last @ can be part of it.
  return url.replace(/^(\s*(?:[a-z][a-z0-9+.-]*:(?=[\\/]))?[\\/]*).*@/is, '$1***@');
}
