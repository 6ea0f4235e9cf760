/** A served sandbox for a third-party client. */
import { expect, onTestFinished } from 'vitest';
import { openSandbox, type Sandbox, serve } from '../../src/sandbox/index.ts';
import type { Role } from '../support/sandbox.ts';

export interface ServedSandbox {
  readonly sandbox: Sandbox;
  /** Options of every resource of the client. */
  as(role: Exclude<Role, 'none'>): { readonly host: string; readonly token: string };
  readonly job: { readonly host: string; readonly jobToken: string };
}

/** Open a sandbox and serve it until the test ends. It must not have had an internal error. */
export async function serveSandbox(): Promise<ServedSandbox> {
  const sandbox = await openSandbox({ memory: true });
  const served = await serve(sandbox);
  onTestFinished(async () => {
    await served.close();
    await sandbox.close();
    expect(sandbox.errors).toEqual([]);
  });
  const host = served.url;
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
