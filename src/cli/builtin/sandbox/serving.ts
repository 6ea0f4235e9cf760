/** Run a sandbox in this process. */
import { resolve } from 'node:path';
import { features, spamModes, tiers } from '../../../api/features.ts';
import { pathsOf, requireOwnFolder } from '../../../config/paths.ts';
import type { Overrides } from '../../../config/settings.ts';
import { usage } from '../../../errors.ts';
import type { Sandbox, SandboxOptions, Scale } from '../../../sandbox/index.ts';
import type { OptionsOf } from '../../../spec/flag.ts';
import { printable } from '../../../support/text/printable.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Context } from '../../context.ts';
import { errorOutput, report } from '../../report.ts';
import { type Running, readRunning, removeRunning, writeRunning } from './running.ts';

export const dataFlag = { data: { kind: 'text', suggest: 'folder', doc: 'Folder for the state' } } as const;

/** The flags of the content of a new state. */
export const contentFlags = {
  'seed-file': {
    kind: 'text',
    suggest: 'path',
    doc: 'YAML or JSON file of users, groups, projects and their settings for a new state',
  },
  scale: {
    kind: 'text',
    placeholder: 'kind=n,kind=n',
    doc: 'Generate rows in a new state: users, groups, projects, jobs, variables, badges, epics, hooks, snippets',
  },
  tier: { kind: 'text', doc: 'License of a new state (default: ultimate)', choices: tiers },
  'without-feature': {
    kind: 'text',
    placeholder: 'name',
    repeats: true,
    doc: 'Feature flag that is off in a new state, from svc help sandbox (default: all are on)',
    choices: features.map(({ name }) => name),
  },
  spam: { kind: 'text', doc: 'Behavior of the spam check', choices: spamModes },
} as const;

export type DataOption = OptionsOf<typeof dataFlag>;
type ContentLine = Pick<CommandLine<OptionsOf<typeof contentFlags>>, 'options' | 'repeated'>;

/** Milliseconds to wait for a command that uses the same folder. */
export const lockWait = 2_000;

/** For a user without a folder of their own. `--sandbox` uses the usual folder only. */
const otherFolder =
  'or run svc sandbox start --detach --data <dir> and eval "$(svc sandbox env --data <dir>)"';

/** Return the folder of the state. @throws Failure `usage` if this user has no place for one */
export function folderOf({ data }: DataOption, { cwd, env }: Context): string {
  if (data === '') throw usage('--data requires a path');
  if (data !== undefined) return resolve(cwd, data);
  const { state, remedy } = pathsOf(env);
  if (state === undefined) throw usage('no folder for the sandbox', [remedy, otherFolder]);
  const folder = resolve(state, 'sandbox');
  const hint = `set HOME to your own home directory, ${otherFolder}`;
  requireOwnFolder(folder, `the sandbox folder ${folder}`, hint);
  return folder;
}

/** Parse `projects=3000,jobs=100000`. @throws Failure `usage` */
async function parseScale(text: string): Promise<Scale> {
  const { scaleNames } = await import('../../../sandbox/index.ts');
  const counts: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [, name = '', count] = /^\s*(\w*)=(\d{1,7})\s*$/.exec(part) ?? [];
    if (!scaleNames.includes(name) || name in counts)
      throw usage(`--scale must be a list of kind=number, not ${JSON.stringify(part)}`, [
        'for example: --scale projects=3000,jobs=100000; a number has up to seven digits',
        `each kind at most once: ${scaleNames.join(', ')}`,
      ]);
    counts[name] = Number(count);
  }
  return counts;
}

/** Read the flags of the content of a new state. @throws Failure `usage` for an unreadable or invalid file or value */
export async function readContent(
  { options, repeated }: ContentLine,
  context: Context,
): Promise<SandboxOptions> {
  const { seedFile, scale, tier, spam } = options;
  const off = repeated.flatMap(([flag, name]) => (flag === 'without-feature' ? [name] : []));
  const withoutFeatures = features.map(({ name }) => name).filter((name) => off.includes(name));
  return {
    ...(scale === undefined ? {} : { scale: await parseScale(scale) }),
    ...(tier === undefined ? {} : { tier }),
    ...(spam === undefined ? {} : { spam }),
    ...(withoutFeatures.length === 0 ? {} : { withoutFeatures }),
    ...(seedFile === undefined ? {} : await (await import('./seed-file.ts')).readSeedFile(seedFile, context)),
  };
}

export function warnOfDamage({ stderr }: Context, damage: string): void {
  stderr.write(`warning: ${printable(damage)}\n`);
}

/** Open a sandbox in this process. @param folder the folder of its state; null for memory */
export async function openSandbox(
  context: Context,
  folder: string | null,
  options: SandboxOptions = {},
): Promise<Sandbox> {
  const sandbox = await import('../../../sandbox/index.ts');
  return sandbox.openSandbox(folder === null ? { memory: true } : { dir: folder }, {
    now: context.now,
    onDamage: (damage) => warnOfDamage(context, damage),
    onError: (error) => void report(error, errorOutput({}, context)),
    ...options,
  });
}

interface Hosting {
  /** The folder of the state; null for memory. */
  readonly folder: string | null;
  readonly port?: number | undefined;
  readonly content?: SandboxOptions;
  /** The folder in which other commands find the sandbox, as long as it listens. */
  readonly announceIn?: string;
}

/** A sandbox that listens in this process. */
interface Serving {
  readonly sandbox: Sandbox;
  readonly running: Running;
  close(): Promise<void>;
}

/**
 * Open a sandbox that listens on the loopback interface.
 * @throws Failure `usage` for invalid content, `internal` for a port that is in use
 */
export async function openServing(context: Context, hosting: Hosting): Promise<Serving> {
  const { folder, port = 0, content, announceIn } = hosting;
  const { serve } = await import('../../../sandbox/index.ts');
  let damage: string | undefined;
  const sandbox = await openSandbox(context, folder, {
    ...content,
    ...(announceIn === undefined ? {} : { lockTimeout: lockWait }),
    onDamage(text) {
      damage = text;
      warnOfDamage(context, text);
    },
  });
  const closers = [() => sandbox.close()];
  const close = async () => {
    for (const closer of closers) await closer();
  };
  try {
    const { url, close: stopListening } = await serve(sandbox, { port });
    closers.unshift(stopListening);
    const running: Running = {
      ...sandbox.info(),
      url,
      pid: process.pid,
      data: folder,
      started: context.now(),
      damage,
    };
    if (announceIn !== undefined) {
      closers.unshift(() => removeRunning(announceIn, running));
      await writeRunning(announceIn, running);
    }
    return { sandbox, running, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Return the running sandbox of this user, or start one in this process.
 * @param keepsRunning whether other commands can use it meanwhile
 */
export async function openForCommand(
  context: Context,
  keepsRunning = false,
): Promise<Overrides & { readonly close: () => Promise<void> }> {
  const folder = folderOf({}, context);
  const other = await readRunning(folder);
  const { running, close } = other
    ? { running: other, close: async () => {} }
    : await openServing(context, { folder, ...(keepsRunning ? { announceIn: folder } : {}) });
  const { url, tokens, job_token: jobToken } = running;
  return { from: '--sandbox', baseUrl: url, token: tokens['admin'], jobToken: jobToken ?? undefined, close };
}
