/** `svc completion`: print or install the completion script of a shell. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure, unusable, usage } from '../../../errors.ts';
import { makeFolder } from '../../../support/own-files.ts';
import { suggest } from '../../../support/suggest.ts';
import { sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { confirmChange } from '../../terminal/log.ts';
import { confirmAction } from '../../terminal/prompt.ts';
import { version } from '../../version.ts';
import { type Builtin, command, type Services } from '../define.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof shells)[number];

/** Identifies files that svc wrote. */
const mark = 'Printed by svc completion';

async function scriptFor(shell: Shell, { catalogue }: Services): Promise<string> {
  const { completionTable } = await import('../../../docs/completion/table.ts');
  const table = completionTable(await catalogue());
  const origin = `${mark} ${shell}, version ${version}.`;
  switch (shell) {
    case 'bash':
      return (await import('../../../docs/completion/bash.ts')).bashCompletion(table, origin);
    case 'zsh':
      return (await import('../../../docs/completion/zsh.ts')).zshCompletion(table, origin);
    case 'fish':
      return (await import('../../../docs/completion/fish.ts')).fishCompletion(table, origin);
    case 'powershell':
      return (await import('../../../docs/completion/powershell.ts')).powershellCompletion(table, origin);
  }
}

interface Installation {
  readonly file: string;
  /** The next step for the user. */
  readonly next: string;
}

/** Find the completion file of a shell for this user. @throws Failure `usage` without a home directory */
function installationFor(shell: Shell, { env }: Context): Installation {
  const home = env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  if (!home || !path.isAbsolute(home))
    throw usage('no home directory', `print the script instead: svc completion ${shell}`);
  const xdg = (name: string, ...defaultPath: string[]) => {
    const given = env[name];
    return given && path.isAbsolute(given) ? given : path.join(home, ...defaultPath);
  };
  const data = xdg('XDG_DATA_HOME', '.local', 'share');
  const config = xdg('XDG_CONFIG_HOME', '.config');
  switch (shell) {
    case 'bash': {
      const file = path.join(data, 'bash-completion', 'completions', 'svc');
      return {
        file,
        next: `start a new shell; without the package bash-completion, add to ~/.bashrc: source '${file}'`,
      };
    }
    case 'zsh': {
      const file = path.join(data, 'zsh', 'site-functions', '_svc');
      return { file, next: `add to ~/.zshrc, before compinit: fpath+=('${path.dirname(file)}')` };
    }
    case 'fish':
      return {
        file: path.join(config, 'fish', 'completions', 'svc.fish'),
        next: 'start a new shell',
      };
    case 'powershell': {
      const folder =
        process.platform === 'win32'
          ? path.join(home, 'Documents', 'PowerShell')
          : path.join(config, 'powershell');
      const file = path.join(folder, 'svc-completion.ps1');
      return { file, next: `add to your $PROFILE: . '${file}'` };
    }
  }
}

function shellOf(typed: string | undefined, { env }: Context): Shell {
  const name = typed ?? (process.platform === 'win32' ? 'powershell' : path.basename(env['SHELL'] ?? ''));
  const shell = shells.find((one) => one === name || (one === 'powershell' && name === 'pwsh'));
  if (shell) return shell;
  throw usage(
    typed === undefined ? 'cannot detect your shell' : `no completion for ${JSON.stringify(typed)}`,
    [...suggest(typed ?? '', shells), `use svc completion install ${shells.join('|')}`],
  );
}

async function install(
  { words, options }: CommandLine,
  context: Context,
  services: Services,
): Promise<ExitCode> {
  const shell = shellOf(words[0], context);
  const { file, next } = installationFor(shell, context);
  const old = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (old !== undefined && !old.includes(mark))
    throw new Failure('internal', `${file} already exists and is not from svc`, {
      hint: 'move the file away and try again',
    });
  const action = old === undefined ? 'write' : 'replace';
  await confirmAction(context, options, `${action} the ${shell} completion in ${file}`);
  const script = await scriptFor(shell, services);
  try {
    makeFolder(path.dirname(file));
    await writeFile(file, script);
  } catch (error) {
    throw unusable(`the completion folder`, error, `print the script instead: svc completion ${shell}`);
  }
  confirmChange(context, options, [
    `${old === undefined ? 'Wrote' : 'Replaced'} the ${shell} completion in ${file}`,
    `Next step: ${next}`,
  ]);
  return 0;
}

/** Commands that load the script into a running shell. */
const loadCommands: Readonly<Record<Shell, string>> = {
  bash: 'source <(svc completion bash)',
  zsh: 'source <(svc completion zsh)',
  fish: 'svc completion fish | source',
  powershell: 'svc completion powershell | Out-String | Invoke-Expression',
};

export default {
  commands: [
    ...shells.map((shell) =>
      command({
        name: shell,
        args: '',
        summary: `Print the script for ${shell === 'powershell' ? 'PowerShell' : shell}`,
        doc: `To load it in the current shell: ${loadCommands[shell]}. To install it permanently: svc completion install ${shell}.`,
        flags: {},
        examples: [{ does: 'Print the script', run: `completion ${shell}` }],
        async run(_, context, services) {
          context.stdout.write(await scriptFor(shell, services));
          return 0;
        },
      }),
    ),
    command({
      name: 'install',
      args: `[${shells.join('|')}]`,
      summary: 'Install the completion script of a shell',
      doc: 'Asks before it writes the file. If your shell needs a line in a start-up file, prints that line. The default is the shell in the variable SHELL.',
      flags: sharedFlags('yes', 'no-input', 'quiet'),
      examples: [{ does: 'Install for zsh without a prompt', run: 'completion install zsh --yes' }],
      run: install,
    }),
  ],
  doc: 'Completes commands, flags and choices, and values of the service: ids with their descriptions, branches, variables and users. If the service takes longer than 150 ms, nothing is offered, and the values are fetched in the background for the next attempt.',
} satisfies Builtin;
