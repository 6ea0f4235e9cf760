import { attempt } from './errno.ts';
import { mask } from './mask.ts';

/**
 * Parse a URL.
 * @returns undefined if it is invalid. Node 20 returns wrong results from `URL.canParse` for letters such as ü once it is optimized.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  return attempt(() => new URL(text, base));
}

/** Return the origin of an http or https URL; empty for any other text. */
export function originIn(text: string): string {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url.origin : '';
}

/** Mask the user name and password of a URL, or of a text that should be one. */
export function withoutUser(url: string): string {
  // A password can contain a slash and the scheme can be missing, so everything up to the last @ can be part of it.
  return url.replace(/^(?=.*@)(\s*(?:[a-z][a-z0-9+.-]*:(?=[\\/]))?[\\/]*).*@/is, `$1${mask}@`);
}

/** Add `https://` to a host name without a scheme: `host.example`, `localhost:8443/code`. Any other text is unchanged. */
export function withScheme(url: string): string {
  return /^[\p{L}\p{N}[]/u.test(url) && !/^[A-Za-z][A-Za-z0-9+.-]*:[\\/]/.test(url) ? `https://${url}` : url;
}

/** The names in the query of a URL, as different servers read them: with ";" between parameters, and without the brackets of lists. */
export function queryNames(url: string): string[] {
  const query = new URLSearchParams(url.replace(/^[^?]*/, '').replaceAll(';', '&'));
  return [...query.keys()].map((name) => name.replace(/\[.*$/s, '').trim());
}

/** Text without percent-encoding; unchanged if a `%` starts no valid sequence. */
export function percentDecoded(text: string): string {
  return attempt(() => decodeURIComponent(text)) ?? text;
}

/** Percent-encode the segments of a path. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const local = /^(([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Whether a host, with or without a port, always is this machine. */
export function isLocalHost(host: string): boolean {
  return local.test(host.replace(/:\d{1,5}$/, ''));
}
