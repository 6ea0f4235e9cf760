/** The checks of `svc doctor` that need no settings: the program, its files and the files that it wrote for other programs. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { basesOf, pathsOf } from '../../../config/paths.ts';
import { isOpenToOthers, readProfileFile } from '../../../config/profiles.ts';
import { counted } from '../../../spec/names.ts';
import { codeFolder } from '../../../support/code-cache.ts';
import { errnoText } from '../../../support/errno.ts';
import { type Installation, installation } from '../../../support/installation.ts';
import { checkOwnFolder, checkWritable } from '../../../support/own-files.ts';
import { shellQuote } from '../../../support/shell.ts';
import { platform } from '../../../support/system/platform.ts';
import type { Context } from '../../context.ts';
import { version } from '../../version.ts';
import { fileOf, readScript, shellFacts, shells, userShell } from '../completion/places.ts';
import { readRunning } from '../sandbox/running.ts';
import { asWarning, type Finding, fail, ok, runCheck, warn } from './finding.ts';

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
  const { config = null, state = null, cache = null, remedy } = pathsOf(env);
  const facts = { config, state, cache };
  const problems = new Map<string, string[]>();
  for (const [name, folder] of Object.entries(facts)) {
    if (folder === null) return warn('folders', 'none for some files', remedy, facts);
    const place = `${name} ${folder}`;
    try {
      // Other users may be able to change the configuration.
      if (name !== 'config') checkOwnFolder(folder);
      checkWritable(folder);
    } catch (error) {
      const problem = errnoText(error);
      problems.set(problem, [...(problems.get(problem) ?? []), place]);
    }
  }
  if (problems.size === 0) return ok('folders', `config ${config}, state ${state}, cache ${cache}`, facts);
  const texts = [...problems].map(([problem, all]) => `cannot use ${all.join(', ')}: ${problem}`);
  return warn('folders', texts.join('; '), 'set HOME to your own home directory', facts);
}

/** The reason why code is compiled again in each run, if there is one. */
function codeCache({ kind }: Installation, { env }: Context): Finding[] {
  if (kind === 'executable' || env['NODE_DISABLE_COMPILE_CACHE']) return [];
  try {
    codeFolder(env);
    return [];
  } catch (error) {
    const problem = `svc starts more slowly, since it cannot cache compiled code: ${errnoText(error)}`;
    return [
      warn(
        'code cache',
        problem,
        'set XDG_CACHE_HOME to a folder that only you can write to, outside of checkouts',
      ),
    ];
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

function completion(shared: readonly string[], { env }: Context): Finding {
  const hasHome = basesOf(env) !== undefined;
  const facts: Record<string, string | null> = {};
  for (const shell of shells) {
    const file = hasHome ? fileOf(shell, env) : '';
    const inPackage = shared.flatMap((one) => shellFacts[shell].shared.map((name) => path.join(one, name)));
    facts[shell] = hasHome && readScript(file)?.isOurs ? file : (inPackage.find(existsSync) ?? null);
  }
  const listed = Object.entries(facts).flatMap(([shell, file]) =>
    file === null ? [] : [`${shell} in ${file}`],
  );
  if (listed.length > 0) return ok('completion', listed.join(', '), facts);
  const isKnown = shells.some((one) => one === userShell(env));
  const remedy = `svc completion install${isKnown ? '' : ' <shell>'}`;
  return ok('completion', `not installed; ${remedy} installs it`, facts);
}

/** The manual pages that a package installed. */
function manual(shared: readonly string[]): Finding {
  const pages = ['svc.1', 'svc.1.gz'].map((name) => path.join('man', 'man1', name));
  const page = shared.flatMap((one) => pages.map((name) => path.join(one, name))).find(existsSync);
  if (page === undefined) return ok('manual', 'not installed; svc man shows a page', { path: null });
  const place = path.dirname(path.dirname(page));
  return ok('manual', `installed in ${place}`, { path: place });
}

function profileFile({ env }: Context): Finding {
  const check = 'profile file';
  const { profiles: file, remedy } = pathsOf(env);
  if (file === undefined) return warn(check, 'no folder for profiles', remedy);
  const found = readProfileFile(file);
  if (!found) return ok(check, `no file ${file}; svc login creates it`);
  const { mode } = found.stat;
  if (!isOpenToOthers(mode))
    return ok(check, `${file}, ${counted(Object.keys(found.data.profiles).length, 'profile')}`);
  const shown = (mode & 0o777).toString(8);
  return warn(check, `other users can access ${file} (mode ${shown})`, `chmod 600 ${shellQuote(file)}`);
}

async function sandbox({ env }: Context): Promise<Finding> {
  const { state } = pathsOf(env);
  const running = state === undefined ? undefined : await readRunning(path.join(state, 'sandbox'));
  return ok('sandbox', running ? `running at ${running.url}` : 'not running');
}

/** Check the program, this machine and the files of this user. */
export async function localFindings(context: Context): Promise<Finding[]> {
  const found = installation();
  const shared = sharedFolders(found, context);
  return [
    ...programFindings(found),
    ...asWarning(await runCheck('folders', () => folders(context))),
    ...codeCache(found, context),
    ...asWarning(await runCheck('completion', () => completion(shared, context))),
    ...asWarning(await runCheck('manual', () => manual(shared))),
    ...(await runCheck('profile file', () => profileFile(context))),
    ...asWarning(await runCheck('sandbox', () => sandbox(context))),
  ];
}
