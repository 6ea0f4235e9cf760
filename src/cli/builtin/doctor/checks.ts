/** The checks of `svc doctor`. Each has a time limit. */

import { join } from 'node:path';
import type { Credential } from '../../../config/credentials.ts';
import { pathsOf } from '../../../config/paths.ts';
import { chooseProfile, isOpenToOthers, readProfileFile } from '../../../config/profiles.ts';
import { type ScopeName, scopePath } from '../../../config/scope.ts';
import { Failure, isFromSignal } from '../../../errors.ts';
import { header, type Reply } from '../../../http/transport.ts';
import { errorCode } from '../../../support/errno.ts';
import { shellQuote } from '../../../support/shell.ts';
import { parseUrl } from '../../../support/url.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';
import { version } from '../../version.ts';
import { readRunning } from '../sandbox/running.ts';
import { day, type Finding, fail, fromFailure, ok, warn, warningDays, withTimeout } from './finding.ts';
import { installationFindings, unlessUnreadable } from './program.ts';
import { checkApi, checkToken, missingToken } from './token-checks.ts';

/** Run a check and report a failure as a finding. An interruption is thrown. */
async function runCheck(check: string, run: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Failure) || isFromSignal(error)) throw error;
    return [fromFailure(check, error)];
  }
}

// --- without settings

function profileFile(context: Context): Finding {
  const check = 'profile file';
  try {
    const { profiles: file, remedy } = pathsOf(context.env);
    if (file === undefined) return warn(check, 'no folder for profiles', remedy);
    const found = readProfileFile(file);
    if (!found) return ok(check, `no file ${file}; svc login creates it`);
    if (isOpenToOthers(found.stat.mode)) {
      return warn(
        check,
        `other users can access ${file} (mode ${(found.stat.mode & 0o777).toString(8)})`,
        `chmod 600 ${shellQuote(file)}`,
      );
    }
    const { length } = Object.keys(found.data.profiles);
    return ok(check, `${file}, ${length} ${length === 1 ? 'profile' : 'profiles'}`);
  } catch (error) {
    if (error instanceof Failure) return fromFailure(check, error);
    throw error;
  }
}

async function sandbox(context: Context): Promise<Finding> {
  const { state } = pathsOf(context.env);
  const running = state === undefined ? undefined : await readRunning(join(state, 'sandbox'));
  return ok('sandbox', running ? `running at ${running.url}` : 'not running');
}

/** Check this machine and the files of this user. */
export async function localFindings(context: Context): Promise<Finding[]> {
  return [
    ...(await installationFindings(context)),
    profileFile(context),
    await unlessUnreadable('sandbox', () => sandbox(context)),
  ];
}

// --- settings

function profile({ settings }: Session): Finding {
  const { profile: one, unused } = settings;
  const [choose] = chooseProfile(unused);
  if (choose !== undefined) return warn('profile', 'none', choose);
  return ok(
    'profile',
    one ? `${one.value} (${one.from})` : 'none; settings come from flags and the environment',
  );
}

function baseUrl(session: Session): Finding {
  const root = session.root();
  const { from } = session.settings.baseUrl ?? { from: '' };
  const plain = root.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(root);
  if (!plain) return ok('base URL', `${root} (${from})`);
  return warn(
    'base URL',
    `${root} (${from}) is not encrypted: others can read the token`,
    'use https if the service supports it',
  );
}

function readOnly({ settings: { readOnly: setting } }: Session): Finding[] {
  return setting.value ? [ok('read-only', `only GET and HEAD are sent (${setting.from})`)] : [];
}

/** Check the default project or group, if there is one. */
function scopeFindings({ settings }: Session, scope: ScopeName): Finding[] {
  const { [scope]: given, baseUrl } = settings;
  return given ? [ok(scope, `${scopePath(scope, given, baseUrl?.value)} (${given.from})`)] : [];
}

async function proxyOf({ settings, root }: Session): Promise<string | undefined> {
  const { httpProxy, httpsProxy, noProxy } = settings;
  const { chooseProxy } = await import('../../../http/proxy/choose.ts');
  return chooseProxy(root(), { http: httpProxy?.value, https: httpsProxy?.value, none: noProxy?.value });
}

async function dns(session: Session, host: string): Promise<Finding> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (process.getBuiltinModule('node:net').isIP(bare) !== 0) return ok('DNS', `${bare} is an IP address`);
  const { lookup } = process.getBuiltinModule('node:dns').promises;
  try {
    const found = await withTimeout(session, `looking up ${bare}`, lookup(bare, { all: true }));
    return ok('DNS', `${bare} resolves to ${found.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    return fail(
      'DNS',
      'network',
      `cannot resolve ${bare} (${errorCode(error)})`,
      'check the network connection and the base URL',
    );
  }
}

// --- the connection

/** Check the expiration of the certificate. The connection itself checks whether it is trusted. */
async function certificate(session: Session, { hostname, port }: URL): Promise<Finding[]> {
  const tls = process.getBuiltinModule('node:tls');
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isAddress = process.getBuiltinModule('node:net').isIP(host) !== 0;
  const socket = tls.connect({
    host,
    port: Number(port || 443),
    ...(isAddress ? {} : { servername: host }),
    rejectUnauthorized: false,
  });
  try {
    const until = await withTimeout(
      session,
      'the TLS handshake',
      new Promise<string>((resolve, reject) => {
        socket.once('secureConnect', () => resolve(socket.getPeerCertificate().valid_to));
        socket.once('error', reject);
      }),
    );
    const days = Math.floor((Date.parse(until) - session.context.now()) / day);
    if (days >= warningDays) return [ok('certificate', `valid for ${days} days`)];
    const message = days < 0 ? `expired ${-days} days ago` : `expires in ${days} days`;
    return [warn('certificate', message, 'contact the administrators of the service')];
  } catch {
    return [];
  } finally {
    socket.destroy();
  }
}

/** Send a request without a token, and compare the clocks. */
async function checkConnection(session: Session): Promise<Finding[]> {
  const transport = await session.open(session.root());
  const { now } = session.context;
  try {
    const url = `${session.root()}/version`;
    const started = now();
    const request = {
      method: 'GET',
      url,
      headers: [
        ['accept', 'application/json'],
        ['user-agent', `svc/${version}`],
      ],
    } as const;
    const reply = await withTimeout(session, 'the response', transport.send(request));
    const ended = now();
    await reply.discard();
    const found = [connected(session, reply, ended - started)];
    const date = Date.parse(header(reply.headers, 'date') ?? '');
    if (!Number.isNaN(date)) found.push(clock(date, (started + ended) / 2));
    return found;
  } finally {
    await transport.close();
  }
}

function connected({ root, settings }: Session, { status, headers }: Reply, ms: number): Finding {
  const host = new URL(root()).host;
  const location = header(headers, 'location');
  if (status >= 300 && status < 400 && location !== undefined) {
    return warn(
      'connection',
      `${host} redirects to ${originOf(location, root())}`,
      'use the target of the redirect as the base URL',
    );
  }
  const message = `${host} responds in ${ms} ms`;
  return settings.insecure.value
    ? warn(
        'connection',
        `${message}; certificate verification is disabled (${settings.insecure.from})`,
        'use --ca-file instead',
      )
    : ok('connection', message);
}

/** Return the origin only: a path or query can contain secrets. */
function originOf(location: string, base: string): string {
  return parseUrl(location, base)?.origin ?? 'an invalid URL';
}

/** Seconds. */
const clockTolerance = 60;

function clock(theirs: number, ours: number): Finding {
  const seconds = Math.round((ours - theirs) / 1000);
  if (Math.abs(seconds) <= clockTolerance) return ok('clock', 'matches the clock of the service');
  const direction = seconds > 0 ? 'ahead of' : 'behind';
  return warn(
    'clock',
    `${Math.abs(seconds)} s ${direction} the clock of the service`,
    'set the clock of this machine',
  );
}

/** Check the settings, the connection and the token. A failed check skips the checks that depend on it. */
export async function sessionFindings(session: Session): Promise<Finding[]> {
  const found = [profile(session), ...readOnly(session)];
  const add = async (check: string, run: () => Promise<Finding[]>): Promise<boolean> => {
    const more = await runCheck(check, run);
    found.push(...more);
    return more.every(({ status }) => status !== 'fail');
  };
  if (!(await add('base URL', async () => [baseUrl(session)]))) return found;
  const url = new URL(session.root());
  for (const scope of ['project', 'group'] as const)
    await add(scope, async () => scopeFindings(session, scope));
  let proxy: string | undefined;
  const proxied = async () => {
    proxy = await proxyOf(session);
    return [ok('proxy', proxy === undefined ? 'none' : new URL(proxy).origin)];
  };
  if (!(await add('proxy', proxied))) return found;
  let credential: Credential | undefined;
  const readable = await add('token', async () => {
    credential = await session.credential({});
    return [];
  });
  if (proxy === undefined && !(await add('DNS', async () => [await dns(session, url.hostname)])))
    return found;
  if (!(await add('connection', () => checkConnection(session)))) return found;
  if (url.protocol === 'https:' && proxy === undefined)
    await add('certificate', () => certificate(session, url));
  if (!readable) return found;
  if (credential) {
    const one = credential;
    if (!(await add('token', () => checkToken(session, one)))) return found;
  } else found.push(await missingToken(session));
  await add('API', async () => [await checkApi(session)]);
  return found;
}
