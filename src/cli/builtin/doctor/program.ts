/** The checks of `svc doctor` that need no settings: the program and its files. */
import path from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import { accessProblem, readProfileFile, unknownKeys } from '../../../config/profiles.ts';
import { Failure, isFromSignal, type Kind } from '../../../errors.ts';
import { counted } from '../../../spec/names.ts';
import { errnoText } from '../../../support/errno.ts';
import { type Installation, installation, version } from '../../../support/installation.ts';
import { checkOwnFolder, checkWritable, codeFolder } from '../../../support/own-files.ts';
import { platform } from '../../../support/system/platform.ts';
import type { Context } from '../../context.ts';
import { readRunning } from '../sandbox/running.ts';

type Facts = Readonly<Record<string, string | null>>;

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly remedy: string | null;
  /** The message for programs. */
  readonly facts: Facts | null;
}

export class Findings {
  readonly rows: Finding[] = [];
  /** The kind of failure that a command would report, of the first check that fails. */
  kind: Kind | undefined;

  ok(check: string, message: string, facts: Facts | null = null): void {
    this.rows.push({ check, status: 'ok', message, remedy: null, facts });
  }

  warn(check: string, message: string, remedy: string, facts: Facts | null = null): void {
    this.rows.push({ check, status: 'warn', message, remedy, facts });
  }

  fail(check: string, kind: Kind, message: string, remedy: string): void {
    this.rows.push({ check, status: 'fail', message, remedy, facts: null });
    this.kind ??= kind;
  }

  /** Run a check. A failure is a finding, except an interruption. @returns whether it did not fail */
  async attempt(check: string, run: () => unknown, how: 'warn' | 'fail' = 'fail'): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      if (!(error instanceof Failure) || isFromSignal(error)) throw error;
      const { kind, message, hints } = error;
      const [remedy = 'svc config explain shows the settings in effect'] = hints;
      if (how === 'warn') this.warn(check, message, remedy);
      else this.fail(check, kind, message, remedy);
      return false;
    }
  }
}

/** Check the kind of installation: a program that contains its runtime, a package of npm, or a checkout of the source; and its runtime. */
export function checkInstallation(found: Findings, { kind, path: place, runtime }: Installation): void {
  const nouns = { executable: 'executable', package: 'npm package in', checkout: 'checkout in' };
  found.ok('installation', `${nouns[kind]} ${place}`, { kind, path: place });
  const [name = '', number = ''] = runtime.split(' ');
  // The program does not start with a runtime that is too old.
  found.ok('runtime', runtime, { name, version: number });
}

function checkFolders(found: Findings, { env }: Context) {
  const { config = null, state = null, cache = null, remedy } = pathsOf(env);
  const facts = { config, state, cache };
  const problems: string[] = [];
  for (const [name, folder] of Object.entries(facts)) {
    if (folder === null) return found.warn('folders', 'none for some files', remedy, facts);
    try {
      // Other users may be able to change the configuration.
      if (name !== 'config') checkOwnFolder(folder);
      checkWritable(folder);
    } catch (error) {
      problems.push(`cannot use ${name} ${folder}: ${errnoText(error)}`);
    }
  }
  if (problems.length > 0)
    found.warn('folders', problems.join('; '), 'set HOME to your own home directory', facts);
  else found.ok('folders', `config ${config}, state ${state}, cache ${cache}`, facts);
}

/** Warn if code is compiled again in each run. */
function checkCodeCache(found: Findings, { env }: Context) {
  if (installation().kind === 'executable' || env['NODE_DISABLE_COMPILE_CACHE']) return;
  try {
    codeFolder(env);
  } catch (error) {
    found.warn(
      'code cache',
      `svc starts more slowly, since it cannot cache compiled code: ${errnoText(error)}`,
      'set XDG_CACHE_HOME to a folder that only you can write to, outside of checkouts',
    );
  }
}

function checkProfileFile(found: Findings, { env }: Context) {
  const { profiles: file, remedy } = pathsOf(env);
  if (file === undefined) return found.warn('profile file', 'no folder for profiles', remedy);
  const read = readProfileFile(file);
  if (!read) return found.ok('profile file', `no file ${file}; svc login creates it`);
  const count = counted(Object.keys(read.data.profiles).length, 'profile');
  for (const text of unknownKeys(read.data.profiles)) found.warn('profile file', text, `check ${file}`);
  const problem = accessProblem(file, read.stat);
  if (!problem) return found.ok('profile file', `${file}, ${count}`);
  found.warn('profile file', ...problem);
}

/** Check the program and its files. @returns whether the profile file can be read */
export async function checkProgram(found: Findings, context: Context): Promise<boolean> {
  found.ok('svc', version, { version });
  checkInstallation(found, installation());
  found.ok('platform', `${platform} ${process.arch}`, { platform, arch: process.arch });
  await found.attempt('folders', () => checkFolders(found, context), 'warn');
  checkCodeCache(found, context);
  if (!(await found.attempt('profile file', () => checkProfileFile(found, context)))) return false;
  const { state } = pathsOf(context.env);
  const running = state === undefined ? undefined : await readRunning(path.join(state, 'sandbox'));
  found.ok('sandbox', running ? `running at ${running.url}` : 'not running');
  return true;
}
