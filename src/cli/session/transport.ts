import { Failure, tooLarge, usage } from '../../errors.ts';
import { createDirectTransport } from '../../http/node/transport.ts';
import { readOnlyTransport } from '../../http/policy/read-only.ts';
import type { Transport, TransportOptions } from '../../http/transport.ts';
import { errnoText } from '../../support/errno.ts';
import { originIn } from '../../support/url.ts';
import type { Context } from '../context.ts';
import type { Settings } from './settings.ts';

/**
 * Open the transport for these settings.
 * @param record wraps the transport to record requests; in read-only mode, refused requests do not reach it
 * @throws Failure `usage` for an unreadable or invalid certificate file, if the connection uses TLS
 */
export async function openTransport(
  root: string,
  settings: Settings,
  context: Pick<Context, 'signal' | 'transport'>,
  record: (transport: Transport) => Transport = (transport) => transport,
): Promise<Transport> {
  const { value: isReadOnly, from } = settings.readOnly;
  const transport = record(await openPlain(root, settings, context));
  return isReadOnly ? readOnlyTransport(transport, from) : transport;
}

async function openPlain(
  root: string,
  settings: Settings,
  context: Pick<Context, 'signal' | 'transport'>,
): Promise<Transport> {
  const origin = originIn(root);
  const proxy = await proxyOf(root, settings);
  const secure = [root, proxy].some((url) => url?.startsWith('https:'));
  const [ca, cert, key] = secure
    ? await Promise.all([
        readPem(settings.caFile, 'CERTIFICATE'),
        readPem(settings.clientCert, 'CERTIFICATE'),
        readPem(settings.clientKey, 'PRIVATE KEY'),
      ])
    : [];
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(settings.insecure.value ? { insecure: true } : {}),
  };
  const options: TransportOptions = {
    timeout: settings.timeout.value,
    ...(Object.keys(tls).length > 0 ? { tls } : {}),
    signal: context.signal,
  };
  const through = proxy === undefined ? undefined : { ...options, proxy };
  if (context.transport) return context.transport(origin, through ?? options);
  if (through) return (await import('../../http/proxy/transport.ts')).createProxiedTransport(origin, through);
  return createDirectTransport(origin, options);
}

async function proxyOf(
  root: string,
  { httpProxy, httpsProxy, noProxy }: Settings,
): Promise<string | undefined> {
  if (!httpProxy && !httpsProxy) return undefined;
  const { chooseProxy } = await import('../../http/proxy/choose.ts');
  return chooseProxy(root, { http: httpProxy?.value, https: httpsProxy?.value, none: noProxy?.value });
}

const pemLimit = 16 * 1024 * 1024;

/** Read a file in PEM format. @param label the end of a label that it must contain (RFC 7468) */
async function readPem(setting: Settings['caFile'], label: string): Promise<string | undefined> {
  if (!setting) return undefined;
  const [{ openInput }, { collect }] = await Promise.all([
    import('../../support/input.ts'),
    import('../../support/bytes.ts'),
  ]);
  const name = `${setting.from}: ${setting.value}`;
  const read = async () => collect(await openInput(setting.value), pemLimit, () => tooLarge(name, pemLimit));
  const bytes = await read().catch((error: Error) => {
    if (error instanceof Failure) throw error;
    throw usage(`${setting.from}: cannot read ${setting.value}: ${errnoText(error)}`);
  });
  const text = bytes.toString('utf8');
  // Node silently ignores a file without certificates.
  if (!new RegExp(`-----BEGIN [A-Z0-9 ]*${label}-----`).test(text))
    throw usage(`${setting.from}: ${setting.value} contains no ${label.toLowerCase()} in PEM format`);
  return text;
}
