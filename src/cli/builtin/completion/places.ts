/** The shells that svc completes in, and the files that they load the scripts from. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import zsh from '../../../../completions/_svc' with { type: 'text' };
import bash from '../../../../completions/svc.bash' with { type: 'text' };
import fish from '../../../../completions/svc.fish' with { type: 'text' };
import powershell from '../../../../completions/svc.ps1' with { type: 'text' };
import { type Bases, basesOf, type Env } from '../../../config/paths.ts';
import { unusable, usage } from '../../../errors.ts';
import { errorCode } from '../../../support/errno.ts';
import { platform as current } from '../../../support/system/platform.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

interface ShellFacts {
  readonly script: string;
  /** Loads the script into a running shell. */
  readonly load: string;
  /** The folder of the script for one user, and its name. */
  readonly file: (bases: Bases, platform: NodeJS.Platform) => readonly string[];
  /** The next step for the user who installed the script. */
  readonly next: (file: string) => string;
  /** The paths in a folder of shared data, such as `/usr/share`, into which packages install the script. */
  readonly shared: readonly string[];
}

export const shellFacts: Readonly<Record<Shell, ShellFacts>> = {
  bash: {
    script: bash,
    load: 'source <(svc completion bash)',
    file: ({ data }) => [data, 'bash-completion', 'completions', 'svc'],
    next: (file) =>
      `start a new shell; without the package bash-completion, add to ~/.bashrc: source '${file}'`,
    shared: ['bash-completion/completions/svc'],
  },
  zsh: {
    script: zsh,
    load: 'source <(svc completion zsh)',
    file: ({ data }) => [data, 'zsh', 'site-functions', '_svc'],
    next: (file) => `add to ~/.zshrc, before compinit: fpath+=('${file.slice(0, -'/_svc'.length)}')`,
    shared: ['zsh/site-functions/_svc', 'zsh/vendor-completions/_svc'],
  },
  fish: {
    script: fish,
    load: 'svc completion fish | source',
    file: ({ config }) => [config, 'fish', 'completions', 'svc.fish'],
    next: () => 'start a new shell',
    shared: ['fish/vendor_completions.d/svc.fish'],
  },
  powershell: {
    script: powershell,
    load: 'svc completion powershell | Out-String | Invoke-Expression',
    file: ({ home, config }, platform) => [
      ...(platform === 'win32' ? [home, 'Documents', 'PowerShell'] : [config, 'powershell']),
      'svc-completion.ps1',
    ],
    next: (file) => `add to your $PROFILE: . '${file}'`,
    shared: [],
  },
};

/** Return the completion file of a shell for this user. @throws Failure `usage` without a home directory */
export function fileOf(shell: Shell, env: Env, platform: NodeJS.Platform = current): string {
  const bases = basesOf(env, platform);
  if (!bases) throw usage('no home directory', `print the script instead: svc completion ${shell}`);
  return (platform === 'win32' ? path.win32 : path.posix).join(...shellFacts[shell].file(bases, platform));
}

/** Return the name of the program in SHELL, which Git Bash sets on Windows too; without it, PowerShell on Windows. */
export function userShell(env: Env, platform: NodeJS.Platform = current): string {
  const shell = path.basename((env['SHELL'] ?? '').replaceAll('\\', '/')).replace(/\.exe$/i, '');
  return shell === '' && platform === 'win32' ? 'powershell' : shell;
}

/**
 * Read a completion file.
 * @returns its text, and whether svc wrote it, which the first lines of each script state. Undefined if there is none
 * @throws Failure if it cannot be read
 */
export function readScript(file: string): { readonly text: string; readonly isOurs: boolean } | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, isOurs: text.split('\n', 3).join().includes('Printed by svc completion') };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw unusable('a file', error);
  }
}
