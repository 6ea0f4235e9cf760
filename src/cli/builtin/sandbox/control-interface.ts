/** Use the control interface of a sandbox: a running one, or the saved state of one that does not run. */
import { Failure, type Kind } from '../../../errors.ts';
import type { Sandbox } from '../../../sandbox/index.ts';
import type { Context } from '../../context.ts';
import { readRunning } from './running.ts';
import { type DataOption, folderOf, openSandbox } from './serving.ts';

/** Sends a request to the control interface. @param body JSON @returns the JSON response @throws Failure for an error response */
export type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

const kinds: Readonly<Record<number, Kind>> = { 400: 'usage', 404: 'not_found' };

/** Return the URL of the sandbox that `SVC_BASE_URL` names, as in a command of `svc sandbox exec`. */
async function urlOfEnvironment({ env, signal }: Context): Promise<string | undefined> {
  const [, url] = /^(http:\/\/(?:127\.0\.0\.1|localhost):\d+)(?:\/|$)/.exec(env['SVC_BASE_URL'] ?? '') ?? [];
  if (url === undefined) return undefined;
  const isReady = await fetch(`${url}/-/sandbox/ready`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
  return isReady ? url : undefined;
}

export const noneRunning = (options: DataOption, context: Context): Failure =>
  new Failure('not_found', `no sandbox is running in ${folderOf(options, context)}`, {
    hint: ['to start one: svc sandbox start --detach', 'for a sandbox in another folder: --data <dir>'],
  });

/** Open the saved state of a folder, or a state in memory if there is none. */
async function openSaved(folder: string, use: 'read' | 'write', context: Context): Promise<Sandbox> {
  const { hasState } = await import('../../../sandbox/index.ts');
  return openSandbox(context, use === 'write' || (await hasState(folder)) ? folder : null);
}

/**
 * Control the running sandbox, or else the saved state.
 * @param saved how the command uses a saved state: not at all, or to read it; only `write` creates one
 * @throws Failure `not_found` if no sandbox is running and the command uses no saved state
 */
export async function withControl<T>(
  options: DataOption,
  context: Context,
  saved: 'none' | 'read' | 'write',
  use: (control: Control) => Promise<T>,
): Promise<T> {
  const { signal } = context;
  const named = options.data === undefined ? await urlOfEnvironment(context) : undefined;
  const folder = folderOf(options, context);
  const url = named ?? (await readRunning(folder))?.url;
  if (url === undefined && saved === 'none') throw noneRunning(options, context);
  const sandbox = url === undefined && saved !== 'none' ? await openSaved(folder, saved, context) : undefined;
  const send = (request: Request) =>
    sandbox?.handle(request) ??
    fetch(request, { signal }).catch((cause) => {
      signal.throwIfAborted();
      throw new Failure('internal', `cannot connect to the sandbox at ${url}`, { cause });
    });
  try {
    return await use(async (method, path, body) => {
      const json = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { 'content-type': 'application/json' };
      const address = `${url ?? 'http://sandbox.localhost'}/-/sandbox${path}`;
      const response = await send(new Request(address, { method, headers, ...json }));
      const content = await response.text();
      const value = content === '' ? undefined : JSON.parse(content);
      if (response.ok) return value;
      throw new Failure(kinds[response.status] ?? 'internal', `${value?.error ?? response.statusText}`);
    });
  } finally {
    await sandbox?.close();
  }
}
