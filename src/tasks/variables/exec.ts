/** Run a command with the variables that a job would get. */
import { basename } from 'node:path';
import { usage } from '../../errors.ts';
import type { Row } from '../../spec/resource.ts';
import { done } from '../../spec/result.ts';
import { safeFileName } from '../../support/system/file-name.ts';
import { removePrivateFolders, withPrivateFolder } from '../../support/system/leftovers.ts';
import { findProgram } from '../../support/system/programs.ts';
import { projectOf, type TaskWith } from '../context.ts';
import { readableVariables } from './transfer.ts';

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

/** Run a command with the variables that a job of the environment gets. @returns its exit code */
export const runWithVariables: TaskWith<{ environment: string; allowUnsafeNames: true }> = async (
  task,
  options,
) => {
  const [command, ...args] = task.line.tail;
  if (command === undefined)
    throw usage('no command given', 'use svc variables exec -- <command> [arguments]');
  const readable = await readableVariables(task, projectOf(task), options.environment);
  const names = readable.map(({ key }) => String(key));
  const unsafe = names.filter((name) => !/^\w+$/.test(name) || unsafeNames.test(name));
  if (unsafe.length > 0 && !options.allowUnsafeNames)
    throw usage(`variables change how programs start: ${unsafe.join(', ')}`, [
      'to pass them to the command, use --allow-unsafe-names',
      'the command was not started',
    ]);
  await removePrivateFolders();
  const run = async (create: CreateFile) => {
    const own = await environmentOf(readable, create);
    const isFound = basename(command) !== command || !unsafe.some((name) => /^path$/i.test(name));
    return task.spawn(isFound ? command : findProgram(command, (name) => task.env(name)), args, own);
  };
  return done({ ending: await (readable.some(isFile) ? withPrivateFolder(run) : run(async () => '')) });
};
