/** `svc completion`: print or install the completion script of a shell. */
import zsh from '../../../../completions/_svc' with { type: 'text' };
import bash from '../../../../completions/svc.bash' with { type: 'text' };
import fish from '../../../../completions/svc.fish' with { type: 'text' };
import powershell from '../../../../completions/svc.ps1' with { type: 'text' };
import { usage } from '../../../errors.ts';
import { suggest } from '../../../support/suggest.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { confirmChange } from '../../terminal/log.ts';
import { confirmAction } from '../../terminal/prompt.ts';
import { type Builtin, command } from '../define.ts';
import { changeOf, isManaged, removeManaged, writeManaged } from './managed-file.ts';
import { mark, placeOf, type Shell, shells, userShell } from './places.ts';

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };

function shellOf(typed: string | undefined, { env }: Context): Shell {
  const name = typed ?? userShell(env);
  const shell = shells.find((one) => one === name || (one === 'powershell' && name === 'pwsh'));
  if (shell) return shell;
  throw usage(
    typed === undefined ? 'cannot detect your shell' : `no completion for ${JSON.stringify(typed)}`,
    [...suggest(typed ?? '', shells), `use svc completion install ${shells.join('|')}`],
  );
}

type InstallOptions = Pick<Options, 'dryRun' | 'yes' | 'noInput' | 'quiet'>;

async function install({ words, options }: CommandLine<InstallOptions>, context: Context): Promise<ExitCode> {
  const shell = shellOf(words[0], context);
  const { file, next } = placeOf(shell, context.env);
  const action = await changeOf(file, scripts[shell], mark);
  if (options.dryRun === true) {
    context.stdout.write(`${action} ${file}\n`);
    return 0;
  }
  if (action !== 'keep') {
    await confirmAction(context, options, `${action} the ${shell} completion in ${file}`);
    await writeManaged(file, scripts[shell], `print the script instead: svc completion ${shell}`);
  }
  const done = { write: 'Wrote', replace: 'Replaced', keep: 'Up to date:' };
  confirmChange(context, options, [
    `${done[action]} the ${shell} completion in ${file}`,
    `Next step: ${next}`,
  ]);
  return 0;
}

async function uninstall(
  { words, options }: CommandLine<InstallOptions>,
  context: Context,
): Promise<ExitCode> {
  const chosen = words[0] === undefined ? shells : [shellOf(words[0], context)];
  const files: string[] = [];
  for (const shell of chosen) {
    const { file } = placeOf(shell, context.env);
    if (await isManaged(file, mark)) files.push(file);
  }
  if (options.dryRun === true) {
    context.stdout.write(files.map((file) => `remove ${file}\n`).join(''));
    return 0;
  }
  if (files.length > 0) await confirmAction(context, options, `remove ${files.join(' and ')}`);
  for (const file of files) await removeManaged(file);
  const none = `svc installed no ${words[0] === undefined ? '' : `${chosen[0]} `}completion`;
  confirmChange(context, options, files.length > 0 ? files.map((file) => `Removed ${file}`) : none);
  return 0;
}

const changing = {
  'dry-run': { doc: 'Print the file; change nothing' },
  ...sharedFlags('yes', 'no-input', 'quiet'),
} as const;

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
        async run(_, context) {
          context.stdout.write(scripts[shell]);
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
      examples: [
        { does: 'Install for zsh without a prompt', run: 'completion install zsh --yes' },
        { does: 'Print the file that would be written', run: 'completion install zsh --dry-run' },
      ],
      run: install,
    }),
    command({
      name: 'uninstall',
      args: `[${shells.join('|')}]`,
      summary: 'Remove the completion scripts that svc completion install wrote',
      doc: 'Removes the scripts of all shells, or only that of the shell in the argument.',
      flags: changing,
      examples: [
        { does: 'Remove the scripts of all shells without a prompt', run: 'completion uninstall --yes' },
        { does: 'Remove only the script for zsh', run: 'completion uninstall zsh --yes' },
      ],
      run: uninstall,
    }),
  ],
  doc: 'Completes commands, flags and choices, and values of the service: ids with their descriptions, branches, variables and users. Values of the last day are offered at once, and fetched again in the background. Without them, the service has 0.8 seconds to respond.',
} satisfies Builtin;
