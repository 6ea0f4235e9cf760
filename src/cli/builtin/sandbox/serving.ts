/** Run a sandbox in this process. */
import { resolve } from 'node:path';
import { type FeatureName, features } from '../../../api/features.ts';
import { requireOwnFolder } from '../../../config/own-folder.ts';
import { pathsOf } from '../../../config/paths.ts';
import type { Overrides } from '../../../config/settings.ts';
import { usage } from '../../../errors.ts';
import type { Content, Info, Sandbox, Scale, Spam } from '../../../sandbox/index.ts';
import { printable } from '../../../support/text/printable.ts';
import type { Options } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import { errorOutput, report } from '../../report.ts';
import { type Running, readRunning, removeRunning, writeRunning } from './running.ts';

/** The flags that select the state of a sandbox and how it starts. */
export interface SandboxOptions extends Options {
  readonly data?: string | undefined;
  readonly memory?: true | undefined;
  readonly spam?: Spam | undefined;
  readonly scale?: string | undefined;
  readonly seedFile?: string | undefined;
  readonly tier?: Content['tier'] | undefined;
  readonly withoutFeatures?: readonly FeatureName[] | undefined;
  readonly port?: number | undefined;
}

/** Return the feature flags that `--without-feature` names, which the parser has checked. */
export function featuresOff(repeated: readonly (readonly [flag: string, value: string])[]): FeatureName[] {
  const given = repeated.filter(([flag]) => flag === 'without-feature').map(([, name]) => name);
  return features.map(({ name }) => name).filter((name) => given.includes(name));
}

/** For a user without a folder of their own. `--sandbox` uses the usual folder only. */
const otherFolder =
  'or run svc sandbox start --detach --data <dir> and eval "$(svc sandbox env --data <dir>)"';

/** Return the folder of the state. @throws Failure `usage` if this user has no place for one */
export function folderOf(options: Pick<SandboxOptions, 'data'>, context: Context): string {
  if (options.data === '') throw usage('--data requires a path');
  if (options.data !== undefined) return resolve(context.cwd, options.data);
  const { state, remedy } = pathsOf(context.env);
  if (state === undefined) throw usage('no folder for the sandbox', [remedy, otherFolder]);
  const folder = resolve(state, 'sandbox');
  const hint = `set HOME to your own home directory, ${otherFolder}`;
  requireOwnFolder(folder, `the sandbox folder ${folder}`, hint);
  return folder;
}

/** Parse `--scale projects=3000,jobs=100000`. @throws Failure `usage` for an unknown kind or an invalid number */
async function scaleOf({ scale }: Pick<SandboxOptions, 'scale'>): Promise<Scale | undefined> {
  if (scale === undefined) return undefined;
  const { scaleNames } = await import('../../../sandbox/index.ts');
  const counts: Record<string, number> = {};
  for (const part of scale.split(',')) {
    const [, name = '', count = ''] = /^\s*(\w*)=(\d{1,7})\s*$/.exec(part) ?? [];
    const known = `kinds: ${scaleNames.join(', ')}`;
    if (count === '')
      throw usage('--scale must be a list of kind=number', [
        'for example: --scale projects=3000,jobs=100000; a number has up to seven digits',
        known,
      ]);
    if (!scaleNames.includes(name)) throw usage(`--scale: unknown kind ${JSON.stringify(name)}`, known);
    if (name in counts) throw usage(`--scale: ${name} is given twice`);
    counts[name] = Number(count);
  }
  return counts;
}

/** Read the flags of the content of a new state. @throws Failure `usage` for an unreadable or invalid file or value */
export async function contentOf(options: SandboxOptions, context: Context): Promise<Content> {
  const { seedFile, tier, withoutFeatures = [] } = options;
  const scale = await scaleOf(options);
  const file =
    seedFile === undefined ? {} : await (await import('./seed-file.ts')).readSeedFile(seedFile, context);
  return {
    ...(scale === undefined ? {} : { scale }),
    ...(tier === undefined ? {} : { tier }),
    ...(withoutFeatures.length === 0 ? {} : { withoutFeatures }),
    ...file,
  };
}

export const dataFlag = { data: { kind: 'text', suggest: 'folder', doc: 'Folder for the state' } } as const;

/** Open the saved state without a port. @param create whether to save a new state; otherwise it is in memory */
export async function openState(
  options: SandboxOptions,
  context: Context,
  { create }: { readonly create: boolean },
): Promise<Sandbox> {
  const { hasState, openSandbox } = await import('../../../sandbox/index.ts');
  const dir = folderOf(options, context);
  return openSandbox(create || (await hasState(dir)) ? { dir } : { memory: true }, {
    now: context.now,
    onDamage: (text) => warnOfDamage(context, text),
    onError: (error) => void report(error, errorOutput({}, context)),
  });
}

/** A sandbox that listens in this process. */
export interface Serving {
  readonly sandbox: Sandbox;
  readonly url: string;
  /** The part of the saved state that could not be read. */
  readonly damage: string | undefined;
  close(): Promise<void>;
}

interface Hosting {
  readonly memory: boolean;
  readonly content?: Content;
  readonly lockTimeout?: number;
}

export function warnOfDamage(context: Context, damage: string): void {
  context.stderr.write(`warning: ${printable(damage)}\n`);
}

/**
 * Open a sandbox that listens on the loopback interface.
 * @param how `memory` keeps the state in memory only; `lockTimeout` is the time to wait for another sandbox with the same folder, in
 * milliseconds
 * @throws Failure `usage` for invalid content, `internal` for a port that is in use
 */
export async function openServing(
  options: SandboxOptions,
  context: Context,
  { memory, content = {}, lockTimeout }: Hosting,
): Promise<Serving> {
  const { openSandbox, serve } = await import('../../../sandbox/index.ts');
  const storage = memory ? ({ memory: true } as const) : { dir: folderOf(options, context) };
  const { spam } = options;
  let damage: string | undefined;
  const sandbox = await openSandbox(storage, {
    now: context.now,
    ...content,
    ...(spam === undefined ? {} : { spam }),
    ...(lockTimeout === undefined ? {} : { lockTimeout }),
    onDamage: (text) => {
      damage = text;
      warnOfDamage(context, text);
    },
    onError: (error) => void report(error, errorOutput({}, context)),
  });
  try {
    const served = await serve(sandbox, { port: options.port ?? 0 });
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

/** Return the running sandbox of this user, or start one in this process for a single command. */
export async function openForCommand(
  context: Context,
): Promise<Overrides & { readonly close: () => Promise<void> }> {
  const running = await readRunning(folderOf({}, context));
  if (running) return { ...asOverrides(running.url, running), close: async () => {} };
  const { url, sandbox, close } = await openServing({}, context, { memory: false });
  return { ...asOverrides(url, sandbox.info()), close };
}

/** Milliseconds to wait for a command that uses the same folder. */
export const lockWait = 2_000;

/** Describe a sandbox of this process for other commands. */
export function runningOf({ sandbox, url, damage }: Serving, data: string | null, context: Context): Running {
  return {
    ...sandbox.info(),
    url,
    pid: process.pid,
    data,
    started: context.now(),
    ...(damage === undefined ? {} : { damage }),
  };
}

/** As `openForCommand`, for a command that keeps running: other commands can use its sandbox meanwhile. */
export async function openForServer(context: Context): ReturnType<typeof openForCommand> {
  const folder = folderOf({}, context);
  const other = await readRunning(folder);
  if (other) return { ...asOverrides(other.url, other), close: async () => {} };
  const serving = await openServing({}, context, { memory: false, lockTimeout: lockWait });
  const running = runningOf(serving, folder, context);
  const close = async () => {
    await removeRunning(folder, running);
    await serving.close();
  };
  try {
    await writeRunning(folder, running);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...asOverrides(serving.url, running), close };
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
