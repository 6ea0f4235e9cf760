/** `svc completion`: the script for a shell, printed or put where that shell looks for it. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure, usage } from '../../../errors.ts';
import { makeFolder } from '../../../support/own-files.ts';
import { suggest } from '../../../support/suggest.ts';
import { sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { agree } from '../../terminal/prompt.ts';
import { version } from '../../version.ts';
import { type Builtin, command, type Services } from '../define.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof shells)[number];

/** How a file of ours is known again. */
const mark = 'Printed by svc completion';

/** The script for a shell. */
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

interface Place {
  readonly file: string;
  /** What the user has yet to do, where the shell does not look there by itself. */
  readonly next: string;
}

/** Where a shell looks, for this user. @throws Failure `usage` where there is no home folder */
function placeFor(shell: Shell, { env }: Context): Place {
  const home = env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  if (!home || !path.isAbsolute(home))
    throw usage('there is no home folder to write to', `print it instead: svc completion ${shell}`);
  const xdg = (name: string, ...otherwise: string[]) => {
    const given = env[name];
    return given && path.isAbsolute(given) ? given : path.join(home, ...otherwise);
  };
  const data = xdg('XDG_DATA_HOME', '.local', 'share');
  const config = xdg('XDG_CONFIG_HOME', '.config');
  switch (shell) {
    case 'bash': {
      const file = path.join(data, 'bash-completion', 'completions', 'svc');
      return {
        file,
        next: `bash-completion finds it in the next shell; without that package add to ~/.bashrc: source '${file}'`,
      };
    }
    case 'zsh': {
      const file = path.join(data, 'zsh', 'site-functions', '_svc');
      return { file, next: `in ~/.zshrc, before compinit: fpath+=('${path.dirname(file)}')` };
    }
    case 'fish':
      return {
        file: path.join(config, 'fish', 'completions', 'svc.fish'),
        next: 'fish finds it in the next shell',
      };
    case 'powershell': {
      const folder =
        process.platform === 'win32'
          ? path.join(home, 'Documents', 'PowerShell')
          : path.join(config, 'powershell');
      const file = path.join(folder, 'svc-completion.ps1');
      return { file, next: `in your $PROFILE: . '${file}'` };
    }
  }
}

function shellOf(typed: string | undefined, { env }: Context): Shell {
  const name = typed ?? (process.platform === 'win32' ? 'powershell' : path.basename(env['SHELL'] ?? ''));
  const shell = shells.find((one) => one === name || (one === 'powershell' && name === 'pwsh'));
  if (shell) return shell;
  throw usage(
    typed === undefined
      ? 'which shell is yours is not known'
      : `there is no completion for ${JSON.stringify(typed)}`,
    [...suggest(typed ?? '', shells), `svc completion install ${shells.join('|')}`],
  );
}

async function install(
  { words, options }: CommandLine,
  context: Context,
  services: Services,
): Promise<ExitCode> {
  const shell = shellOf(words[0], context);
  const { file, next } = placeFor(shell, context);
  const old = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (old !== undefined && !old.includes(mark))
    throw new Failure('internal', `${file} is there already, and not from svc completion`, {
      hint: 'move it away first',
    });
  const what = `${old === undefined ? 'write' : 'replace'} the completion for ${shell}: ${file}`;
  await agree(context, options, what);
  makeFolder(path.dirname(file));
  await writeFile(file, await scriptFor(shell, services));
  if (options.quiet !== true)
    context.stderr.write(`svc: ${old === undefined ? 'written' : 'replaced'}: ${file}\nsvc: ${next}\n`);
  return 0;
}

/** How a shell takes the script for as long as it runs. */
const now: Readonly<Record<Shell, string>> = {
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
        doc: `For this shell alone: ${now[shell]}. For good: svc completion install ${shell}.`,
        flags: {},
        examples: [{ does: 'Print it', run: `completion ${shell}` }],
        async run(_, context, services) {
          context.stdout.write(await scriptFor(shell, services));
          return 0;
        },
      }),
    ),
    command({
      name: 'install',
      args: `[${shells.join('|')}]`,
      summary: 'Put the script where your shell looks for it',
      doc: 'Says which file it will write, and asks. No other file is touched: what a start-up file of your shell still wants is told, and left to you. Without an argument it is the shell that SHELL names.',
      flags: sharedFlags('yes', 'no-input', 'quiet'),
      examples: [{ does: 'For zsh, without being asked', run: 'completion install zsh --yes' }],
      run: install,
    }),
  ],
  doc: 'Commands, flags and choices complete with no process started. Branches, variables, jobs, profiles, and projects that you worked with are asked for by a hidden command, in less than a second or not at all.',
} satisfies Builtin;
