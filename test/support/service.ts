/** A small service for one test, which records the requests. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, onTestFinished } from 'vitest';

export interface Service {
  readonly origin: string;
  /** Method and path of each request: `GET /api/v4/…` */
  readonly arrived: readonly string[];
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

/** Start a service on the loopback interface. */
export async function startService(
  respond: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>,
): Promise<Service> {
  const arrived: string[] = [];
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (req, res) => {
    arrived.push(`${req.method} ${req.url}`);
    requests.push(req);
    Promise.resolve(respond(req, res)).catch(() => res.destroy());
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Start a service that stops after all tests of the file. */
export async function sharedService(...[respond]: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(respond);
  afterAll(() => service.close());
  return service;
}

/** Start a service that stops when the test ends. */
export async function testService(...[respond]: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(respond);
  onTestFinished(() => service.close());
  return service;
}

/** The same. @returns its URL */
export async function serve(listener: RequestListener): Promise<string> {
  return (await testService(listener)).origin;
}

/** Send a JSON response. */
export function json(res: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
