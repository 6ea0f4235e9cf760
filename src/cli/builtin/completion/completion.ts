/** `svc completion`: print or install the completion script of a shell. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import zsh from '../../../../completions/_svc' with { type: 'text' };
import bash from '../../../../completions/svc.bash' with { type: 'text' };
import fish from '../../../../completions/svc.fish' with { type: 'text' };
import powershell from '../../../../completions/svc.ps1' with { type: 'text' };
import { type Env, type Paths, pathsOf } from '../../../config/paths.ts';
import { Failure, unusable, usage } from '../../../errors.ts';
import { replaceFile } from '../../../support/atomic-write.ts';
import { errorCode } from '../../../support/errno.ts';
import { makeFolder } from '../../../support/own-files.ts';
import { shellQuote } from '../../../support/shell.ts';
import { suggest } from '../../../support/suggest.ts';
import { platform as current } from '../../../support/system/platform.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { confirmChange } from '../../terminal/log.ts';
import { confirmAction } from '../../terminal/prompt.ts';
import { type Builtin, command } from '../define.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

interface ShellFacts {
  readonly script: string;
  readonly load: string;
  readonly file: (bases: NonNullable<Paths['shells']>, platform: NodeJS.Platform) => readonly string[];
  readonly next: (file: string) => string;
}

const shellFacts: Readonly<Record<Shell, ShellFacts>> = {
  bash: {
    script: bash,
    load: 'source <(svc completion bash)',
    file: ({ data }) => [data, 'bash-completion', 'completions', 'svc'],
    next: (file) =>
      `start a new shell; without the package bash-completion, add to ~/.bashrc: source ${shellQuote(file)}`,
  },
  zsh: {
    script: zsh,
    load: 'source <(svc completion zsh)',
    file: ({ data }) => [data, 'zsh', 'site-functions', '_svc'],
    next: (file) => `add to ~/.zshrc, before compinit: fpath+=(${shellQuote(path.dirname(file))})`,
  },
  fish: {
    script: fish,
    load: 'svc completion fish | source',
    file: ({ config }) => [config, 'fish', 'completions', 'svc.fish'],
    next: () => 'start a new shell',
  },
  powershell: {
    script: powershell,
    load: 'svc completion powershell | Out-String | Invoke-Expression',
    file: ({ home, config }, platform) => [
      ...(platform === 'win32' ? [home, 'Documents', 'PowerShell'] : [config, 'powershell']),
      'svc-completion.ps1',
    ],
    next: (file) => `add to your $PROFILE: . '${file.replaceAll("'", "''")}'`,
  },
};

/** Return the completion file of a shell for this user. @throws Failure `usage` without a home directory */
export function fileOf(shell: Shell, env: Env, platform: NodeJS.Platform = current): string {
  const { shells: bases } = pathsOf(env, platform);
  if (!bases) throw usage('no home directory', `print the script instead: svc completion ${shell}`);
  return (platform === 'win32' ? path.win32 : path.posix).join(...shellFacts[shell].file(bases, platform));
}

/** Return the name of the program in SHELL, which Git Bash sets on Windows too; without it, PowerShell on Windows. */
export function userShell(env: Env, platform: NodeJS.Platform = current): string {
  const shell = path.basename((env['SHELL'] ?? '').replaceAll('\\', '/')).replace(/\.exe$/i, '');
  return shell === '' && platform === 'win32' ? 'powershell' : shell;
}

/** Read a completion file, if there is one. `isOurs`: svc wrote it, as the first lines of each script state. */
function readScript(file: string): { readonly text: string; readonly isOurs: boolean } | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, isOurs: text.split('\n', 3).join().includes('Printed by svc completion') };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw unusable('a file', error);
  }
}

function shellOf(typed: string | undefined, { env }: Context): Shell {
  const name = typed ?? userShell(env);
  const shell = shells.find((one) => one === name || (one === 'powershell' && name === 'pwsh'));
  if (shell) return shell;
  throw usage(
    typed === undefined ? 'cannot detect your shell' : `no completion for ${JSON.stringify(typed)}`,
    [...suggest(typed ?? '', shells), `use svc completion install ${shells.join('|')}`],
  );
}

type Line = CommandLine<Pick<Options, 'dryRun' | 'yes' | 'noInput' | 'quiet'>>;

async function install({ words, options }: Line, context: Context): Promise<ExitCode> {
  const shell = shellOf(words[0], context);
  const file = fileOf(shell, context.env);
  const { script, next } = shellFacts[shell];
  const present = readScript(file);
  if (present?.isOurs === false)
    throw new Failure('internal', `${file} already exists and is not from svc`, {
      hint: 'move the file away and try again',
    });
  const action = present === undefined ? 'write' : present.text === script ? 'keep' : 'replace';
  if (options.dryRun === true) {
    context.stdout.write(`${action} ${file}\n`);
    return 0;
  }
  if (action !== 'keep') {
    await confirmAction(context, options, `${action} the ${shell} completion in ${file}`);
    try {
      makeFolder(path.dirname(file));
      await replaceFile(file, (handle) => handle.writeFile(script), { mode: 0o644 });
    } catch (error) {
      throw unusable('the completion folder', error, `print the script instead: svc completion ${shell}`);
    }
  }
  const done = { write: 'Wrote', replace: 'Replaced', keep: 'Up to date:' };
  const text = [`${done[action]} the ${shell} completion in ${file}`, `Next step: ${next(file)}`];
  return confirmChange(context, options, text);
}

async function uninstall({ words, options }: Line, context: Context): Promise<ExitCode> {
  const chosen = words[0] === undefined ? shells : [shellOf(words[0], context)];
  const files = chosen
    .map((shell) => fileOf(shell, context.env))
    .filter((file) => readScript(file)?.isOurs === true);
  if (options.dryRun === true) {
    context.stdout.write(files.map((file) => `remove ${file}\n`).join(''));
    return 0;
  }
  if (files.length > 0) await confirmAction(context, options, `remove ${files.join(' and ')}`);
  try {
    for (const file of files) rmSync(file);
  } catch (error) {
    throw unusable('the completion folder', error, 'delete the file yourself');
  }
  const none = `svc installed no ${words[0] === undefined ? '' : `${chosen[0]} `}completion`;
  const removed = [
    ...files.map((file) => `Removed ${file}`),
    'If a start-up file of your shell loads it, remove that line too',
  ];
  return confirmChange(context, options, files.length > 0 ? removed : none);
}

const changing = {
  'dry-run': { doc: 'Print what would change; change nothing' },
  ...sharedFlags('yes', 'no-input', 'quiet'),
} as const;

export const completion: Builtin = {
  commands: [
    ...shells.map((shell) =>
      command({
        name: shell,
        summary: `Print the script for ${shell === 'powershell' ? 'PowerShell' : shell}`,
        doc: `To load it in the current shell: ${shellFacts[shell].load}. To install it permanently: svc completion install ${shell}.`,
        flags: {},
        examples: { 'Print the script': `completion ${shell}` },
        async run(_, context) {
          context.stdout.write(shellFacts[shell].script);
          return 0;
        },
      }),
    ),
    command({
      name: 'install',
      args: `[${shells.join('|')}]`,
      summary: 'Install the completion script of a shell',
      doc: 'Asks before it writes the file. If your shell needs a line in a start-up file, prints that line. The default is the shell in the variable SHELL.',
      flags: changing,
      examples: {
        'Install for zsh without a prompt': 'completion install zsh --yes',
        'Print the path of the file that would be written': 'completion install zsh --dry-run',
      },
      run: install,
    }),
    command({
      name: 'uninstall',
      args: `[${shells.join('|')}]`,
      summary: 'Remove the completion scripts that svc completion install wrote',
      doc: 'Removes the scripts of all shells, or only that of the shell in the argument.',
      flags: changing,
      examples: {
        'Remove the scripts of all shells without a prompt': 'completion uninstall --yes',
        'Remove only the script for zsh': 'completion uninstall zsh --yes',
      },
      run: uninstall,
    }),
  ],
  doc: 'Completes commands, flags and choices, and values of the service: ids with their descriptions, branches, variables and users. Values of the last day are offered at once, and fetched again in the background. Without them, the service has 0.8 seconds to respond.',
};
