/** Choose the proxy for a request from the environment. */

import { BlockList, isIP } from 'node:net';
import { usage } from '../../errors.ts';
import { isLocalHost, parseUrl } from '../../support/url.ts';

interface ProxySettings {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  readonly none?: string | undefined;
}

/**
 * Return the proxy for a URL. Loopback addresses never use a proxy.
 * @returns the proxy's URL; undefined for a direct connection
 * @throws Failure `usage` for a proxy that is not an http or https URL
 */
export function chooseProxy(url: string, settings: ProxySettings): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  const value = (secure ? settings.https : settings.http)?.trim() ?? '';
  const host = normalized(hostname);
  if (value === '' || isLocalHost(hostname.replace(/\.$/, ''))) return undefined;
  if (isBypassed(host, port || (secure ? '443' : '80'), settings.none ?? '')) return undefined;
  const proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!/^https?:$/.test(parseUrl(proxy)?.protocol ?? '')) {
    const name = secure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    // The message does not repeat the value, which may contain a password.
    throw usage(
      `invalid ${name}: not an http or https URL`,
      `for example: ${name}=http://proxy.example:3128`,
    );
  }
  return proxy;
}

/** A host name without the brackets of an IPv6 address and without a trailing dot. */
function normalized(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/**
 * Whether `NO_PROXY` lists this host. Entries are separated by commas or spaces. Each is a host name (which includes its subdomains,
 * with or without a leading dot or `*.`), an address, an address range (`10.0.0.0/8`), one of these with a port, or `*`.
 * @param host in lower case, without brackets
 */
export function isBypassed(host: string, port: string, noProxy: string): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = '', onlyPort] = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const slash = name.indexOf('/');
  if (slash > 0) return inRange(name.slice(0, slash), name.slice(slash + 1), host);
  const family = isIP(host);
  if (family !== 0) return inRange(name, family === 4 ? '32' : '128', host);
  const domain = normalized(name.replace(/^\*?\./, ''));
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

/** `name`, `name:port`, `[v6]`, `[v6]:port`; a bare IPv6 address has no port. */
function splitPort(entry: string): readonly (string | undefined)[] {
  return (
    /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? /^([^:]*):(\d+)$/.exec(entry) ?? [entry, entry, undefined]
  );
}

/** Whether an address is in a range. An address with a zone (`fe80::1%eth0`) is not a range. */
function inRange(base: string, bits: string, host: string): boolean {
  if (base.includes('%')) return false;
  const family = isIP(base);
  const prefix = Number(bits);
  if (family === 0 || family !== isIP(host) || !/^\d+$/.test(bits) || prefix > (family === 4 ? 32 : 128)) {
    return false;
  }
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(base, prefix, type);
  return list.check(host, type);
}
