import { Failure, tooLarge, usage } from '../../errors.ts';
import type { Transport, TransportOptions } from '../../http/transport.ts';
import type { Context } from '../context.ts';
import type { Settings } from './settings.ts';

/**
 * The transport for the settings in force.
 * @throws Failure `usage` for a certificate file that can't be read, or holds none; only where TLS is spoken
 */
export async function openTransport(root: string, settings: Settings, context: Context): Promise<Transport> {
  const { origin } = new URL(root);
  const proxy = await proxyOf(root, settings);
  const secure = [root, proxy].some((url) => url?.startsWith('https:'));
  const [ca, cert, key] = secure
    ? await Promise.all([
        pem(settings.caFile, 'CERTIFICATE'),
        pem(settings.clientCert, 'CERTIFICATE'),
        pem(settings.clientKey, 'PRIVATE KEY'),
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
  return (await import('../../http/node/transport.ts')).createDirectTransport(origin, options);
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

/** A file in PEM. @param holds what one of its labels ends with (RFC 7468) */
async function pem(setting: Settings['caFile'], holds: string): Promise<string | undefined> {
  if (!setting) return undefined;
  const [{ openInput }, { collect }] = await Promise.all([
    import('../../support/input.ts'),
    import('../../support/bytes.ts'),
  ]);
  const name = `${setting.from}: ${setting.value}`;
  const read = async () => collect(await openInput(setting.value), pemLimit, () => tooLarge(name, pemLimit));
  const bytes = await read().catch((error: Error) => {
    if (error instanceof Failure) throw error;
    const why = error.message.replace(/^[A-Z0-9_]+: /, '').split(',')[0];
    throw usage(`${setting.from}: can't read ${setting.value}: ${why}`);
  });
  const text = bytes.toString('utf8');
  // Without one, Node would trust nobody more, and say nothing.
  if (!new RegExp(`-----BEGIN [A-Z0-9 ]*${holds}-----`).test(text))
    throw usage(`${setting.from}: ${setting.value} holds no ${holds.toLowerCase()} in PEM`);
  return text;
}
