/** The checks of `svc doctor`. Each is bounded in time, and none throws. */
import { join } from 'node:path';
import type { Credential } from '../../../config/credentials.ts';
import { pathsOf } from '../../../config/paths.ts';
import { readProfileFile } from '../../../config/profiles.ts';
import { Failure } from '../../../errors.ts';
import { header, type Reply } from '../../../http/transport.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';
import { openTransport } from '../../session/transport.ts';
import { version } from '../../version.ts';
import { readRunning } from '../sandbox/running.ts';
import { day, type Finding, fail, fromFailure, ok, soon, warn, within } from './finding.ts';
import { api, noToken, token } from './token-checks.ts';

/** A check that can't be made is a finding too; an interruption is none. */
async function guarded(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'interrupted' || error.kind === 'terminated')
      throw error;
    return [fromFailure(check, error)];
  }
}

// --- what needs no settings

const least = [20, 19] as const;

function node(): Finding {
  const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
  const enough = major > least[0] || (major === least[0] && minor >= least[1]);
  return enough
    ? ok('node', process.version)
    : fail('node', 'internal', `${process.version} is too old`, `install Node ${least.join('.')} or newer`);
}

function profileFile(context: Context): Finding {
  const check = 'profile file';
  try {
    const { profiles: file, remedy } = pathsOf(context.env);
    if (file === undefined) return warn(check, 'there is no place for one', remedy);
    const found = readProfileFile(file);
    if (!found) return ok(check, `none at ${file}; svc auth login makes one`);
    const open = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
    if (open) {
      return warn(
        check,
        `${file} is open to other users (mode ${found.mode.toString(8)})`,
        `chmod 600 ${JSON.stringify(file)}`,
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
  return ok('sandbox', running ? `runs at ${running.url}` : 'none runs in the background');
}

/** Of this machine and this user alone. */
export async function localFindings(context: Context): Promise<Finding[]> {
  return [node(), ok('svc', version), profileFile(context), await sandbox(context)];
}

// --- the settings in force

function profile({ settings }: Session): Finding {
  const { profile: one } = settings;
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
    `${root} (${from}) is not encrypted: the token can be read on the way`,
    'use https if the service has it',
  );
}

async function proxyOf({ settings, root }: Session): Promise<string | undefined> {
  const { httpProxy, httpsProxy, noProxy } = settings;
  const { chooseProxy } = await import('../../../http/proxy/choose.ts');
  return chooseProxy(root(), { http: httpProxy?.value, https: httpsProxy?.value, none: noProxy?.value });
}

async function dns(session: Session, host: string): Promise<Finding> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (process.getBuiltinModule('node:net').isIP(bare) !== 0) return ok('DNS', `${bare} is an address`);
  const { lookup } = process.getBuiltinModule('node:dns').promises;
  try {
    const found = await within(session, `looking up ${bare}`, lookup(bare, { all: true }));
    return ok('DNS', `${bare} is ${found.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    return fail(
      'DNS',
      'network',
      `${bare} can't be looked up (${code})`,
      'is the network up, and the base URL right?',
    );
  }
}

// --- the connection

/** How long the certificate is good for. Whether it is trusted is told by the connection itself. */
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
    const until = await within(
      session,
      'the TLS handshake',
      new Promise<string>((resolve, reject) => {
        socket.once('secureConnect', () => resolve(socket.getPeerCertificate().valid_to));
        socket.once('error', reject);
      }),
    );
    const days = Math.floor((Date.parse(until) - session.context.now()) / day);
    if (days >= soon) return [ok('certificate', `good for ${days} days`)];
    const says = days < 0 ? `ended ${-days} days ago` : `ends in ${days} days`;
    return [warn('certificate', says, 'tell those who run the service')];
  } catch {
    return [];
  } finally {
    socket.destroy();
  }
}

/** One request, without a token: whether anything answers, and what its clock says. */
async function reach(session: Session): Promise<Finding[]> {
  const transport = await openTransport(session.root(), session.settings, session.context);
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
    const reply = await within(session, 'the answer', transport.send(request));
    const ended = now();
    await reply.discard();
    const found = [answered(session, reply, ended - started)];
    const date = Date.parse(header(reply.headers, 'date') ?? '');
    if (!Number.isNaN(date)) found.push(clock(date, (started + ended) / 2));
    return found;
  } finally {
    await transport.close();
  }
}

function answered({ root, settings }: Session, { status, headers }: Reply, ms: number): Finding {
  const host = new URL(root()).host;
  const location = header(headers, 'location');
  if (status >= 300 && status < 400 && location !== undefined) {
    return warn(
      'connection',
      `${host} redirects to ${originOf(location, root())}`,
      'make the address that it leads to the base URL',
    );
  }
  const says = `${host} answers in ${ms} ms`;
  return settings.insecure.value
    ? warn(
        'connection',
        `${says}, its certificate is not checked (${settings.insecure.from})`,
        'use --ca-file instead',
      )
    : ok('connection', says);
}

/** Its path and query may hold what is nobody's business. */
function originOf(location: string, base: string): string {
  return URL.canParse(location, base) ? new URL(location, base).origin : 'something that is not a URL';
}

/** Seconds that two clocks may differ. */
const leeway = 60;

function clock(theirs: number, ours: number): Finding {
  const seconds = Math.round((ours - theirs) / 1000);
  if (Math.abs(seconds) <= leeway) return ok('clock', 'agrees with that of the service');
  const way = seconds > 0 ? 'ahead of' : 'behind';
  return warn('clock', `${Math.abs(seconds)} s ${way} that of the service`, "set this machine's clock");
}

/** Everything that the settings lead to; what can't be known once a check failed is left out. */
export async function examine(session: Session): Promise<Finding[]> {
  const found = [profile(session)];
  const add = async (check: string, look: () => Promise<Finding[]>): Promise<boolean> => {
    const more = await guarded(check, look);
    found.push(...more);
    return more.every(({ status }) => status !== 'fail');
  };
  if (!(await add('base URL', async () => [baseUrl(session)]))) return found;
  const url = new URL(session.root());
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
  if (!(await add('connection', () => reach(session)))) return found;
  if (url.protocol === 'https:' && proxy === undefined)
    await add('certificate', () => certificate(session, url));
  if (!readable) return found;
  if (credential) {
    const one = credential;
    if (!(await add('token', () => token(session, one)))) return found;
  } else found.push(await noToken(session));
  await add('API', async () => [await api(session)]);
  return found;
}
