/** Read the token for a login: from standard input, a file or a hidden prompt. */
import { join, resolve } from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import { tooLarge, usage } from '../../../errors.ts';
import { collect } from '../../../support/bytes.ts';
import { printable } from '../../../support/text/printable.ts';
import type { Options } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import { ask, canPrompt } from '../../terminal/prompt.ts';
import { tokenPage } from './token-page.ts';

/** The options of a login. */
export interface LoginOptions extends Options {
  readonly tokenStdin?: true | undefined;
  readonly project?: string | undefined;
}

const tokenLimit = 64 * 1024;

/** Whether the token is typed at a prompt. */
export function isPrompted(context: Context, options: LoginOptions): boolean {
  return options.tokenStdin !== true && options.tokenFile === undefined && canPrompt(context, options);
}

/** @throws Failure `usage` if no source is given and prompts are not possible */
export async function readToken(context: Context, options: LoginOptions, root: string): Promise<string> {
  if (options.tokenStdin === true || options.tokenFile === '-') {
    const flag = options.tokenStdin === true ? '--token-stdin' : '--token-file';
    const bytes = await collect(context.stdin, tokenLimit, () => tooLarge(flag, tokenLimit));
    return bytes.toString('utf8').trim();
  }
  if (options.tokenFile !== undefined) {
    const { tokenOfFile } = await import('../../../config/credentials.ts');
    const file = tokenOfFile(resolve(context.cwd, options.tokenFile), '--token-file');
    const { token, warnings } = await file.read();
    for (const warning of warnings) context.stderr.write(`warning: ${printable(warning)}\n`);
    return token;
  }
  if (!canPrompt(context, options))
    throw usage('no token given and prompts are disabled', 'use --token-stdin or --token-file <path>');
  return (await ask(context, `Token for ${new URL(root).host} (hidden): `, { hidden: true })).trim();
}

/** Return what is wrong with a token that no service accepts. */
export function problemWith(token: string): string | undefined {
  if (token === '') return 'the token is empty';
  return /\s/.test(token) ? 'the token contains a space or a line break' : undefined;
}

/** Tell the user where to get a token. */
export async function tokenAdvice(context: Context, root: string): Promise<string[]> {
  const { origin, hostname } = new URL(root);
  const { state } = pathsOf(context.env);
  if (hostname === '127.0.0.1' && state !== undefined) {
    const { readAllRunning } = await import('../sandbox/running.ts');
    const all = await readAllRunning(join(state, 'sandbox'));
    if (all.some(({ url }) => url === origin))
      return ['This is your sandbox. To see its tokens: svc sandbox status'];
  }
  return [
    'Create an access token with the scope api on this page:',
    `  ${tokenPage(root)}`,
    'If there is no such page, look for access tokens in your account settings.',
  ];
}
