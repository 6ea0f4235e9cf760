/** A served sandbox with its control interface over HTTP. */
import { expect, onTestFinished } from 'vitest';
import { type Sandbox, type SandboxServer, serve } from '../../../src/sandbox/index.ts';
import { openTestSandbox } from '../ask.ts';

export interface Served extends SandboxServer {
  readonly sandbox: Sandbox;
  /** Call the control interface: `PUT /clock`. */
  control(call: string, value?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Call the API as administrator. */
  api(call: string, value?: unknown, token?: string): Promise<Response>;
}

/** Serve a sandbox until the test ends. It must not have had an internal error. */
export async function serveUntilEnd(sandbox: Sandbox): Promise<SandboxServer> {
  const served = await serve(sandbox);
  onTestFinished(async () => {
    await served.close();
    await sandbox.close();
    expect(sandbox.errors).toEqual([]);
  });
  return served;
}

/** Serve a sandbox with a stopped clock until the test ends. */
export async function serveControlled(): Promise<Served> {
  const { sandbox } = await openTestSandbox();
  const served = await serveUntilEnd(sandbox);
  const send = (root: string, call: string, value: unknown, headers: Record<string, string>) => {
    const [method = 'GET', path = ''] = call.split(' ', 2);
    const json = { 'content-type': 'application/json' };
    const body = value === undefined ? {} : { body: JSON.stringify(value) };
    return fetch(`${served.url}${root}${path}`, { method, headers: { ...json, ...headers }, ...body });
  };
  return {
    ...served,
    sandbox,
    control: (call, value, headers = {}) => send('/-/sandbox', call, value, headers),
    api: (call, value, token = 'sandbox-admin') => send('/api/v4', call, value, { 'private-token': token }),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads responses of any shape
export const json = async (response: Promise<Response>): Promise<any> => (await response).json();
