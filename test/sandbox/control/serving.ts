/** A served sandbox with its control interface over HTTP. */
import { expect, onTestFinished } from 'vitest';
import { openSandbox, type Sandbox, type SandboxOptions, serve } from '../../../src/sandbox/index.ts';
import { noon } from '../ask.ts';

export interface Served {
  readonly sandbox: Sandbox;
  readonly url: string;
  /** Call the control interface: `PUT /clock`. */
  control(call: string, value?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Call the API as administrator. */
  api(call: string, value?: unknown, token?: string): Promise<Response>;
}

/** Serve a sandbox until the test ends. */
export async function serveControlled(options: SandboxOptions = {}): Promise<Served> {
  const sandbox = await openSandbox({ memory: true }, { now: () => noon, ...options });
  const served = await serve(sandbox);
  onTestFinished(async () => {
    await served.close();
    await sandbox.close();
    expect(sandbox.errors).toEqual([]);
  });
  const send = (root: string, call: string, value: unknown, headers: Record<string, string>) => {
    const [method = 'GET', path = ''] = call.split(' ', 2);
    const json = { 'content-type': 'application/json' };
    const body = value === undefined ? {} : { body: JSON.stringify(value) };
    return fetch(`${served.url}${root}${path}`, { method, headers: { ...json, ...headers }, ...body });
  };
  return {
    sandbox,
    url: served.url,
    control: (call, value, headers = {}) => send('/-/sandbox', call, value, headers),
    api: (call, value, token = 'sandbox-admin') => send('/api/v4', call, value, { 'private-token': token }),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads responses of any shape
export const json = async (response: Promise<Response>): Promise<any> => (await response).json();
