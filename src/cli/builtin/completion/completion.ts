/** `svc completion`: print or install the completion script of a shell. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { Failure, unusable, usage } from '../../../errors.ts';
import { replaceFile } from '../../../support/atomic-write.ts';
import { makeFolder } from '../../../support/own-files.ts';
import { suggest } from '../../../support/suggest.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { confirmChange } from '../../terminal/log.ts';
import { confirmAction } from '../../terminal/prompt.ts';
import { type Builtin, command } from '../define.ts';
import { fileOf, readScript, type Shell, shellFacts, shells, userShell } from './places.ts';

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
  confirmChange(context, options, text);
  return 0;
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
  confirmChange(context, options, files.length > 0 ? files.map((file) => `Removed ${file}`) : none);
  return 0;
}

const changing = {
  'dry-run': { doc: 'Print the file; change nothing' },
  ...sharedFlags('yes', 'no-input', 'quiet'),
} as const;

export default {
  commands: [
    ...shells.map((shell) =>
      command({
        name: shell,
        args: '',
        summary: `Print the script for ${shell === 'powershell' ? 'PowerShell' : shell}`,
        doc: `To load it in the current shell: ${shellFacts[shell].load}. To install it permanently: svc completion install ${shell}.`,
        flags: {},
        examples: [{ does: 'Print the script', run: `completion ${shell}` }],
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
