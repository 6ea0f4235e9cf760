/** Run a sandbox in this process, and control a running one. */
import { resolve } from 'node:path';
import { features, spamModes, tiers } from '../../../api/features.ts';
import { pathsOf, requireOwnFolder } from '../../../config/paths.ts';
import { Failure, type Kind, usage } from '../../../errors.ts';
import type { Info, SandboxOptions, Scale } from '../../../sandbox/index.ts';
import { type OptionsOf, textFlag } from '../../../spec/flag.ts';
import { jsonIn } from '../../../support/json.ts';
import { isRecord } from '../../../support/record.ts';
import { shellQuote } from '../../../support/shell.ts';
import { printable } from '../../../support/text/printable.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Context } from '../../context.ts';
import { errorOutput, report } from '../../report.ts';
import { type Running, readRunning, removeRunning, writeRunning } from './running.ts';

export const dataFlag = {
  data: textFlag('Folder for the state', { suggest: 'folder', besides: true }),
} as const;

export const contentFlags = {
  'seed-file': textFlag('YAML or JSON file of users, groups, projects and their settings for a new state', {
    suggest: 'path',
  }),
  scale: textFlag(
    'Generate rows in a new state: users, groups, projects, jobs, variables, badges, epics, hooks, snippets',
    { placeholder: 'kind=n,kind=n' },
  ),
  tier: textFlag('License of a new state (default: ultimate)', { choices: tiers }),
  'without-feature': {
    kind: 'text',
    placeholder: 'name',
    repeats: true,
    doc: 'Feature flag that is off in a new state, from svc help sandbox (default: all are on)',
    choices: features.map(({ name }) => name),
  },
  spam: textFlag('Behavior of the spam check', { choices: spamModes }),
} as const;

export type DataOption = OptionsOf<typeof dataFlag>;
type ContentLine = Pick<CommandLine<OptionsOf<typeof contentFlags>>, 'options' | 'repeated'>;

/** Milliseconds to wait for a command that uses the same folder. */
export const lockWait = 2_000;
/** Milliseconds for a sandbox to say that it is ready. */
const readyLimit = 5_000;

/** For a user without a folder of their own. `--sandbox` uses the usual folder only. */
const otherFolder =
  'or run svc sandbox start --detach --data <dir> and eval "$(svc sandbox env --data <dir>)"';

/** Return the folder of the state. @throws Failure `usage` if this user has no place for one */
export function folderOf({ data }: DataOption, { cwd, env }: Context): string {
  if (data !== undefined) return resolve(cwd, data);
  const { state, stateRemedy } = pathsOf(env);
  if (state === undefined) throw usage('no folder for the sandbox', [stateRemedy, otherFolder]);
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
export async function openSandbox(context: Context, folder: string | null, options: SandboxOptions = {}) {
  const sandbox = await import('../../../sandbox/index.ts');
  return sandbox.openSandbox(folder === null ? { memory: true } : { dir: folder }, {
    now: context.now,
    onDamage: (damage) => warnOfDamage(context, damage),
    onError: (error) => void report(error, errorOutput({}, context)),
    ...options,
  });
}

/**
 * Open a sandbox that listens on the loopback interface of this machine.
 * @param folder the folder of the state; null for memory
 * @param announceIn the folder in which other commands find the sandbox, as long as it listens
 * @throws Failure `usage` for invalid content, `internal` for a port that is in use
 */
export async function openServing(
  context: Context,
  folder: string | null,
  { port = 0, announceIn, ...content }: SandboxOptions & { port?: number | undefined; announceIn?: string },
) {
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
  let close = () => sandbox.close();
  try {
    const { url, close: stopListening } = await serve(sandbox, port);
    const place = { url, pid: process.pid, data: folder };
    const running: Running = { ...sandbox.info(), ...place, started: context.now(), damage };
    close = async () => {
      if (announceIn !== undefined) await removeRunning(announceIn, running);
      await stopListening();
      await sandbox.close();
    };
    if (announceIn !== undefined) await writeRunning(announceIn, running);
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
export async function openForCommand(context: Context, keepsRunning = false) {
  const folder = folderOf({}, context);
  const other = await readRunning(folder);
  const { running, close } = other
    ? { running: other, close: async () => {} }
    : await openServing(context, folder, keepsRunning ? { announceIn: folder } : {});
  const { url, tokens, job_token: jobToken } = running;
  return { from: '--sandbox', baseUrl: url, token: tokens['admin'], jobToken: jobToken ?? undefined, close };
}

// --- the control interface

/** Sends a request to the control interface. @param body JSON @returns the JSON response @throws Failure for an error response */
export type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

const kinds: Readonly<Record<number, Kind>> = { 400: 'usage', 404: 'not_found' };

function controlOf(url: string, send: (request: Request) => Promise<Response>): Control {
  return async (method, path, body) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const response = await send(new Request(`${url}/-/sandbox${path}`, { method, headers, ...json }));
    const content = await response.text();
    const value = jsonIn(content);
    if (response.ok) return value;
    const { error = response.statusText } = isRecord(value) ? value : {};
    throw new Failure(kinds[response.status] ?? 'internal', String(error));
  };
}

/** Return the URL of the sandbox that `SVC_BASE_URL` names, as in a command of `svc sandbox exec`, unless a folder is given. */
export async function urlInUse({ data }: DataOption, { env, signal }: Context): Promise<string | undefined> {
  if (data !== undefined) return undefined;
  const [, url] = /^(http:\/\/(?:127\.0\.0\.1|localhost):\d+)(?:\/|$)/.exec(env['SVC_BASE_URL'] ?? '') ?? [];
  if (url === undefined) return undefined;
  // Another server may respond to any path, or not at all.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(readyLimit)]);
  const reply = await fetch(`${url}/-/sandbox/ready`, { signal: soon }).catch(() => undefined);
  const value = jsonIn((await reply?.text().catch(() => undefined)) ?? '');
  return isRecord(value) && value['ready'] === true ? url : undefined;
}

const controlAt = (url: string, { signal }: Context): Control =>
  controlOf(url, (request) =>
    fetch(request, { signal }).catch((cause) => {
      signal.throwIfAborted();
      throw new Failure('network', `cannot connect to the sandbox at ${url}`, { cause });
    }),
  );

export type Found = Info & Pick<Running, 'url'> & Partial<Running>;

/** Find the sandbox that the environment names, or else the running one of the folder. */
export async function findRunning(options: DataOption, context: Context): Promise<Found | undefined> {
  const url = await urlInUse(options, context);
  if (url === undefined) return readRunning(folderOf(options, context));
  return { ...((await controlAt(url, context)('GET', '/info')) as Info), url };
}

/** The control interface of the running sandbox. */
export async function runningControl(options: DataOption, context: Context): Promise<Control | undefined> {
  const named = await urlInUse(options, context);
  const url = named ?? (await readRunning(folderOf(options, context)))?.url;
  return url === undefined ? undefined : controlAt(url, context);
}

export const folderFlag = ({ data }: DataOption): string =>
  data === undefined ? '' : ` --data ${shellQuote(data)}`;

export const noneRunning = (options: DataOption, context: Context): Failure =>
  new Failure('not_found', `no sandbox is running in ${folderOf(options, context)}`, {
    hint: [
      `to start one: svc sandbox start --detach${folderFlag(options)}`,
      ...(options.data === undefined ? ['for a sandbox in another folder: --data <dir>'] : []),
    ],
  });

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
