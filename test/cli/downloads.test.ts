/** Downloads that the service redirects to the storage of its files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Header, header, type Request } from '../../src/http/transport.ts';
import { folderWith } from '../support/folders.ts';
import { type Canned, canned, type Setting, svc } from '../support/svc.ts';

const signature = 'c2lnbmF0dXJlLW9mLXRoZS1zdG9yYWdl';
const stored = `https://storage.example/bucket/job.zip?X-Amz-Expires=600&X-Amz-Signature=${signature}`;
const zip: Canned = { headers: [['content-type', 'application/zip']], body: 'PK' };
const to = (location: string, status = 302): Canned => ({ status, headers: [['location', location]] });

/** Run a command line for a service that answers `first`, and other servers that answer by origin and path. */
async function download(line: string, first: Canned, others: Record<string, Canned> = {}, how: Setting = {}) {
  const requests: Request[] = [];
  const ran = await svc(`${line} --base-url https://host.example`, {
    env: { SVC_TOKEN: 'secret-token' },
    ...how,
    transport: (origin, options) =>
      canned((request) => {
        expect(request.url.startsWith(`${origin}/`)).toBe(true);
        requests.push(request);
        const isFirst = request.url.startsWith('https://host.example/api/');
        return isFirst ? first : (others[request.url.replace(/\?.*/s, '')] ?? { status: 404 });
      })(origin, options),
  });
  return { ...ran, sent: requests.map(({ url }) => url.replace(/^https?:\/\/([^/]+).*/s, '$1')), requests };
}

const artifacts = 'jobs artifacts 1 -p 1';
const storage = { 'https://storage.example/bucket/job.zip': zip };
const secretsIn = ({ headers }: Request) =>
  headers.filter(([name]: Header) => !/^(?:accept|accept-encoding|user-agent|range)$/.test(name));

describe('a download', () => {
  test.each([
    artifacts,
    'jobs artifact 1 a/b.txt -p 1',
    'files raw README.md -p 1',
    'jobs log 1 -p 1 -o raw',
    'api projects/1/jobs/1/artifacts -o raw',
  ])('follows a redirect to another https origin without a credential: %s', async (line) => {
    const file = {
      ...zip,
      headers: [['content-type', line.includes('log') ? 'text/plain' : 'application/zip']] as const,
    };
    const ran = await download(line, to(stored), { 'https://storage.example/bucket/job.zip': file });
    expect([ran.code, ran.out, ran.err]).toEqual([0, 'PK', '']);
    expect(ran.sent).toEqual(['host.example', 'storage.example']);
    const [own, other] = ran.requests as [Request, Request];
    expect(secretsIn(own)).toEqual([['private-token', 'secret-token']]);
    expect(secretsIn(other)).toEqual([]);
    expect(other.url).toBe(stored);
    const codings = [own, other].map(({ headers }) => header(headers, 'accept-encoding'));
    expect(codings[1]).toBe(codings[0]);
  });

  test.each([
    ['a part that was not requested', { ...zip, status: 206 }, 8, 'a part that was not requested (206)'],
    ['a file that is not ready', { ...zip, status: 202 }, 9, 'not ready yet'],
  ])('writes no file for %s', async (_, reply, code, message) => {
    const ran = await download(`${artifacts} --output-file job.zip`, reply, {}, { cwd: await folderWith() });
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(message)]);
  });

  test('that is printed has the SHA-256 of its headers', async () => {
    const headers: Header[] = [['x-vendor-content-sha256', '0'.repeat(64)]];
    const ran = await download(artifacts, { ...zip, headers });
    expect([ran.code, ran.err]).toEqual([8, expect.stringContaining('SHA-256 differs')]);
  });

  test('has no credential after a redirect back to the service', async () => {
    const back = 'https://host.example/uploads/job.zip';
    const ran = await download(artifacts, to(stored), {
      'https://storage.example/bucket/job.zip': to(back),
      [back]: zip,
    });
    expect([ran.code, ran.out]).toEqual([0, 'PK']);
    expect(ran.requests.map(secretsIn).map(({ length }) => length)).toEqual([1, 0, 0]);
  });

  test.each([
    ['http', to(stored.replace('https:', 'http:')), {}, /to another origin, http:\/\/storage\.example$/m],
    [
      'http later',
      to(stored),
      { 'https://storage.example/bucket/job.zip': to('http://storage.example/x') },
      /another origin, http:/,
    ],
    ['a file', to('file:///etc/passwd'), {}, /another origin, file:/],
    [
      'a loop',
      to(stored),
      { 'https://storage.example/bucket/job.zip': to(stored) },
      /redirect loop: https:\/\/storage\.example\/bucket\/job\.zip was/,
    ],
    [
      'a refusal',
      to(stored),
      { 'https://storage.example/bucket/job.zip': { status: 403 } },
      /^error: https:\/\/storage\.example, to which the service redirected, responded with status 403$/m,
    ],
  ])('does not follow, or reports: %s', async (_, first, others, message) => {
    const ran = await download(artifacts, first, others);
    expect([ran.code, ran.out]).toEqual([8, '']);
    expect(ran.err).toMatch(message);
    expect(ran.err).not.toContain(signature);
  });

  test('shows no signature in traces, HAR files and file names', async () => {
    const cwd = await folderWith();
    const ran = await download(`${artifacts} --trace --har run.har --output-file .`, to(stored), storage, {
      cwd,
      env: { SVC_TOKEN: 'secret-token' },
    });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain('GET https://storage.example/bucket/job.zip\n');
    expect(await readFile(join(cwd, 'job.zip'), 'utf8')).toBe('PK');
    const recorded = await readFile(join(cwd, 'run.har'), 'utf8');
    expect(JSON.parse(recorded).log.entries).toHaveLength(2);
    for (const text of [ran.err, recorded]) {
      expect(text).not.toContain(signature);
      expect(text).not.toContain('secret-token');
    }
  });

  test('is requested again from the service after an error of the storage', async () => {
    const ran = await download(`${artifacts} --retries 1`, to(stored), {
      'https://storage.example/bucket/job.zip': { status: 503 },
    });
    expect(ran.code).toBe(8);
    expect(ran.sent).toEqual(['host.example', 'storage.example', 'host.example', 'storage.example']);
  });
});

test.each(['jobs get 1 -p 1', 'variables list -p 1', 'api projects/1', 'jobs retry 1 -p 1'])(
  'data is not read from another server: %s',
  async (line) => {
    const ran = await download(line, to(stored, 307), storage);
    expect([ran.code, ran.sent]).toEqual([8, ['host.example']]);
    expect(ran.err).toContain('another origin');
  },
);
