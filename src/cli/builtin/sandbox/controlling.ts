/** Call the control interface of a sandbox: a running one, or the saved state of one that does not run. */

import { Failure, usage } from '../../../errors.ts';
import type { Sandbox } from '../../../sandbox/index.ts';
import { isRecord } from '../../../support/record.ts';
import { abortSignal } from '../../../support/waiting/cancellation.ts';
import type { Context } from '../../context.ts';
import { readRunning } from './running.ts';
import { folderOf, openState, type SandboxOptions } from './serving.ts';

/** @param value the JSON body @returns the JSON response @throws Failure for an error response */
export type Control = (method: string, path: string, value?: unknown) => Promise<unknown>;

const root = '/-/sandbox';

async function resultOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not an error of the control interface.
  }
  const message = isRecord(value)
    ? String(value['error'])
    : `the sandbox responded with status ${response.status}`;
  if (response.status === 404) throw new Failure('not_found', message);
  throw response.status === 400 ? usage(message) : new Failure('internal', message);
}

const bodyOf = (value: unknown): RequestInit =>
  value === undefined ? {} : { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };

function controlAt(url: string, { signal }: Context): Control {
  return async (method, path, value) => {
    let response: Response;
    try {
      response = await fetch(`${url}${root}${path}`, {
        method,
        signal: abortSignal(signal),
        ...bodyOf(value),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new Failure('internal', `cannot connect to the sandbox at ${url}`, { cause: error });
    }
    return resultOf(response);
  };
}

/** Return the URL of the sandbox that `SVC_BASE_URL` names, as in a command of `svc sandbox exec`. */
async function urlOfEnvironment({ env, signal }: Context): Promise<string | undefined> {
  const [, url] = /^(http:\/\/(?:127\.0\.0\.1|localhost):\d+)(?:\/|$)/.exec(env['SVC_BASE_URL'] ?? '') ?? [];
  if (url === undefined) return undefined;
  try {
    const response = await fetch(`${url}${root}/ready`, { signal: abortSignal(signal) });
    await response.body?.cancel();
    return response.ok ? url : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Return the URL of the sandbox that the command controls, if one is running. */
export async function findUrl(
  options: Pick<SandboxOptions, 'data'>,
  context: Context,
): Promise<string | undefined> {
  const named = options.data === undefined ? await urlOfEnvironment(context) : undefined;
  return named ?? (await readRunning(folderOf(options, context)))?.url;
}

export const noneRunning = (options: Pick<SandboxOptions, 'data'>, context: Context): Failure =>
  new Failure('not_found', `no sandbox is running in ${folderOf(options, context)}`, {
    hint: ['to start one: svc sandbox start --detach', 'for a sandbox in another folder: --data <dir>'],
  });

/** @throws Failure `not_found` if no sandbox is running */
export async function runningControl(
  options: Pick<SandboxOptions, 'data'>,
  context: Context,
): Promise<Control> {
  const url = await findUrl(options, context);
  if (url === undefined) throw noneRunning(options, context);
  return controlAt(url, context);
}

/** Control the running sandbox, or the saved state. */
export async function withControl<T>(
  options: Pick<SandboxOptions, 'data'>,
  context: Context,
  use: (control: Control) => Promise<T>,
): Promise<T> {
  const url = await findUrl(options, context);
  if (url !== undefined) return use(controlAt(url, context));
  let opened: Sandbox | undefined;
  try {
    return await use(async (method, path, value) => {
      // Only changes create a state.
      opened ??= await openState(options, context, { create: method !== 'GET' });
      const request = new Request(`http://sandbox.localhost${root}${path}`, { method, ...bodyOf(value) });
      return resultOf(await opened.handle(request));
    });
  } finally {
    await opened?.close();
  }
}
