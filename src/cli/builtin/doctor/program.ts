/** The checks of `svc doctor` that need no settings: the program, its files, and the files that it wrote for other programs. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { basesOf, pathsOf } from '../../../config/paths.ts';
import { Failure } from '../../../errors.ts';
import { errnoText } from '../../../support/errno.ts';
import { type Installation, installation } from '../../../support/installation.ts';
import { checkOwnFolder, checkWritable } from '../../../support/own-files.ts';
import { platform } from '../../../support/system/platform.ts';
import type { Context } from '../../context.ts';
import { version } from '../../version.ts';
import { fileOf, readScript, type Shell, shellFacts, shells, userShell } from '../completion/places.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const minNode = [20, 19] as const;

/** What runs: a program that contains its runtime, a package of npm, or a checkout of the source. */
export function programFindings(found: Installation): Finding[] {
  const { kind, path: place, runtime } = found;
  const nouns = { executable: 'executable', package: 'npm package in', checkout: 'checkout in' };
  return [
    ok('svc', version, { version }),
    ok('installation', `${nouns[kind]} ${place}`, { kind, path: place }),
    runtimeFinding(runtime),
    ok('platform', `${platform} ${process.arch}`, { platform, arch: process.arch }),
  ];
}

/** @param runtime name and version: `Node.js 24.1.0` */
export function runtimeFinding(runtime: string): Finding {
  const [name = '', number = ''] = runtime.split(' ');
  const facts = { name, version: number };
  const [major = 0, minor = 0] = number.split('.').map(Number);
  const isOld = name === 'Node.js' && (major < minNode[0] || (major === minNode[0] && minor < minNode[1]));
  if (!isOld) return ok('runtime', runtime, facts);
  const remedy = `install Node.js ${minNode.join('.')} or newer`;
  return fail('runtime', 'internal', `${runtime} is too old`, remedy, facts);
}

/** The folders of this user. */
function folders({ env }: Context): Finding {
  const { config, state, cache, remedy } = pathsOf(env);
  const facts = { config: config ?? null, state: state ?? null, cache: cache ?? null };
  if (Object.values(facts).includes(null)) return warn('folders', 'none for some files', remedy, facts);
  const problems = new Map<string, string[]>();
  for (const [name, folder] of [
    ['config', config],
    ['state', state],
    ['cache', cache],
  ] as const) {
    const problem = problemOf(folder, name !== 'config');
    if (problem) problems.set(problem, [...(problems.get(problem) ?? []), `${name} ${folder}`]);
  }
  if (problems.size === 0) return ok('folders', `config ${config}, state ${state}, cache ${cache}`, facts);
  const message = [...problems]
    .map(([problem, all]) => `cannot use ${all.join(', ')}: ${problem}`)
    .join('; ');
  return warn('folders', message, 'set HOME to your own home directory', facts);
}

/** @param isOwn whether only this user may be able to change the folder */
function problemOf(folder = '', isOwn: boolean): string | undefined {
  try {
    if (isOwn) checkOwnFolder(folder);
    checkWritable(folder);
    return undefined;
  } catch (error) {
    return errnoText(error);
  }
}

/** Folders of shared data into which packages install files for other programs, those of this program first. */
function sharedFolders({ kind, path: place }: Installation, { env }: Context): string[] {
  // An executable is in <prefix>/bin, and a package in <prefix>/lib/node_modules/<name>.
  const up = kind === 'executable' ? ['..', '..'] : ['..', '..', '..'];
  const own = kind === 'checkout' ? [] : [path.resolve(place, ...up, 'share')];
  const listed = (env['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share').split(path.delimiter);
  return [...own, ...listed.filter((one) => path.isAbsolute(one))];
}

/** The script of a shell: of this user, or of a package. */
async function scriptOf(
  shell: Shell,
  shared: readonly string[],
  { env }: Context,
): Promise<string | undefined> {
  const file = fileOf(shell, env);
  if (readScript(file)?.isOurs) return file;
  return shared
    .flatMap((folder) => shellFacts[shell].shared.map((name) => path.join(folder, name)))
    .find((one) => existsSync(one));
}

async function completion(shared: readonly string[], context: Context): Promise<Finding> {
  const check = 'completion';
  const hasHome = basesOf(context.env) !== undefined;
  const files = await Promise.all(
    shells.map(
      async (shell) => [shell, (hasHome && (await scriptOf(shell, shared, context))) || null] as const,
    ),
  );
  const facts = Object.fromEntries(files);
  const shell = userShell(context.env);
  const listed = files.flatMap(([name, file]) => (file === null ? [] : [`${name} in ${file}`])).join(', ');
  const hint = shells.some((one) => one === shell)
    ? 'svc completion install'
    : 'svc completion install <shell>';
  return ok(check, listed !== '' ? listed : `not installed; ${hint} installs it`, facts);
}

/** The manual pages that a package installed. */
function manual(shared: readonly string[]): Finding {
  const check = 'manual';
  const page = shared
    .flatMap((one) => ['svc.1', 'svc.1.gz'].map((name) => path.join(one, 'man', 'man1', name)))
    .find((one) => existsSync(one));
  if (page === undefined) return ok(check, 'not installed; svc man shows a page', { path: null });
  const place = path.dirname(path.dirname(page));
  return ok(check, `installed in ${place}`, { path: place });
}

/** Report a file that cannot be read as a warning: no command depends on it. */
export async function unlessUnreadable(
  check: string,
  run: () => Finding | Promise<Finding>,
): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure)
      return warn(check, error.message, error.hints[0] ?? 'check its permissions');
    throw error;
  }
}

/** Check the program and the files around it. */
export async function installationFindings(context: Context): Promise<Finding[]> {
  const found = installation();
  const shared = sharedFolders(found, context);
  return [
    ...programFindings(found),
    await unlessUnreadable('folders', () => folders(context)),
    await unlessUnreadable('completion', () => completion(shared, context)),
    await unlessUnreadable('manual', () => manual(shared)),
  ];
}
