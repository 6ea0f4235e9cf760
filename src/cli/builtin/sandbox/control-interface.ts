/** Use the control interface of a sandbox: a running one, or the saved state of one that does not run. */
import { Failure, type Kind } from '../../../errors.ts';
import type { Context } from '../../context.ts';
import { readRunning } from './running.ts';
import { type DataOption, folderOf, openSandbox } from './serving.ts';

/** Sends a request to the control interface. @param body JSON @returns the JSON response @throws Failure for an error response */
export type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

const kinds: Readonly<Record<number, Kind>> = { 400: 'usage', 404: 'not_found' };

const controlOf =
  (url: string, send: (request: Request) => Promise<Response>): Control =>
  async (method, path, body) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const response = await send(new Request(`${url}/-/sandbox${path}`, { method, headers, ...json }));
    const content = await response.text();
    const value = content === '' ? undefined : JSON.parse(content);
    if (response.ok) return value;
    throw new Failure(kinds[response.status] ?? 'internal', `${value?.error ?? response.statusText}`);
  };

/** Return the URL of the sandbox that `SVC_BASE_URL` names, as in a command of `svc sandbox exec`. */
async function urlOfEnvironment({ env, signal }: Context): Promise<string | undefined> {
  const [, url] = /^(http:\/\/(?:127\.0\.0\.1|localhost):\d+)(?:\/|$)/.exec(env['SVC_BASE_URL'] ?? '') ?? [];
  if (url === undefined) return undefined;
  const ready = fetch(`${url}/-/sandbox/ready`, { signal: signal });
  return (await ready.then(({ ok }) => ok).catch(() => false)) ? url : undefined;
}

export const noneRunning = (options: DataOption, context: Context): Failure =>
  new Failure('not_found', `no sandbox is running in ${folderOf(options, context)}`, {
    hint: ['to start one: svc sandbox start --detach', 'for a sandbox in another folder: --data <dir>'],
  });

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
  if (url !== undefined)
    return use(
      controlOf(url, (request) =>
        fetch(request, { signal: signal }).catch((cause) => {
          signal.throwIfAborted();
          throw new Failure('internal', `cannot connect to the sandbox at ${url}`, { cause });
        }),
      ),
    );
  if (saved === 'none') throw noneRunning(options, context);
  const { hasState } = await import('../../../sandbox/index.ts');
  const isKept = saved === 'write' || (await hasState(folder));
  const sandbox = await openSandbox(context, isKept ? folder : null);
  try {
    return await use(controlOf('http://sandbox.localhost', (request) => sandbox.handle(request)));
  } finally {
    await sandbox.close();
  }
}
