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
import { parseUrl } from '../../../support/url.ts';
import type { Session } from '../../session/model.ts';
import { version } from '../../version.ts';
import { findTokenOwner, getObject } from '../auth/token-owner.ts';
import { type Check, type Finding, fail, ok, warn } from './program.ts';

/** A session, and what the checks before found out about it. */
export interface Subject {
  readonly session: Session;
  proxy?: string | undefined;
  /** Requests without a token are possible too, but none with a token that is invalid. */
  canRequest?: boolean;
}

/** Days before an expiration that cause a warning. */
const warningDays = 14;

const daysUntil = (time: number, { context }: Session) => Math.floor((time - context.now()) / 86_400_000);

function profile({ session: { settings } }: Subject): Finding {
  const [choose] = chooseProfile(settings.unused);
  if (choose !== undefined) return warn('none', choose);
  const { profile: chosen } = settings;
  return ok(
    chosen ? `${chosen.value} (${chosen.from})` : 'none; settings come from flags and the environment',
  );
}

function readOnly({ session: { settings } }: Subject): Finding[] {
  const { value, from } = settings.readOnly;
  return value ? [ok(`only GET and HEAD are sent (${from})`)] : [];
}

function baseUrl({ session }: Subject): Finding {
  const root = session.root();
  const text = `${root} (${session.settings.baseUrl?.from})`;
  if (!root.startsWith('http:') || /^http:\/\/(localhost|127\.|\[::1\])/.test(root)) return ok(text);
  return warn(`${text} is not encrypted: others can read the token`, 'use https if the service supports it');
}

const scope = (name: ScopeName): Check<Subject> => ({
  name,
  run({ session: { settings } }) {
    const given = settings[name];
    return given ? ok(`${scopePath(name, given, settings.baseUrl?.value)} (${given.from})`) : [];
  },
});

async function proxy(subject: Subject): Promise<Finding> {
  const { httpProxy, httpsProxy, noProxy } = subject.session.settings;
  const { chooseProxy } = await import('../../../http/proxy/choose.ts');
  const choice = { http: httpProxy?.value, https: httpsProxy?.value, none: noProxy?.value };
  subject.proxy = chooseProxy(subject.session.root(), choice);
  return ok(subject.proxy === undefined ? 'none' : new URL(subject.proxy).origin);
}

/** A host of a URL without the brackets of an IPv6 address. */
const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
const isAddress = (host: string): boolean => isIP(host) !== 0;

async function dns({ session, proxy }: Subject): Promise<Finding | []> {
  if (proxy !== undefined) return [];
  const host = bareHost(new URL(session.root()));
  if (isAddress(host)) return ok(`${host} is an IP address`);
  const found = await Promise.race([
    lookup(host, { all: true }).catch((error: unknown) => errorCode(error) ?? 'unknown error'),
    // The transports limit the time of all other checks.
    sleep(session.settings.timeout.value, 'no response in time', { ref: false }),
  ]);
  if (typeof found !== 'string')
    return ok(`${host} resolves to ${found.map(({ address }) => address).join(', ')}`);
  return fail(
    'network',
    `cannot resolve ${host} (${found})`,
    'check the network connection and the base URL',
  );
}

/** Send a request without a token, and compare the clocks. */
async function connection({ session }: Subject): Promise<Finding[]> {
  const { now } = session.context;
  const { insecure } = session.settings;
  const root = session.root();
  const { host } = new URL(root);
  const transport = await session.open(root);
  try {
    const started = now();
    const headers = [
      ['accept', 'application/json'],
      ['user-agent', `svc/${version}`],
    ] as const;
    const request = { method: 'GET', url: `${root}/version`, headers };
    const reply = await transport.send(request);
    const ended = now();
    await reply.discard();
    const date = Date.parse(header(reply.headers, 'date') ?? '');
    const clocks = Number.isNaN(date) ? [] : [clock(date, (started + ended) / 2)];
    const location = header(reply.headers, 'location');
    if (reply.status >= 300 && reply.status < 400 && location !== undefined) {
      // Only the origin: a path or a query can contain secrets.
      const target = parseUrl(location, root)?.origin ?? 'an invalid URL';
      const remedy = 'use the target of the redirect as the base URL';
      return [warn(`${host} redirects to ${target}`, remedy), ...clocks];
    }
    const message = `${host} responds in ${ended - started} ms`;
    if (!insecure.value) return [ok(message), ...clocks];
    const problem = `certificate verification is disabled (${insecure.from})`;
    return [warn(`${message}; ${problem}`, 'use --ca-file instead'), ...clocks];
  } finally {
    await transport.close();
  }
}

function clock(theirs: number, ours: number): Finding {
  const check = 'clock';
  const seconds = Math.round((ours - theirs) / 1000);
  if (Math.abs(seconds) <= 60) return { ...ok('matches the clock of the service'), check };
  const message = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the clock of the service`;
  return { ...warn(message, 'set the clock of this machine'), check };
}

/** Check the expiration of the certificate. The connection itself checks whether it is trusted. */
async function certificate({ session, proxy }: Subject): Promise<Finding | []> {
  const url = new URL(session.root());
  if (url.protocol !== 'https:' || proxy !== undefined) return [];
  const host = bareHost(url);
  const port = Number(url.port || 443);
  const name = isAddress(host) ? {} : { servername: host };
  const socket = connect({ host, port, ...name, rejectUnauthorized: false });
  socket.setTimeout(session.settings.timeout.value, () => socket.destroy(new Error('no response')));
  try {
    await once(socket, 'secureConnect');
    const days = daysUntil(Date.parse(socket.getPeerCertificate().valid_to), session);
    if (days >= warningDays) return ok(`valid for ${days} days`);
    const message = days < 0 ? `expired ${-days} days ago` : `expires in ${days} days`;
    return warn(message, 'contact the administrators of the service');
  } catch {
    return [];
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

async function token(subject: Subject): Promise<Finding | Finding[]> {
  const { session } = subject;
  const credential = await session.credential({});
  // Without a token, the version of the API can be public.
  subject.canRequest = credential === undefined;
  if (!credential) {
    const { origin, host } = new URL(session.root());
    const [why = 'log in: svc login'] = whyNoCredential(session.settings, { origin });
    return fail('auth', `no token for ${host}`, why);
  }
  const { kind, from, warnings } = credential;
  const isJob = kind === 'job';
  const title = `${kind === 'bearer' ? 'access (as bearer)' : kind} token from ${from}`;
  const owner = await findTokenOwner(session, isJob).catch(statusOf);
  if (owner === 401)
    return fail('auth', `the service rejects the ${title}`, 'log in with another token: svc login');
  subject.canRequest = true;
  if (typeof owner === 'number' || owner.note !== undefined)
    return warn(`the ${title} is accepted, but its owner is unknown`, 'the token may have too few scopes');
  return [
    ok(`the ${title} belongs to ${owner.name}`),
    ...warnings.map((text) => warn(text, 'fix the permissions of the file')),
    ...(isJob ? [] : await scopes(session)),
  ];
}

async function scopes(session: Session): Promise<Finding[]> {
  const value = await getObject(session, '/personal_access_tokens/self').catch(statusOf);
  if (typeof value === 'number' || !Array.isArray(value['scopes'])) return [];
  const names = value['scopes'].map(String);
  const days = daysUntil(Date.parse(String(value['expires_at'])), session);
  const message = `${names.join(', ')}${Number.isNaN(days) ? '' : `; expires in ${days} days`}`;
  const problem =
    days < warningDays
      ? 'create a new token and log in: svc login'
      : !names.includes('api') && 'some commands need a token with the scope api';
  return [{ ...(problem ? warn(message, problem) : ok(message)), check: 'scopes' }];
}

async function api({ session, canRequest }: Subject): Promise<Finding | []> {
  if (!canRequest) return [];
  for (const path of ['/version', '/metadata']) {
    const value = await getObject(session, path).catch(statusOf);
    if (value === 401) return ok('available; its version requires a token');
    if (value === 403) return ok('available; the token may not read its version');
    if (value !== 404 && value['version'] !== undefined) return ok(`version ${value['version']}`);
  }
  return fail('not_found', `no API found at ${session.root()}`, 'check the base URL: svc config explain');
}

export const sessionChecks: readonly Check<Subject>[] = [
  { name: 'profile', run: profile },
  { name: 'read-only', run: readOnly },
  { name: 'base URL', run: baseUrl, required: true },
  scope('project'),
  scope('group'),
  { name: 'proxy', run: proxy, required: true },
  { name: 'DNS', run: dns, required: true },
  { name: 'connection', run: connection, required: true },
  { name: 'certificate', run: certificate },
  { name: 'token', run: token },
  { name: 'API', run: api },
];
