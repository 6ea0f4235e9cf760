/** Requests to the control interface of a running sandbox, or to the saved state of one that does not run. */
import { Failure, type Kind } from '../../../errors.ts';
import type { Context } from '../../context.ts';
import { readRunning } from './running.ts';
import { type DataOption, folderOf, openSandbox } from './serving.ts';

/** Sends a request to the control interface. @param body JSON @returns the JSON response @throws Failure for an error response */
export type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

const kinds: Readonly<Record<number, Kind>> = { 400: 'usage', 404: 'not_found' };

function controlOf(url: string, send: (request: Request) => Promise<Response>): Control {
  return async (method, path, body) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const response = await send(new Request(`${url}/-/sandbox${path}`, { method, headers, ...json }));
    const content = await response.text();
    const value = content === '' ? undefined : JSON.parse(content);
    if (response.ok) return value;
    throw new Failure(kinds[response.status] ?? 'internal', `${value?.error ?? response.statusText}`);
  };
}

/** Return the URL of the sandbox that `SVC_BASE_URL` names, as in a command of `svc sandbox exec`. */
async function urlOfEnvironment({ env, signal }: Context): Promise<string | undefined> {
  const [, url] = /^(http:\/\/(?:127\.0\.0\.1|localhost):\d+)(?:\/|$)/.exec(env['SVC_BASE_URL'] ?? '') ?? [];
  const isReady = url !== undefined && fetch(`${url}/-/sandbox/ready`, { signal }).then(({ ok }) => ok);
  return (await Promise.resolve(isReady).catch(() => false)) ? url : undefined;
}

async function runningControl(options: DataOption, context: Context): Promise<Control | undefined> {
  const { signal } = context;
  const named = options.data === undefined ? await urlOfEnvironment(context) : undefined;
  const url = named ?? (await readRunning(folderOf(options, context)))?.url;
  if (url === undefined) return undefined;
  return controlOf(url, (request) =>
    fetch(request, { signal }).catch((cause) => {
      signal.throwIfAborted();
      throw new Failure('internal', `cannot connect to the sandbox at ${url}`, { cause });
    }),
  );
}

export const noneRunning = (options: DataOption, context: Context): Failure =>
  new Failure('not_found', `no sandbox is running in ${folderOf(options, context)}`, {
    hint: ['to start one: svc sandbox start --detach', 'for a sandbox in another folder: --data <dir>'],
  });

/** @throws Failure `not_found` */
export async function requireControl(options: DataOption, context: Context): Promise<Control> {
  const control = await runningControl(options, context);
  if (control) return control;
  throw noneRunning(options, context);
}

/** Send a request to the running sandbox, or else to the saved state of the folder. Only a write creates one. */
export async function sendControl(
  options: DataOption,
  context: Context,
  request: readonly [...Parameters<Control>],
): Promise<unknown> {
  const running = await runningControl(options, context);
  if (running) return running(...request);
  const folder = folderOf(options, context);
  const { hasState } = await import('../../../sandbox/index.ts');
  const isKept = request[0] !== 'GET' || (await hasState(folder));
  const sandbox = await openSandbox(context, isKept ? folder : null);
  try {
    return await controlOf('http://sandbox.localhost', (one) => sandbox.handle(one))(...request);
  } finally {
    await sandbox.close();
  }
}
