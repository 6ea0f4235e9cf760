/** A sandbox in this process: for one command, or to stay. */

import { resolve } from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import type { Overrides } from '../../../config/settings.ts';
import { Failure, usage } from '../../../errors.ts';
import { printable } from '../../../output/text.ts';
import type { Info, Sandbox } from '../../../sandbox/index.ts';
import { isOwnFolder } from '../../../support/own-files.ts';
import type { Options } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import { report } from '../../report.ts';
import { readRunning } from './running.ts';

/** The flags that say where a sandbox keeps its state and how it starts. */
export interface SandboxOptions extends Options {
  readonly data?: string | undefined;
  readonly memory?: true | undefined;
  readonly seed?: string | undefined;
  readonly spam?: 'off' | 'reject' | 'captcha' | undefined;
  readonly port?: string | undefined;
}

/** The folder of the state. @throws Failure `usage` where this user has no place for one */
export function folderOf(options: Pick<SandboxOptions, 'data'>, context: Context): string {
  if (typeof options.data === 'string') return resolve(context.cwd, options.data);
  const { state, remedy } = pathsOf(context.env);
  if (state === undefined)
    throw usage('there is no folder to keep the sandbox in', [remedy, 'or use --data <dir>']);
  const folder = resolve(state, 'sandbox');
  if (!isOwnFolder(folder))
    throw new Failure('internal', `another user can change the sandbox's folder: ${folder}`, {
      hint: 'set HOME to your own home directory, or use --data <dir>',
    });
  return folder;
}

/** A sandbox that listens in this process. */
export interface Serving {
  readonly sandbox: Sandbox;
  readonly url: string;
  /** What could not be read of a saved state: the user has been warned. */
  readonly damage: string | undefined;
  close(): Promise<void>;
}

export function warnOfDamage(context: Context, damage: string): void {
  context.stderr.write(`svc: warning: ${printable(damage)}\n`);
}

/**
 * Open a sandbox by the flags that say where and how, and let it listen on the loopback.
 * @param memory keep its state in memory only
 * @param lockTimeout milliseconds to wait for another sandbox over the same folder
 * @throws Failure `usage` for a port that is none, or a seed file that can't be used; `local` for a port that is taken
 */
export async function openServing(
  options: SandboxOptions,
  context: Context,
  memory: boolean,
  lockTimeout?: number,
): Promise<Serving> {
  const { openSandbox, serve } = await import('../../../sandbox/index.ts');
  const place = memory ? ({ memory: true } as const) : { dir: folderOf(options, context) };
  const port = options.port === undefined ? 0 : Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usage('--port must be a whole number from 0 to 65535');
  const { spam } = options;
  let damage: string | undefined;
  const sandbox = await openSandbox(place, {
    now: context.now,
    ...(typeof options.seed === 'string' ? { seedFile: resolve(context.cwd, options.seed) } : {}),
    ...(spam === undefined ? {} : { spam }),
    ...(lockTimeout === undefined ? {} : { lockTimeout }),
    onDamage: (what) => {
      damage = what;
      warnOfDamage(context, what);
    },
    onError: (error) => void report(error, context.stderr, false),
  });
  try {
    const served = await serve(sandbox, { port });
    return {
      sandbox,
      url: served.url,
      damage,
      async close() {
        await served.close();
        await sandbox.close();
      },
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/**
 * A server for one command: the one that runs already over the user's state, or one in this process that ends with it.
 */
export async function openForCommand(
  context: Context,
): Promise<Overrides & { readonly close: () => Promise<void> }> {
  const running = await readRunning(folderOf({}, context));
  if (running) return { ...asOverrides(running.url, running), close: async () => {} };
  const { url, sandbox, close } = await openServing({}, context, false);
  return { ...asOverrides(url, sandbox.info()), close };
}

function asOverrides(
  baseUrl: string,
  { tokens, job_token: jobToken }: Pick<Info, 'tokens' | 'job_token'>,
): Overrides {
  const { admin } = tokens;
  return {
    from: '--sandbox',
    baseUrl,
    ...(admin ? { token: admin } : {}),
    ...(jobToken ? { jobToken } : {}),
  };
}
