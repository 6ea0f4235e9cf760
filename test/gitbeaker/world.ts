/** A served sandbox for a third-party client. */
import { openSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { serveUntilEnd } from '../sandbox/control/serving.ts';
import type { Role } from '../support/sandbox.ts';

export interface ServedSandbox {
  readonly sandbox: Sandbox;
  /** Options of every resource of the client. */
  as(role: Exclude<Role, 'none'>): { readonly host: string; readonly token: string };
  readonly job: { readonly host: string; readonly jobToken: string };
}

/** Open a sandbox and serve it until the test ends. */
export async function serveSandbox(): Promise<ServedSandbox> {
  const sandbox = await openSandbox({ memory: true });
  const { url: host } = await serveUntilEnd(sandbox);
  return {
    sandbox,
    as: (role) => ({ host, token: `sandbox-${role}` }),
    job: { host, jobToken: 'sandbox-job' },
  };
}

/** Return the status of the response to a call of the client. */
export async function statusOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
  } catch (error) {
    const { cause } = error as { cause?: { response?: Response } };
    if (cause?.response) return cause.response.status;
    throw error;
  }
  return 200;
}
