import { usage } from '../errors.ts';
import type { Transport, TransportOptions } from '../http/transport.ts';
import type { Context } from './context.ts';
import type { Settings } from './settings.ts';

/** The carrier for the settings in force. @throws Failure `usage` for a certificate file that can't be read */
export async function openTransport(root: string, settings: Settings, context: Context): Promise<Transport> {
  const { origin } = new URL(root);
  const proxy = await proxyOf(root, settings);
  const [ca, cert, key] = await Promise.all([
    pem(settings.caFile),
    pem(settings.clientCert),
    pem(settings.clientKey),
  ]);
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(settings.insecure.value ? { insecure: true } : {}),
  };
  const options: TransportOptions = {
    timeout: settings.timeout.value,
    ...(Object.keys(tls).length > 0 ? { tls } : {}),
    ...(proxy === undefined ? {} : { proxy }),
    signal: context.signal,
  };
  if (context.carrier) return context.carrier(origin, options);
  const { createTransport } = await import('../http/undici.ts');
  return createTransport(origin, options);
}

async function proxyOf(
  root: string,
  { httpProxy, httpsProxy, noProxy }: Settings,
): Promise<string | undefined> {
  if (!httpProxy && !httpsProxy) return undefined;
  const { chooseProxy } = await import('../http/proxy.ts');
  return chooseProxy(root, { http: httpProxy?.value, https: httpsProxy?.value, none: noProxy?.value });
}

async function pem(setting: Settings['caFile']): Promise<string | undefined> {
  if (!setting) return undefined;
  try {
    return await (await import('node:fs/promises')).readFile(setting.value, 'utf8');
  } catch (error) {
    throw usage(`${setting.from}: can't read ${setting.value}: ${(error as Error).message.split(',')[0]}`);
  }
}
