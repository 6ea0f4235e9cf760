/** The checks of `svc doctor` that need settings: the connection, the token and the API. Each has a time limit. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Credential } from '../../../config/credentials.ts';
import { chooseProfile } from '../../../config/profiles.ts';
import { scopePath } from '../../../config/scope.ts';
import { Failure } from '../../../errors.ts';
import { header } from '../../../http/transport.ts';
import { errorCode } from '../../../support/errno.ts';
import { parseUrl } from '../../../support/url.ts';
import { readObject, sendRequest } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';
import { version } from '../../version.ts';
import { findTokenOwner } from '../auth/token-owner.ts';
import { daysUntil, type Finding, fail, ok, runCheck, warn, withTimeout } from './finding.ts';

function profile({ settings: { profile: chosen, unused } }: Session): Finding {
  const [choose] = chooseProfile(unused);
  if (choose !== undefined) return warn('profile', 'none', choose);
  const none = 'none; settings come from flags and the environment';
  return ok('profile', chosen ? `${chosen.value} (${chosen.from})` : none);
}

function readOnly({ settings: { readOnly: setting } }: Session): Finding[] {
  return setting.value ? [ok('read-only', `only GET and HEAD are sent (${setting.from})`)] : [];
}

function baseUrl(session: Session): Finding {
  const root = session.root();
  const text = `${root} (${session.settings.baseUrl?.from})`;
  if (!root.startsWith('http:') || /^http:\/\/(localhost|127\.|\[::1\])/.test(root))
    return ok('base URL', text);
  const problem = `${text} is not encrypted: others can read the token`;
  return warn('base URL', problem, 'use https if the service supports it');
}

/** A host of a URL without the brackets of an IPv6 address. */
const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
const isAddress = (host: string): boolean => isIP(host) !== 0;

async function dns(session: Session, url: URL): Promise<Finding> {
  const host = bareHost(url);
  if (isAddress(host)) return ok('DNS', `${host} is an IP address`);
  try {
    const found = await withTimeout(session, `looking up ${host}`, lookup(host, { all: true }));
    return ok('DNS', `${host} resolves to ${found.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const message = `cannot resolve ${host} (${errorCode(error)})`;
    return fail('DNS', 'network', message, 'check the network connection and the base URL');
  }
}

/** Send a request without a token, and compare the clocks. */
async function connection(session: Session, { host }: URL): Promise<Finding[]> {
  const { context, settings } = session;
  const { now } = context;
  const root = session.root();
  const transport = await session.open(root);
  try {
    const started = now();
    const headers = [
      ['accept', 'application/json'],
      ['user-agent', `svc/${version}`],
    ] as const;
    const request = { method: 'GET', url: `${root}/version`, headers };
    const reply = await withTimeout(session, 'the response', transport.send(request));
    const ended = now();
    await reply.discard();
    const date = Date.parse(header(reply.headers, 'date') ?? '');
    const clocks = Number.isNaN(date) ? [] : [clock(date, (started + ended) / 2)];
    const location = header(reply.headers, 'location');
    if (reply.status >= 300 && reply.status < 400 && location !== undefined) {
      // Only the origin: a path or a query can contain secrets.
      const target = parseUrl(location, root)?.origin ?? 'an invalid URL';
      const remedy = 'use the target of the redirect as the base URL';
      return [warn('connection', `${host} redirects to ${target}`, remedy), ...clocks];
    }
    const message = `${host} responds in ${ended - started} ms`;
    if (!settings.insecure.value) return [ok('connection', message), ...clocks];
    const problem = `certificate verification is disabled (${settings.insecure.from})`;
    return [warn('connection', `${message}; ${problem}`, 'use --ca-file instead'), ...clocks];
  } finally {
    await transport.close();
  }
}

/** Seconds. */
const clockTolerance = 60;

function clock(theirs: number, ours: number): Finding {
  const seconds = Math.round((ours - theirs) / 1000);
  if (Math.abs(seconds) <= clockTolerance) return ok('clock', 'matches the clock of the service');
  const message = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the clock of the service`;
  return warn('clock', message, 'set the clock of this machine');
}

/** Check the expiration of the certificate. The connection itself checks whether it is trusted. */
async function certificate(session: Session, url: URL): Promise<Finding[]> {
  const host = bareHost(url);
  const port = Number(url.port || 443);
  const name = isAddress(host) ? {} : { servername: host };
  const socket = connect({ host, port, ...name, rejectUnauthorized: false });
  try {
    await withTimeout(session, 'the TLS handshake', once(socket, 'secureConnect'));
    const { days, isSoon } = daysUntil(Date.parse(socket.getPeerCertificate().valid_to), session);
    if (!isSoon) return [ok('certificate', `valid for ${days} days`)];
    const message = days < 0 ? `expired ${-days} days ago` : `expires in ${days} days`;
    return [warn('certificate', message, 'contact the administrators of the service')];
  } catch {
    return [];
  } finally {
    socket.destroy();
  }
}

/** Return the status of a failure that concerns the token or the service. @throws other errors */
function statusOrThrow(error: unknown): 401 | 403 | 404 {
  const status = error instanceof Failure ? error.exchange?.status : undefined;
  if (status === 401 || status === 403 || status === 404) return status;
  throw error;
}

/** Send a request with the token. @returns an object, or a status that `statusOrThrow` returns */
async function get(session: Session, path: string) {
  const client = await session.client({});
  const request = { method: 'GET', url: `${session.root()}${path}`, headers: [] };
  const read = async () => (await readObject(await sendRequest(client, request))).value;
  return withTimeout(session, 'the response', read()).catch(statusOrThrow);
}

/** Check whether the service accepts the token, and when it expires. */
async function token(session: Session, { kind, from, warnings }: Credential): Promise<Finding[]> {
  const isJob = kind === 'job';
  const title = `${kind === 'bearer' ? 'access (as bearer)' : kind} token from ${from}`;
  const owner = await withTimeout(session, 'the response', findTokenOwner(session, isJob)).catch(
    statusOrThrow,
  );
  if (owner === 401) {
    const remedy = 'log in with another token: svc login';
    return [fail('token', 'auth', `the service rejects the ${title}`, remedy)];
  }
  if (typeof owner === 'number' || owner.note !== undefined) {
    const message = `the ${title} is accepted, but its owner is unknown`;
    return [warn('token', message, 'the token may have too few scopes')];
  }
  return [
    ok('token', `the ${title} belongs to ${owner.name}`),
    ...warnings.map((text) => warn('token', text, 'fix the permissions of the file')),
    ...(isJob ? [] : await scopes(session)),
  ];
}

/** Check the scopes and the expiration of the token, if the service reports them. */
async function scopes(session: Session): Promise<Finding[]> {
  const value = await get(session, '/personal_access_tokens/self');
  if (typeof value === 'number' || !Array.isArray(value['scopes'])) return [];
  const names = value['scopes'].map(String);
  const until = typeof value['expires_at'] === 'string' ? Date.parse(value['expires_at']) : Number.NaN;
  const { days, isSoon } = daysUntil(until, session);
  const message = `${names.join(', ')}${Number.isNaN(days) ? '' : `; expires in ${days} days`}`;
  if (isSoon) return [warn('scopes', message, 'create a new token and log in: svc login')];
  if (names.includes('api')) return [ok('scopes', message)];
  return [warn('scopes', message, 'some commands need a token with the scope api')];
}

/** Check whether the API responds, and its version. */
async function api(session: Session): Promise<Finding> {
  for (const path of ['/version', '/metadata']) {
    const value = await get(session, path);
    if (value === 401) return ok('API', 'available; its version requires a token');
    if (value === 403) return ok('API', 'available; the token may not read its version');
    if (value !== 404 && value['version'] !== undefined) return ok('API', `version ${value['version']}`);
  }
  const message = `no API found at ${session.root()}`;
  return fail('API', 'not_found', message, 'check the base URL: svc config explain');
}

/** Report why there is no token. */
async function missingToken({ settings }: Session, { origin, host }: URL): Promise<Finding> {
  const { whyNoCredential } = await import('../../../config/credentials.ts');
  const [why = 'log in: svc login'] = whyNoCredential(settings, { origin });
  return fail('token', 'auth', `no token for ${host}`, why);
}

/** Check the settings, the connection and the token. A failed check skips the checks that depend on it. */
export async function sessionFindings(session: Session): Promise<Finding[]> {
  const found = [profile(session), ...readOnly(session)];
  const passes = async (check: string, run: Parameters<typeof runCheck>[1]): Promise<boolean> => {
    const more = await runCheck(check, run);
    found.push(...more);
    return more.every(({ status }) => status !== 'fail');
  };
  if (!(await passes('base URL', () => baseUrl(session)))) return found;
  const url = new URL(session.root());
  for (const name of ['project', 'group'] as const) {
    const { [name]: given, baseUrl: base } = session.settings;
    if (given) await passes(name, () => ok(name, `${scopePath(name, given, base?.value)} (${given.from})`));
  }
  let proxy: string | undefined;
  const findProxy = async () => {
    const { httpProxy, httpsProxy, noProxy } = session.settings;
    const { chooseProxy } = await import('../../../http/proxy/choose.ts');
    const choice = { http: httpProxy?.value, https: httpsProxy?.value, none: noProxy?.value };
    proxy = chooseProxy(session.root(), choice);
    return ok('proxy', proxy === undefined ? 'none' : new URL(proxy).origin);
  };
  if (!(await passes('proxy', findProxy))) return found;
  let credential: Credential | undefined;
  const readToken = async () => {
    credential = await session.credential({});
    return [];
  };
  const isReadable = await passes('token', readToken);
  if (proxy === undefined && !(await passes('DNS', () => dns(session, url)))) return found;
  if (!(await passes('connection', () => connection(session, url)))) return found;
  if (url.protocol === 'https:' && proxy === undefined)
    await passes('certificate', () => certificate(session, url));
  const checkToken = () => (credential ? token(session, credential) : missingToken(session, url));
  // Without a token, the version of the API can be public.
  if (isReadable && ((await passes('token', checkToken)) || !credential))
    await passes('API', () => api(session));
  return found;
}
