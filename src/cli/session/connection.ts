/** The parts that send requests: the root of the API, a token, transports and the client. */
import { type Credential, credentialFor } from '../../config/credentials.ts';
import { chooseProfile } from '../../config/profiles.ts';
import { type Failure, forPerson, usage } from '../../errors.ts';
import { type Client, createClient, type Event } from '../../http/client.ts';
import { readOnlyFailure, readOnlyTransport } from '../../http/policy/read-only.ts';
import type { Transport } from '../../http/transport.ts';
import type { Access } from '../../spec/endpoint.ts';
import type { Fields } from '../../spec/field.ts';
import { maskedQuery, maskedUrl } from '../../spec/mask.ts';
import { apiRoot } from '../../spec/request.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { version } from '../../support/installation.ts';
import { originIn } from '../../support/url.ts';
import { pause } from '../../support/waiting/pause.ts';
import type { Context } from '../context.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Har } from './har.ts';
import type { Connection, Session, SessionOptions } from './model.ts';
import type { Settings } from './settings.ts';

interface ConnectionInput
  extends Pick<Session, 'context' | 'options' | 'settings' | 'notes' | 'progress'>,
    SessionOptions {
  /** The parameters of the endpoint, whose secrets are masked in traces and logs. */
  readonly fields: Fields;
  readonly secrets: readonly string[];
  readonly addToken: (token: string) => void;
  readonly conceal: Session['conceal'];
  readonly har: Har | undefined;
}

export function createConnection(input: ConnectionInput): Connection {
  const { context, settings, notes, secrets, har } = input;
  let knownRoot: string | undefined;
  const root = () => {
    const { baseUrl } = settings;
    if (!baseUrl) throw noBaseUrl(settings);
    const { value, source, from } = baseUrl;
    knownRoot ??= apiRoot(value, source === 'profile' ? `base_url of ${from}` : from);
    return knownRoot;
  };

  const credentials = new Map<'job' | undefined, Promise<Credential | undefined>>();
  const readCredential = async (only: 'job' | undefined) => {
    const found = await credentialFor(settings, { origin: originIn(root()), only, signal: context.signal });
    if (found) input.addToken(found.token);
    for (const warning of found?.warnings ?? []) notes.warn(warning);
    return found;
  };
  const credential = ({ jobToken }: Access) => {
    const only = jobToken === 'only' ? 'job' : undefined;
    const found = credentials.get(only) ?? readCredential(only);
    credentials.set(only, found);
    return found;
  };

  /** @param shownUrl masks the secrets that the names in a URL mark */
  const open = async (to: string, own: Settings, signal: AbortSignal, shownUrl: (url: string) => string) => {
    const { auditLog: log } = settings;
    const auditedTransport = log && (await import('./audit.ts')).auditedTransport;
    const { command = '' } = input;
    const record = (plain: Transport) => {
      const recorded = har ? har.record(plain, shownUrl) : plain;
      const audit = { root: to === knownRoot ? to : undefined, command, shownUrl, secrets, warn: notes.warn };
      return auditedTransport ? auditedTransport(recorded, { log, ...audit }, context) : recorded;
    };
    const { env, transport } = context;
    return openTransport(to, own, { env, signal, transport }, record);
  };
  const openService = () => open(root(), settings, context.signal, (url) => maskedUrl(url, input.fields));

  const openOutside: Connection['openOutside'] = (origin, signal = context.signal) => {
    const { insecure } = settings;
    const isInsecure = insecure.source === 'flag' && insecure.value;
    if (isInsecure && origin.startsWith('https:'))
      notes.warn(`certificate verification of ${new URL(origin).host} is disabled (${insecure.from})`);
    const checked = { value: false, source: 'default', from: 'default' } as const;
    const own = { clientCert: undefined, clientKey: undefined, insecure: isInsecure ? insecure : checked };
    return open(origin, { ...settings, ...own }, signal, maskedQuery);
  };

  const connect = async (access: Access): Promise<Client> => {
    const own = await credential(access);
    const opened = await openService();
    const transport = input.polls
      ? (await import('../../http/policy/revalidate.ts')).revalidatingTransport(opened)
      : opened;
    warnIfInsecure(root(), input);
    const notify = withProgress(notes.event, input.progress, context.now);
    const limiter = input.limiter ?? (input.concurrent ? await openLimiter(input, notify) : undefined);
    return createClient(transport, {
      root: root(),
      credential: own?.header,
      secrets,
      openOutside,
      conceal: input.conceal,
      userAgent: `svc/${version}`,
      retries: settings.retries.value,
      maxWait: settings.maxWait.value,
      retryUnsafe: input.options.retryUnsafe === true,
      limiter,
      notify,
      bodies: input.options.trace === true,
      signal: context.signal,
      now: context.now,
      sleep: (ms) => (context.sleep ?? pause)(ms, context.signal),
      random: context.random,
    });
  };
  let client: Promise<Client> | undefined;
  return {
    root,
    credential,
    open: openService,
    openOutside,
    client: (access) => (client ??= connect(access)),
    close: async () => client?.then((open) => open.close()).catch(() => {}),
  };
}

/** Open one rate limit for requests that are sent at a time. @param notify gets an event when all of them begin to wait */
export async function openLimiter(
  { context, settings }: Pick<Session, 'context' | 'settings'>,
  notify: (event: Event) => void,
) {
  const { createLimiter } = await import('../../http/policy/limiter.ts');
  return createLimiter({
    maxWait: settings.maxWait.value,
    now: context.now,
    sleep: (ms, signal = context.signal) => (context.sleep ?? pause)(ms, signal),
    onPause: (ms) => notify({ kind: 'pause', ms }),
  });
}

/** With NODE_TLS_REJECT_UNAUTHORIZED=0, Node verifies no certificates. `svc` suppresses the warning of Node and prints its own. */
function warnIfInsecure(root: string, { context, settings, notes }: ConnectionInput): void {
  const { insecure, httpProxy, httpsProxy } = settings;
  const isSecure = [root, httpProxy?.value, httpsProxy?.value].some((url) => url?.startsWith('https:'));
  const isOff = isSecure && context.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  const from = insecure.value ? insecure.from : isOff ? 'NODE_TLS_REJECT_UNAUTHORIZED=0' : undefined;
  if (from !== undefined)
    notes.warn(`certificate verification of ${new URL(root).host} is disabled (${from})`);
}

function noBaseUrl({ unused }: Settings): Failure {
  const hints = forPerson(
    ...chooseProfile(unused),
    'use svc login, SVC_BASE_URL=https://host.example or --base-url https://host.example',
    'to try svc without a server: svc --sandbox jobs list --project acme/rocket',
  );
  return usage('no base URL is set', hints);
}

/** Refuse a write in read-only mode before the command prompts or reads a token. The transport refuses every write anyway. @throws Failure `usage` */
export function checkReadOnly(
  { settings: { readOnly } }: { readonly settings: Pick<Settings, 'readOnly'> },
  method: string,
): void {
  if (readOnly.value && !isReadMethod(method)) throw readOnlyFailure(method, readOnly.from);
}

/** Open the transport for these settings. @param record wraps it, but not read-only mode @throws Failure `usage` for a certificate file */
export async function openTransport(
  root: string,
  settings: Settings,
  { env, signal, transport: create }: Pick<Context, 'env' | 'signal' | 'transport'>,
  record: (transport: Transport) => Transport = (transport) => transport,
): Promise<Transport> {
  const { readOnly, timeout } = settings;
  const origin = originIn(root);
  const proxy = await proxyOf(root, settings);
  const isSecure = [root, proxy].some((url) => url?.startsWith('https:'));
  const tls = isSecure ? await tlsOf(settings, env['NODE_EXTRA_CA_CERTS']) : undefined;
  const options = { timeout: timeout.value, signal, ...(tls ? { tls } : {}) };
  const through = proxy === undefined ? undefined : { ...options, proxy };
  const open = async () => {
    if (create) return create(origin, through ?? options);
    if (through)
      return (await import('../../http/proxy/transport.ts')).createProxiedTransport(origin, through);
    return (await import('../../http/node/transport.ts')).createDirectTransport(origin, options);
  };
  const transport = record(await open());
  return readOnly.value ? readOnlyTransport(transport, readOnly.from) : transport;
}

/** The proxy of requests to a URL, if any. */
export async function proxyOf(root: string, { httpProxy, httpsProxy, noProxy }: Settings) {
  if (!httpProxy && !httpsProxy) return undefined;
  const { chooseProxy } = await import('../../http/proxy/choose.ts');
  return chooseProxy(root, { http: httpProxy?.value, https: httpsProxy?.value, none: noProxy?.value });
}

async function tlsOf({ caFile, clientCert, clientKey, insecure }: Settings, extraCaFile: string | undefined) {
  const [ca, cert, key] = await Promise.all([
    readPem(caFile, 'CERTIFICATE'),
    readPem(clientCert, 'CERTIFICATE'),
    readPem(clientKey, 'PRIVATE KEY'),
  ]);
  if ((ca ?? cert ?? key) === undefined && !insecure.value) return undefined;
  return { ca, extraCaFile, cert, key, insecure: insecure.value };
}

const pemLimit = 16 * 1024 * 1024;

/** Read a file in PEM format. @param label the end of a label that it must contain (RFC 7468) */
async function readPem(setting: Settings['caFile'], label: string): Promise<string | undefined> {
  if (!setting) return undefined;
  const { value: file, from } = setting;
  const { readFile } = await import('../argv/values.ts');
  const text = (await readFile(file, from, pemLimit)).toString('utf8');
  // Node silently ignores a file without certificates.
  if (!new RegExp(`-----BEGIN [A-Z0-9 ]*${label}-----`).test(text))
    throw usage(`${from}: ${file} contains no ${label.toLowerCase()} in PEM format`);
  return text;
}
