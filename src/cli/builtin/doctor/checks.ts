/** The checks of `svc doctor` that need settings: the connection, the token and the API. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { whyNoCredential } from '../../../config/credentials.ts';
import { chooseProfile } from '../../../config/profiles.ts';
import { type ScopeName, scopePath } from '../../../config/scope.ts';
import { Failure } from '../../../errors.ts';
import { header } from '../../../http/transport.ts';
import { errorCode } from '../../../support/errno.ts';
import { version } from '../../../support/installation.ts';
import { parseUrl } from '../../../support/url.ts';
import { howToReplace } from '../../call/hints.ts';
import { proxyOf } from '../../session/connection.ts';
import type { Session } from '../../session/model.ts';
import { findTokenOwner, getObject } from '../auth/token-owner.ts';
import type { Findings } from './program.ts';

/** Days before an expiration that cause a warning. */
const warningDays = 14;

const daysUntil = (time: number, { context }: Session) => Math.floor((time - context.now()) / 86_400_000);

/** The checks in order. One that throws ends those after it. */
const checks: Readonly<Record<string, (found: Findings, session: Session) => unknown>> = {
  'base URL': checkBaseUrl,
  project: (found, session) => checkScope(found, session, 'project'),
  group: (found, session) => checkScope(found, session, 'group'),
  proxy: checkProxy,
  DNS: checkDns,
  connection: checkConnection,
  certificate: checkCertificate,
  token: checkToken,
  API: checkApi,
};

/** Check the settings in effect, then the connection, the token and the API. */
export async function checkService(found: Findings, session: Session): Promise<void> {
  const { profile, readOnly, unused } = session.settings;
  const [choose] = chooseProfile(unused);
  const none = 'none; settings come from flags and the environment';
  if (choose !== undefined) found.warn('profile', 'none', choose);
  else found.ok('profile', profile ? `${profile.value} (${profile.from})` : none);
  if (readOnly.value) found.ok('read-only', `only GET and HEAD are sent (${readOnly.from})`);
  for (const [check, run] of Object.entries(checks))
    if (!(await found.attempt(check, () => run(found, session)))) return;
}

function checkBaseUrl(found: Findings, session: Session) {
  const root = session.root();
  const text = `${root} (${session.settings.baseUrl?.from})`;
  if (!root.startsWith('http:') || /^http:\/\/(localhost|127\.|\[::1\])/.test(root))
    return found.ok('base URL', text);
  const problem = `${text} is not encrypted: others can read the token`;
  found.warn('base URL', problem, 'use https if the service supports it');
}

function checkScope(found: Findings, { settings }: Session, name: ScopeName) {
  const given = settings[name];
  if (given) found.ok(name, `${scopePath(name, given, settings.baseUrl?.value)} (${given.from})`);
}

async function checkProxy(found: Findings, { root, settings }: Session): Promise<void> {
  const proxy = await proxyOf(root(), settings);
  found.ok('proxy', proxy === undefined ? 'none' : new URL(proxy).origin);
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
const isAddress = (host: string): boolean => isIP(host) !== 0;

async function checkDns(found: Findings, session: Session): Promise<void> {
  const host = bareHost(new URL(session.root()));
  if ((await proxyOf(session.root(), session.settings)) !== undefined) return;
  if (isAddress(host)) return found.ok('DNS', `${host} is an IP address`);
  const addresses = await Promise.race([
    lookup(host, { all: true }).catch((error: unknown) => errorCode(error) ?? 'unknown error'),
    // The transports limit the time of all other checks.
    sleep(session.settings.timeout.value, 'no response in time', { ref: false }),
  ]);
  if (typeof addresses !== 'string')
    return found.ok('DNS', `${host} resolves to ${addresses.map(({ address }) => address).join(', ')}`);
  const hint = 'check the network connection and the base URL';
  throw new Failure('network', `cannot resolve ${host} (${addresses})`, { hint });
}

/** Send a request without a token, and compare the clocks. */
async function checkConnection(found: Findings, session: Session): Promise<void> {
  const { now } = session.context;
  const { insecure } = session.settings;
  const root = session.root();
  const { host } = new URL(root);
  const transport = await session.open();
  try {
    const started = now();
    const headers = [
      ['accept', 'application/json'],
      ['user-agent', `svc/${version}`],
    ] as const;
    const reply = await transport.send({ method: 'GET', url: `${root}/version`, headers });
    const ended = now();
    await reply.discard();
    const location = header(reply.headers, 'location');
    if (reply.status >= 300 && reply.status < 400 && location !== undefined) {
      // Only the origin: a path or a query can contain secrets.
      const target = parseUrl(location, root)?.origin ?? 'an invalid URL';
      const remedy = 'use the target of the redirect as the base URL';
      found.warn('connection', `${host} redirects to ${target}`, remedy);
    } else {
      const message = `${host} responds in ${ended - started} ms`;
      const problem = `certificate verification is disabled (${insecure.from})`;
      if (!insecure.value) found.ok('connection', message);
      else found.warn('connection', `${message}; ${problem}`, 'use --ca-file instead');
    }
    const date = Date.parse(header(reply.headers, 'date') ?? '');
    if (!Number.isNaN(date)) checkClock(found, Math.round(((started + ended) / 2 - date) / 1000));
  } finally {
    await transport.close();
  }
}

function checkClock(found: Findings, ahead: number) {
  const seconds = Math.abs(ahead);
  if (seconds <= 60) return found.ok('clock', 'matches the clock of the service');
  const message = `${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the service`;
  found.warn('clock', message, 'set the clock of this machine');
}

/** Check the expiration of the certificate. The connection itself checks whether it is trusted. */
async function checkCertificate(found: Findings, session: Session): Promise<void> {
  const url = new URL(session.root());
  if (url.protocol !== 'https:' || (await proxyOf(url.href, session.settings)) !== undefined) return;
  const host = bareHost(url);
  const port = Number(url.port || 443);
  const name = isAddress(host) ? {} : { servername: host };
  const socket = connect({ host, port, ...name, rejectUnauthorized: false });
  socket.setTimeout(session.settings.timeout.value, () => socket.destroy(new Error('no response')));
  try {
    await once(socket, 'secureConnect');
    const days = daysUntil(Date.parse(socket.getPeerCertificate().valid_to), session);
    const message = days < 0 ? `expired ${-days} days ago` : `expires in ${days} days`;
    if (days >= warningDays) found.ok('certificate', `valid for ${days} days`);
    else found.warn('certificate', message, 'contact the administrators of the service');
  } catch {
    // The checks of the connection report it.
  } finally {
    socket.destroy();
  }
}

/** Return a status that concerns the token or the service. @throws other failures */
function statusOf(error: unknown): 401 | 403 | 404 {
  const status = error instanceof Failure ? error.exchange?.status : undefined;
  if (status === 401 || status === 403 || status === 404) return status;
  throw error;
}

/** Other requests are possible without a token, but not with one that is invalid. */
async function checkToken(found: Findings, session: Session): Promise<void> {
  const credential = await session.credential({});
  if (!credential) {
    const { origin, host } = new URL(session.root());
    const [why = 'log in: svc login'] = whyNoCredential(session.settings, { origin });
    return found.fail('token', 'auth', `no token for ${host}`, why);
  }
  const { kind, from, warnings } = credential;
  const isJob = kind === 'job';
  const title = `the ${kind === 'bearer' ? 'access (as bearer)' : kind} token from ${from}`;
  const owner = await findTokenOwner(session, isJob).catch(statusOf);
  if (owner === 401) {
    const hint = `it may have expired or been revoked${howToReplace(session)}`;
    throw new Failure('auth', `the service rejects ${title}`, { hint });
  }
  if (typeof owner === 'number')
    return found.warn(
      'token',
      `the service responds with ${owner} for the owner of ${title}`,
      'see svc whoami',
    );
  if (owner.note !== undefined) {
    const problem = `${title} is accepted, but its owner is unknown`;
    return found.warn('token', problem, 'the token may have too few scopes');
  }
  found.ok('token', `${title} belongs to ${owner.name}`);
  for (const text of warnings) found.warn('token', text, 'fix the permissions of the file');
  if (!isJob) await checkScopes(found, session);
}

async function checkScopes(found: Findings, session: Session): Promise<void> {
  const value = await getObject(session, '/personal_access_tokens/self').catch(statusOf);
  if (typeof value === 'number' || !Array.isArray(value['scopes'])) return;
  const names = value['scopes'].map(String);
  const days = daysUntil(Date.parse(String(value['expires_at'])), session);
  const message = `${names.join(', ')}${Number.isNaN(days) ? '' : `; expires in ${days} days`}`;
  if (days < warningDays) found.warn('scopes', message, 'create a new token and log in: svc login');
  else if (names.includes('api')) found.ok('scopes', message);
  else found.warn('scopes', message, 'some commands need a token with the scope api');
}

async function checkApi(found: Findings, session: Session): Promise<void> {
  for (const path of ['/version', '/metadata']) {
    const value = await getObject(session, path).catch(statusOf);
    if (value === 401) return found.ok('API', 'available; its version requires a token');
    if (value === 403) return found.ok('API', 'available; the token may not read its version');
    if (value !== 404 && value['version'] !== undefined)
      return found.ok('API', `version ${value['version']}`);
  }
  const remedy = 'check the base URL: svc config explain';
  found.fail('API', 'not_found', `no API found at ${session.root()}`, remedy);
}
