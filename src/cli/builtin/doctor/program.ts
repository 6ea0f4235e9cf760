/** The checks of `svc doctor` that need no settings: the program, its files and the files that it wrote for other programs. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { basesOf, pathsOf } from '../../../config/paths.ts';
import { isOpenToOthers, readProfileFile } from '../../../config/profiles.ts';
import { Failure, isFromSignal, type Kind } from '../../../errors.ts';
import { counted } from '../../../spec/names.ts';
import { errnoText } from '../../../support/errno.ts';
import { type Installation, installation } from '../../../support/installation.ts';
import { checkOwnFolder, checkWritable, codeFolder } from '../../../support/own-files.ts';
import { shellQuote } from '../../../support/shell.ts';
import { platform } from '../../../support/system/platform.ts';
import type { Context } from '../../context.ts';
import { version } from '../../version.ts';
import { fileOf, readScript, shellFacts, shells, userShell } from '../completion/completion.ts';
import { readRunning } from '../sandbox/running.ts';

type Facts = Readonly<Record<string, string | null>>;

/** What a check finds. */
export interface Finding {
  /** The name of another check that this one performs too. */
  readonly check?: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly remedy: string | null;
  /** The message for programs. */
  readonly facts: Facts | null;
  /** The kind of failure that a command would report. */
  readonly kind?: Kind;
}

export interface Check<T> {
  readonly name: string;
  /** A failure is a finding, except an interruption. */
  readonly run: (subject: T) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;
  /** The checks after it depend on it. */
  readonly required?: true;
  /** No command depends on it, so a failure is a warning. */
  readonly optional?: true;
}

export const ok = (message: string, facts: Facts | null = null): Finding => {
  return { status: 'ok', message, remedy: null, facts };
};
export const warn = (message: string, remedy: string, facts?: Facts): Finding => {
  return { ...ok(message, facts), status: 'warn', remedy };
};
export const fail = (kind: Kind, message: string, remedy: string, facts?: Facts): Finding => {
  return { ...warn(message, remedy, facts), status: 'fail', kind };
};

function fromFailure({ kind, message, hints }: Failure): Finding {
  return fail(kind, message, hints[0] ?? 'svc config explain shows the settings in effect');
}

export type NamedFinding = Finding & { readonly check: string };

/** Run checks in order, up to a required one that fails. */
export async function runChecks<T>(checks: readonly Check<T>[], subject: T): Promise<NamedFinding[]> {
  const findings: NamedFinding[] = [];
  for (const { name, run, required, optional } of checks) {
    const found = await Promise.resolve(subject)
      .then(run)
      .catch((error: unknown) => {
        if (!(error instanceof Failure) || isFromSignal(error)) throw error;
        return fromFailure(error);
      });
    const all = [found].flat().map((one): NamedFinding => {
      return { check: name, ...one, ...(optional && one.status === 'fail' ? { status: 'warn' } : {}) };
    });
    findings.push(...all);
    if (required && all.some(({ status }) => status === 'fail')) break;
  }
  return findings;
}

/** The kind of installation: a program that contains its runtime, a package of npm, or a checkout of the source. */
export function installationFinding({ kind, path: place }: Installation): Finding {
  const nouns = { executable: 'executable', package: 'npm package in', checkout: 'checkout in' };
  return ok(`${nouns[kind]} ${place}`, { kind, path: place });
}

/** @param runtime name and version: `Node.js 24.1.0` */
export function runtimeFinding(runtime: string): Finding {
  const [name = '', number = ''] = runtime.split(' ');
  const facts = { name, version: number };
  const [major = 0, minor = 0] = number.split('.').map(Number);
  const isOld = name === 'Node.js' && (major < 20 || (major === 20 && minor < 19));
  if (!isOld) return ok(runtime, facts);
  return fail('internal', `${runtime} is too old`, 'install Node.js 20.19 or newer', facts);
}

function folders({ env }: Context): Finding {
  const { config = null, state = null, cache = null, remedy } = pathsOf(env);
  const facts = { config, state, cache };
  const problems: string[] = [];
  for (const [name, folder] of Object.entries(facts)) {
    if (folder === null) return warn('none for some files', remedy, facts);
    try {
      // Other users may be able to change the configuration.
      if (name !== 'config') checkOwnFolder(folder);
      checkWritable(folder);
    } catch (error) {
      problems.push(`cannot use ${name} ${folder}: ${errnoText(error)}`);
    }
  }
  if (problems.length === 0) return ok(`config ${config}, state ${state}, cache ${cache}`, facts);
  return warn(problems.join('; '), 'set HOME to your own home directory', facts);
}

/** A warning if code is compiled again in each run. */
function codeCache({ env }: Context): Finding | Finding[] {
  if (installation().kind === 'executable' || env['NODE_DISABLE_COMPILE_CACHE']) return [];
  try {
    codeFolder(env);
    return [];
  } catch (error) {
    return warn(
      `svc starts more slowly, since it cannot cache compiled code: ${errnoText(error)}`,
      'set XDG_CACHE_HOME to a folder that only you can write to, outside of checkouts',
    );
  }
}

/** Folders of shared data into which packages install files for other programs, those of this program first. */
function sharedFolders({ env }: Context): string[] {
  const { kind, path: place } = installation();
  // An executable is in <prefix>/bin, and a package in <prefix>/lib/node_modules/<name>.
  const up = kind === 'executable' ? ['..', '..'] : ['..', '..', '..'];
  const own = kind === 'checkout' ? [] : [path.resolve(place, ...up, 'share')];
  const listed = (env['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share').split(path.delimiter);
  return [...own, ...listed.filter((one) => path.isAbsolute(one))];
}

/** Find a file of a package. @param names relative to a folder of shared data */
const findShared = (context: Context, names: readonly string[]): string | undefined =>
  sharedFolders(context)
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .find(existsSync);

function completion(context: Context): Finding {
  const { env } = context;
  const hasHome = basesOf(env) !== undefined;
  const found = shells.map((shell): [string, string | null] => {
    const file = hasHome ? fileOf(shell, env) : '';
    const isInstalled = hasHome && readScript(file)?.isOurs;
    return [shell, isInstalled ? file : (findShared(context, shellFacts[shell].shared) ?? null)];
  });
  const facts = Object.fromEntries(found);
  const listed = found.flatMap(([shell, file]) => (file === null ? [] : `${shell} in ${file}`));
  if (listed.length > 0) return ok(listed.join(', '), facts);
  const isKnown = shells.some((one) => one === userShell(env));
  const remedy = `svc completion install${isKnown ? '' : ' <shell>'}`;
  return ok(`not installed; ${remedy} installs it`, facts);
}

function manual(context: Context): Finding {
  const page = findShared(context, ['man/man1/svc.1', 'man/man1/svc.1.gz']);
  if (page === undefined) return ok('not installed; svc man shows a page', { path: null });
  const place = path.dirname(path.dirname(page));
  return ok(`installed in ${place}`, { path: place });
}

function profileFile({ env }: Context): Finding {
  const { profiles: file, remedy } = pathsOf(env);
  if (file === undefined) return warn('no folder for profiles', remedy);
  const found = readProfileFile(file);
  if (!found) return ok(`no file ${file}; svc login creates it`);
  const { mode } = found.stat;
  if (!isOpenToOthers(mode))
    return ok(`${file}, ${counted(Object.keys(found.data.profiles).length, 'profile')}`);
  const shown = (mode & 0o777).toString(8);
  return warn(`other users can access ${file} (mode ${shown})`, `chmod 600 ${shellQuote(file)}`);
}

async function sandbox({ env }: Context): Promise<Finding> {
  const { state } = pathsOf(env);
  const running = state === undefined ? undefined : await readRunning(path.join(state, 'sandbox'));
  return ok(running ? `running at ${running.url}` : 'not running');
}

export const localChecks: readonly Check<Context>[] = [
  { name: 'svc', run: () => ok(version, { version }) },
  { name: 'installation', run: () => installationFinding(installation()) },
  { name: 'runtime', run: () => runtimeFinding(installation().runtime) },
  { name: 'platform', run: () => ok(`${platform} ${process.arch}`, { platform, arch: process.arch }) },
  { name: 'folders', run: folders, optional: true },
  { name: 'code cache', run: codeCache },
  { name: 'completion', run: completion, optional: true },
  { name: 'manual', run: manual, optional: true },
  { name: 'profile file', run: profileFile, required: true },
  { name: 'sandbox', run: sandbox, optional: true },
];
