import { once } from 'node:events';
import http, { Agent, request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { openSandbox, type SandboxServer, serve } from '../../src/sandbox/index.ts';
import { serveControlled as start } from './control/serving.ts';

async function dial({ port }: SandboxServer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
}

/** Read until the server closes the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8');
  for await (const chunk of socket) text += chunk;
  return text;
}

const headers = { 'private-token': 'sandbox-admin' };
const token = 'PRIVATE-TOKEN: sandbox-admin';
const host = 'Host: 127.0.0.1';
const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;

/** Send raw bytes, by default to a new server, and read the response. The caller adds `Connection: close`. */
async function exchange(request: string, served?: SandboxServer) {
  const socket = await dial(served ?? (await start()));
  socket.write(request);
  const text = await rest(socket);
  const [head = '', body = ''] = text.split(/\r\n\r\n/, 2);
  return { status: Number(text.split(' ', 2)[1]), head, body };
}

const get = (path: string, ...headers: string[]): string =>
  lines(`GET ${path} HTTP/1.1`, host, token, 'Connection: close', ...headers);

const variables = '/api/v4/projects/100/variables';

describe('a request', () => {
  test('gets a response with a length and an id on 127.0.0.1', async () => {
    const served = await start();
    expect(served.url).toBe(`http://127.0.0.1:${served.port}`);
    const response = await fetch(`${served.url}/api/v4/version`, { headers });
    expect(response.headers.get('content-length')).toBe(String((await response.arrayBuffer()).byteLength));
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  test('gets links and URLs with its own host', async () => {
    const served = await start();
    const at = `http://localhost:${served.port}`;
    const response = await fetch(`${at}/api/v4/projects/100/jobs`, { headers });
    expect(response.headers.get('link')).toContain(`<${at}/api/v4/projects/100/jobs?`);
    expect(await response.text()).toContain(`"web_url":"${at}/acme/rocket/`);
  });

  test('HEAD gets the headers without a body', async () => {
    const { status, head, body } = await exchange(get('/api/v4/projects/100/jobs').replace('GET', 'HEAD'));
    expect([status, body]).toEqual([200, '']);
    expect(head).toMatch(/x-total: 280/i);
  });

  test('can have a JSON content type with no body or an empty object', async () => {
    const served = await start();
    const json = 'Content-Type: application/json';
    expect((await exchange(get('/api/v4/version', json), served)).status).toBe(200);
    const deleted = (key: string, ...more: string[]) =>
      get(`${variables}/${key}`, json, ...more).replace('GET', 'DELETE');
    expect((await exchange(deleted('DEPLOY_USER'), served)).status).toBe(204);
    expect((await exchange(`${deleted('KUBECONFIG', 'Content-Length: 2')}{}`, served)).status).toBe(204);
  });

  test('GET can have parameters in the body', async () => {
    const body = JSON.stringify({ filter: { environment_scope: 'staging' } });
    const sent = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const response = await exchange(get(`${variables}/DATABASE_URL`, ...sent) + body);
    expect([response.status, JSON.parse(response.body).value]).toEqual([200, 'postgres://db.staging']);
  });

  test('can be chunked', async () => {
    const head = get(variables, 'Content-Type: application/json', 'Transfer-Encoding: chunked');
    const body = '10\r\n{"key":"CHUNKED"\r\nc\r\n,"value":"v"\r\n1\r\n}\r\n0\r\n\r\n';
    const response = await exchange(head.replace('GET', 'POST') + body);
    expect([response.status, JSON.parse(response.body).key]).toEqual([201, 'CHUNKED']);
  });

  test('that expects 100-continue gets 100', async () => {
    const served = await start();
    const outgoing = request(`${served.url}${variables}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', expect: '100-continue' },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end('{"key":"WAITED","value":"v"}');
    const [response] = await once(outgoing, 'response');
    response.resume();
    expect(response.statusCode).toBe(201);
  });

  test('can follow another one on the same connection', async () => {
    const served = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (const path of ['version', 'nothing', 'version']) {
      const outgoing = request(`${served.url}/api/v4/${path}`, { agent, headers });
      outgoing.end();
      const [response] = await once(outgoing, 'response');
      ports.add(response.socket.localPort);
      response.resume();
      await once(response, 'end');
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  test('of any method and path gets a response of the API', async () => {
    const calls: [string, number][] = [
      ['OPTIONS /api/v4/version', 405],
      ['PROPFIND /api/v4/version', 405],
      ['TRACE /api/v4/version', 405],
      ['GET /', 404],
      ['GET /api/v4', 404],
      ['GET //127.0.0.2/api/v4/version', 404],
      ['OPTIONS *', 400],
      ['GET /api/v4/projects/%E0%A4%A/jobs', 400],
    ];
    for (const [call, status] of calls) {
      const response = await exchange(lines(`${call} HTTP/1.1`, host, token, 'Connection: close'));
      expect([call, response.status]).toEqual([call, status]);
    }
  });
});

test('a failure to accept a connection does not stop the server', async () => {
  const created = vi.spyOn(http, 'createServer');
  const { url } = await start();
  const server = created.mock.results[0]?.value as Server;
  created.mockRestore();
  // Node emits this error if no file descriptors are left.
  for (let i = 0; i < 2; i++)
    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  expect((await fetch(`${url}/api/v4/version`, { headers })).status).toBe(200);
});

describe('limits', () => {
  test.each([8 * 1024 + 1, 100_000, 2_000_000])('reject a URL of %i bytes', async (length) => {
    const served = await start();
    const response = await exchange(get(`/api/v4/version?${'a'.repeat(length - 16)}`), served);
    expect(response.status).toBe(414);
    expect((await exchange(get('/api/v4/version'), served)).status).toBe(200);
  });

  test('accept the longest URL; reject a large Content-Length before the body is sent', async () => {
    const path = '/api/v4/version?';
    expect((await exchange(get(path.padEnd(8 * 1024, 'a')))).status).toBe(200);
    const served = await start();
    const head = get(variables, `Content-Length: ${2 ** 28 + 1}`).replace('GET', 'POST');
    expect((await exchange(head, served)).status).toBe(413);
    expect((await exchange(get('/api/v4/version'), served)).status).toBe(200);
  });
});

describe('a malformed request', () => {
  test.each([
    ['text other than HTTP', 'nonsense\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00'],
    ['no Host header', lines('GET /api/v4/version HTTP/1.1', token)],
    [
      'two Content-Length headers',
      lines('POST /api/v4/license HTTP/1.1', host, 'Content-Length: 1', 'Content-Length: 2'),
    ],
    [
      'a length and chunked encoding',
      lines('POST /api/v4/license HTTP/1.1', host, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    ],
    [
      'an invalid chunk',
      `${lines('POST /api/v4/license HTTP/1.1', host, token, 'Transfer-Encoding: chunked')}zz\r\n`,
    ],
    ['a header with no name', lines('GET /api/v4/version HTTP/1.1', host, ': x')],
  ])('with %s gets 400', async (_, text) => {
    expect((await exchange(text)).status).toBe(400);
  });

  test('with an interrupted body is not an error of the sandbox', async () => {
    const served = await start();
    const socket = await dial(served);
    socket.write(`${get(variables, 'Content-Length: 5000').replace('GET', 'POST')}{`);
    socket.destroy();
    await once(socket, 'close');
    expect((await exchange(get('/api/v4/version'), served)).status).toBe(200);
  });
});

describe('a request from another site', () => {
  const at = (name: string, ...more: string[]) =>
    lines('GET /api/v4/version HTTP/1.1', `Host: ${name}`, token, 'Connection: close', ...more);

  const foreign = ['evil.example', 'evil.example:80', '192.0.2.1'];
  test.each([...foreign, '127.0.0.1.evil.example', 'localhost.evil.example'])(
    'with the host %s is rejected',
    async (name) => {
      expect((await exchange(at(name))).status).toBe(403);
    },
  );

  test.each(['localhost', 'localhost:1', '127.0.0.1:1', '[::1]:1', 'svc.localhost', 'LOCALHOST'])(
    'is not a request with the host %s',
    async (name) => {
      expect((await exchange(at(name))).status).toBe(200);
    },
  );

  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:3000', 200],
  ])('with Origin %s gets %i', async (origin, status) => {
    expect((await exchange(at('localhost', `Origin: ${origin}`))).status).toBe(status);
  });

  // The values of https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header.
  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('with Sec-Fetch-Site %s and no Origin gets %i', async (site, status) => {
    const served = await start();
    const header = `Sec-Fetch-Site: ${site}`;
    expect((await exchange(at('localhost', header), served)).status).toBe(status);
    const control = at('localhost', header).replace('/api/v4/version', '/-/sandbox/requests');
    expect((await exchange(control, served)).status).toBe(status);
  });

  test('that its browser marks as cross-site is accepted from an origin of this machine', async () => {
    const more = ['Origin: http://localhost:3000', 'Sec-Fetch-Site: cross-site'];
    expect((await exchange(at('127.0.0.1', ...more))).status).toBe(200);
  });
});

test('close ends idle and hanging connections', async () => {
  const sandbox = await openSandbox({ memory: true });
  const served = await serve(sandbox);
  const idle = await dial(served);
  const hanging = await dial(served);
  hanging.write(`${get(variables, 'Content-Length: 5000').replace('GET', 'POST')}{`);
  idle.write(lines('GET /api/v4/version HTTP/1.1', host, token));
  await once(idle, 'data');
  const ended = Promise.all([once(idle, 'close'), once(hanging, 'close')]);
  hanging.resume();
  idle.resume();
  await served.close();
  await ended;
  await sandbox.close();
  await expect(fetch(served.url)).rejects.toThrow();
});

test('a port in use is reported', async () => {
  const { port } = await start();
  const sandbox = await openSandbox({ memory: true });
  await expect(serve(sandbox, port)).rejects.toMatchObject({
    kind: 'internal',
    message: `cannot listen on port ${port}: the port is already in use`,
  });
  await sandbox.close();
});
