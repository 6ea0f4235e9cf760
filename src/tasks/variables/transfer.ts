/** Run `variables export`, `import` and `diff`: the engine for one kind. Run a command with the variables of a job. */
import { basename } from 'node:path';
import { listGroupVariables, readNamespace } from '../../api/namespaces.ts';
import { variables as description } from '../../api/variables.ts';
import { usage } from '../../errors.ts';
import { type ResourceCalls, type Row, type Target, withDefaults } from '../../spec/resource.ts';
import { done, type Result } from '../../spec/result.ts';
import { isRecord } from '../../support/record.ts';
import { safeFileName } from '../../support/system/file-name.ts';
import { removePrivateFolders, withPrivateFolder } from '../../support/system/leftovers.ts';
import { findProgram } from '../../support/system/programs.ts';
import { shortList } from '../../support/text/list.ts';
import { matchesWildcard } from '../../support/text/wildcard.ts';
import { type ApplyOptions, applyPlan, compare } from '../apply.ts';
import { type Maybe, projectOf, readText, type TaskContext, type TaskWith } from '../context.ts';
import { readRows } from '../engine/actual.ts';
import { allRows, ifAvailable, withCodec } from '../engine/codecs.ts';
import type { Desired } from '../engine/model.ts';
import { nameOf } from '../engine/plan.ts';
import { readDesired } from '../engine/shared.ts';
import { entriesOf, ownerOf, secretsOf, stateResult } from '../export.ts';

const variables = withCodec(description);
const kind = { resource: variables, calls: variables.calls[0] as ResourceCalls };

export async function readVariables(task: TaskContext, target: Target): Promise<Row[]> {
  const rows = await readRows(task, target, kind);
  return rows.map((row) => withDefaults(variables, row));
}

/** Read a project and its variables, then those of the groups above it, the nearest first. The rows of a group that cannot be read are undefined. */
export async function readLevels(task: TaskContext, target: Target) {
  const { value } = await task.call(readNamespace('project', target.id));
  const path = String(value['path_with_namespace'] ?? target.id);
  const { namespace } = value;
  const isPersonal = isRecord(namespace) && namespace['kind'] === 'user';
  // `acme/labs/probe` -> `acme/labs`, `acme`
  const parts = isPersonal ? [] : path.split('/').slice(0, -1);
  const groups = parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
  const reading = groups.map((id) =>
    ifAvailable(allRows(task.rows({ endpoint: listGroupVariables, slots: { id }, values: {} }))),
  );
  const [own, ...inherited] = await Promise.all([readVariables(task, target), ...reading]);
  const unread = groups.filter((_, at) => inherited[at] === undefined);
  return { project: value, path, groups, rows: [own, ...inherited], unread } as const;
}

const isHidden = (row: Row): boolean => typeof row['value'] !== 'string' || row['hidden'] === true;

/** Leave out the variables whose values are hidden, and report them. */
function readable(task: TaskContext, rows: readonly Row[]): Row[] {
  for (const { key, environment_scope } of rows.filter(isHidden)) {
    const name = nameOf({ resource: variables, identity: { key, environment_scope } });
    task.note(`not included, because its value is hidden: ${name}`);
  }
  return rows.filter((row) => !isHidden(row));
}

/**
 * Choose one variable for each key: exact scopes before those with a wildcard, long ones before short ones, `*` last.
 * @param environment without it, only variables of scope `*` count
 */
export function variablesFor(rows: readonly Row[], environment: string | undefined): Row[] {
  const chosen = new Map<string, { row: Row; rank: number }>();
  for (const row of rows) {
    const scope = String(row['environment_scope'] ?? '*');
    if (environment === undefined ? scope !== '*' : !matchesWildcard(scope, environment)) continue;
    const rank = scope === environment ? Number.POSITIVE_INFINITY : scope === '*' ? 0 : scope.length;
    const key = String(row['key']);
    const known = chosen.get(key);
    if (!known || rank > known.rank) chosen.set(key, { row, rank });
  }
  return [...chosen.values()].map(({ row }) => row);
}

export async function exportVariables(
  task: TaskContext,
  options: Maybe<{ environment: string }> & Parameters<typeof secretsOf>[0],
): Promise<Result> {
  const { environment } = options;
  const secrets = secretsOf(options);
  const target = projectOf(task);
  if (task.format === 'dotenv') {
    if (secrets === 'none') throw usage('--no-secrets and -o dotenv cannot be used together');
    const { dotenvText } = await import('./dotenv.ts');
    const values = readable(task, variablesFor(await readVariables(task, target), environment)).map(
      (row) => [String(row['key']), String(row['value'])] as const,
    );
    return { kind: 'text', text: dotenvText(new Map(values)) };
  }
  const rows = await readVariables(task, target);
  const chosen = environment === undefined ? rows : variablesFor(rows, environment);
  const { entries, notes } = entriesOf(variables, chosen, secrets, ownerOf(task, target));
  return stateResult(task, target, { [variables.kind]: entries }, notes);
}

/** The names of dotenv files: `.env`, `*.env` and `.env.*`. */
const dotenvName = /^(.*\.)?env$|^\.env\./;

async function readDesiredVariables(task: TaskContext, options: ApplyOptions): Promise<Desired[]> {
  const file = task.line.words[0] ?? '-';
  if (/\.[ct]sv$/i.test(file)) {
    const words = ['each', '--rows', file, '--', 'variables', 'set', '{key}', '{value}'];
    throw usage(
      `${file}: csv and tsv are not read`,
      `to set its variables, use ${task.resumeCommand(words)}`,
    );
  }
  const text = await readText(task, file, '<file>');
  const { parseRowsFile, parseStateFile } = await import('../engine/state-file.ts');
  const none = 'to declare that there are none, use a state file with variables: []';
  const read = async (documents: ReturnType<typeof parseStateFile>) => {
    const desired = await readDesired(task, documents, options, [variables.kind]);
    if (desired.every(({ kinds }) => kinds.length === 0)) throw usage(`${file} has no variables`, none);
    return desired;
  };
  if (dotenvName.test(basename(file))) {
    const { readDotenv } = await import('./dotenv.ts');
    const values = Object.entries(readDotenv(file, text));
    if (values.length === 0) throw usage(`${file} has no variables`, none);
    const rows = values.map(([key, value]) => ({ key, value, environment_scope: '*' }));
    return read(parseRowsFile(file, JSON.stringify(rows), variables.kind));
  }
  if (!/^\s*\[/.test(text)) return read(parseStateFile(file, text));
  // The command that wrote the list may have failed. Only a state file declares on purpose that there are none.
  if (options.prune && /^\s*\[\s*\]\s*$/.test(text))
    throw usage(
      `${file} has no variables, and --prune would delete all of them`,
      'to delete all, use a state file with variables: []',
    );
  return read(parseRowsFile(file, text, variables.kind));
}

export async function importVariables(task: TaskContext, options: ApplyOptions): Promise<Result> {
  return applyPlan(task, await readDesiredVariables(task, options), options);
}

export async function compareVariables(task: TaskContext, options: ApplyOptions): Promise<Result> {
  return compare(task, await readDesiredVariables(task, options), options);
}

/** Names with which shells, loaders, runtimes, build tools, editors, pagers, git and svc choose the code or settings they start with. */
const unsafeNames = new RegExp(
  `^(?:${[
    'PATH|PATHEXT|COMSPEC|HOME|SHELL|SHELLOPTS|BASHOPTS|BASH_ENV|BASH_FUNC_.*|ENV|IFS|PS4|PROMPT_COMMAND|ZDOTDIR',
    'LD_.*|DYLD_.*|GCONV_PATH|GLIBC_TUNABLES|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|BUN_.*|NPM_CONFIG_.*|PYTHON(?:PATH|HOME|STARTUP|USERBASE|WARNINGS|BREAKPOINT)',
    'PERL5OPT|PERL5LIB|PERL5DB|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|SVC_.*',
    'GIT_(?:SSH|SSH_COMMAND|ASKPASS|EDITOR|SEQUENCE_EDITOR|PAGER|EXTERNAL_DIFF|PROXY_.*|EXEC_PATH|TEMPLATE_DIR|CONFIG.*|DIR|COMMON_DIR|SSL_.*)',
    'XDG_.*|OPENSSL_(?:CONF|MODULES|ENGINES)|LUA_INIT.*|LUA_C?PATH.*|DOTNET_STARTUP_HOOKS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES',
    'RUSTC|RUSTC_(?:WORKSPACE_)?WRAPPER|RUSTDOC|EDITOR|VISUAL|VIMINIT|EXINIT|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SSH_ASKPASS',
  ].join('|')})$`,
  'i',
);

const isFile = (row: Row): boolean => row['variable_type'] === 'file';

type CreateFile = (name: string, content: string) => Promise<string>;

/** Write the variables of type `file` to files that only this user can read. */
async function environmentOf(rows: readonly Row[], create: CreateFile): Promise<Record<string, string>> {
  const environment: Record<string, string> = Object.create(null);
  for (const row of rows) {
    const key = String(row['key']);
    const value = String(row['value']);
    if (`${key}${isFile(row) ? '' : value}`.includes('\0'))
      throw usage(`variable ${key} contains a null byte`);
    environment[key] = isFile(row) ? await create(safeFileName(key) ?? 'value', value) : value;
  }
  return environment;
}

/** The variables that a job of the environment gets: those of a near group replace those above it, and those of the project all others. */
async function jobVariables(task: TaskContext, environment: string | undefined): Promise<Row[]> {
  const { rows, unread } = await readLevels(task, projectOf(task));
  if (unread.length > 0)
    task.warn(`not included, because they cannot be read: variables of ${shortList(unread)}`);
  const all = rows.toReversed().flatMap((level) => variablesFor(level ?? [], environment));
  return readable(task, [...new Map(all.map((row) => [row['key'], row])).values()]);
}

/** Run a command with the variables that a job of the environment gets. @returns its exit code */
export const runWithVariables: TaskWith<{ environment: string; allowUnsafeNames: true }> = async (
  task,
  options,
) => {
  const [command, ...args] = task.line.tail;
  if (!command) throw usage('no command given', 'use svc variables exec -- <command> [arguments]');
  const rows = await jobVariables(task, options.environment);
  const names = rows.map(({ key }) => String(key));
  const unsafe = names.filter((name) => !/^\w+$/.test(name) || unsafeNames.test(name));
  if (unsafe.length > 0 && !options.allowUnsafeNames)
    throw usage(`variables change how programs start: ${unsafe.join(', ')}`, [
      'to pass them to the command, use --allow-unsafe-names',
      'the command was not started',
    ]);
  await removePrivateFolders();
  const run = async (create: CreateFile) => {
    const own = await environmentOf(rows, create);
    const isFound = basename(command) !== command || !unsafe.some((name) => /^path$/i.test(name));
    return task.spawn(isFound ? command : findProgram(command, (name) => task.env(name)), args, own);
  };
  return done({ ending: await (rows.some(isFile) ? withPrivateFolder(run) : run(async () => '')) });
};
