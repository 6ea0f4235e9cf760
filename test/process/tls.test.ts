// Certificates from flags, environment and profile.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authority, client, server as pair, selfSigned } from '../support/certificates.ts';
import { sharedHome, stackTrace, svc } from '../support/process.ts';
import { json } from '../support/service.ts';

const token = 'svcpat-6KdR1xWcY9';
const home = await sharedHome();
let server: Server;
let base: string;
const seen: { token: string | undefined; client: string | undefined }[] = [];

beforeAll(async () => {
  const options = { ...pair, ca: authority, requestCert: true, rejectUnauthorized: false };
  server = createServer(options, (req, res) => {
    const { subject } = (req.socket as TLSSocket).getPeerCertificate();
    const { 'private-token': sent } = req.headers;
    seen.push({ token: sent === undefined ? sent : String(sent), client: subject && String(subject.CN) });
    json(res, [{ id: 1 }]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(join(home.path, 'ca.pem'), authority);
  await writeFile(join(home.path, 'client.pem'), client.cert);
  await writeFile(join(home.path, 'client.key'), client.key, { mode: 0o600 });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const list = ['jobs', 'list', '-p', '1', '--csv', '--fields', 'id', '--retries', '0'];
const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  svc(home, [...list, ...argv], { env: { SVC_TOKEN: token, SVC_BASE_URL: base, ...env } });
const good = { code: 0, out: 'id\r\n1\r\n' };
const disabledBy = (what: string) =>
  `warning: certificate verification of ${new URL(base).host} is disabled (${what})\n`;

describe('a certificate', () => {
  it('that is not trusted fails with exit 3 before the token is sent', async () => {
    const before = seen.length;
    const { code, out, err } = await run([]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^error: .*certificate/);
    expect(err).toMatch(/--ca-file/);
    expect(err).not.toMatch(stackTrace);
    expect(seen.length).toBe(before);
  });

  it('is trusted with --ca-file', async () => {
    expect(await run(['--ca-file', 'ca.pem'])).toEqual({ ...good, err: '' });
    expect(seen.at(-1)?.token).toBe(token);
  });

  it('is trusted with NODE_EXTRA_CA_CERTS, to which --ca-file adds its own', async () => {
    const env = { NODE_EXTRA_CA_CERTS: join(home.path, 'ca.pem') };
    await writeFile(join(home.path, 'other.pem'), selfSigned.cert);
    for (const argv of [[], ['--ca-file', 'other.pem']])
      expect(await run(argv, env)).toEqual({ ...good, err: '' });
    expect((await run(['--ca-file', 'other.pem'])).code).toBe(3);
  });

  it('is required in the file of --ca-file before a request is sent', async () => {
    const before = seen.length;
    for (const [file, reason] of [
      ['client.key', 'client.key contains no certificate in PEM format'],
      ['nosuch', 'cannot read nosuch: no such file or directory'],
    ] as const)
      expect(await run(['--ca-file', file])).toEqual({
        code: 2,
        out: '',
        err: `error: --ca-file: ${reason}\n`,
      });
    expect(seen.length).toBe(before);
  });

  it('is not checked with --insecure, with a warning each time', async () => {
    for (const argv of [[], [], ['--quiet'], ['--quiet']])
      expect(await run(['--insecure', ...argv])).toEqual({ ...good, err: disabledBy('--insecure') });
  });

  it('is not checked with NODE_TLS_REJECT_UNAUTHORIZED=0, with one warning per run', async () => {
    for (const argv of [[], ['--all'], ['--quiet']]) {
      const ended = await run(argv, { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
      expect(ended).toEqual({ ...good, err: disabledBy('NODE_TLS_REJECT_UNAUTHORIZED=0') });
    }
    expect((await run([], { NODE_TLS_REJECT_UNAUTHORIZED: '1' })).code).toBe(3);
  });

  it('of the client comes from the profile', async () => {
    await mkdir(dirname(home.profiles), { recursive: true, mode: 0o700 });
    const client = { client_cert: '../../client.pem', client_key: '../../client.key' };
    const profiles = { x: { ca_file: '../../ca.pem', ...client } };
    await writeFile(home.profiles, JSON.stringify({ current: 'x', profiles }), { mode: 0o600 });
    expect(await run([])).toEqual({ ...good, err: '' });
    expect(seen.at(-1)?.client).toBe('svc test client');
    await writeFile(home.profiles, '{"profiles":{}}', { mode: 0o600 });
  });
});
