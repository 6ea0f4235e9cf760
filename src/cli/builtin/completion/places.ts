/** The files that shells load completion scripts from. */
import path from 'node:path';
import { basesOf, type Env } from '../../../config/paths.ts';
import { usage } from '../../../errors.ts';
import { platform as current } from '../../../support/system/platform.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** Identifies files that svc wrote. */
export const mark = 'Printed by svc completion';

export interface Place {
  readonly file: string;
  /** The next step for the user. */
  readonly next: string;
}

/** The path of a script in a folder of shared data, such as `/usr/share`, into which packages install it. */
export const sharedPaths: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['bash-completion/completions/svc'],
  zsh: ['zsh/site-functions/_svc', 'zsh/vendor-completions/_svc'],
  fish: ['fish/vendor_completions.d/svc.fish'],
  powershell: [],
};

/** Return the completion file of a shell for this user. @throws Failure `usage` without a home directory */
export function placeOf(shell: Shell, env: Env, platform: NodeJS.Platform = current): Place {
  const bases = basesOf(env, platform);
  if (!bases) throw usage('no home directory', `print the script instead: svc completion ${shell}`);
  const { join, dirname } = platform === 'win32' ? path.win32 : path.posix;
  const { home, data, config } = bases;
  switch (shell) {
    case 'bash': {
      const file = join(data, 'bash-completion', 'completions', 'svc');
      return {
        file,
        next: `start a new shell; without the package bash-completion, add to ~/.bashrc: source '${file}'`,
      };
    }
    case 'zsh': {
      const file = join(data, 'zsh', 'site-functions', '_svc');
      return { file, next: `add to ~/.zshrc, before compinit: fpath+=('${dirname(file)}')` };
    }
    case 'fish':
      return {
        file: join(config, 'fish', 'completions', 'svc.fish'),
        next: 'start a new shell',
      };
    case 'powershell': {
      const [base, folder] =
        platform === 'win32' ? [join(home, 'Documents'), 'PowerShell'] : [config, 'powershell'];
      const file = join(base, folder, 'svc-completion.ps1');
      return { file, next: `add to your $PROFILE: . '${file}'` };
    }
  }
}

/** Return the name of the program in SHELL, which Git Bash sets on Windows too; without it, PowerShell on Windows. */
export function userShell(env: Env, platform: NodeJS.Platform = current): string {
  const shell = path.basename((env['SHELL'] ?? '').replaceAll('\\', '/')).replace(/\.exe$/i, '');
  return shell === '' && platform === 'win32' ? 'powershell' : shell;
}
