/** The service, the profile and the token of a login, from the command line, the settings or prompts. */
import { join, resolve } from 'node:path';
import { originOf } from '../../../config/credentials.ts';
import { pathsOf, variable } from '../../../config/paths.ts';
import { checkProfileName, type Profiles, readProfiles } from '../../../config/profiles.ts';
import { Failure, tooLarge, usage } from '../../../errors.ts';
import { apiRoot } from '../../../spec/request.ts';
import { collect } from '../../../support/bytes.ts';
import { printable } from '../../../support/text/printable.ts';
import type { Options } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import { loadSettings } from '../../session/settings.ts';
import { ask, canPrompt, type PromptOptions } from '../../terminal/prompt.ts';

export interface LoginOptions extends Options {
  readonly tokenStdin?: true | undefined;
  readonly project?: string | undefined;
}

export interface LoginTarget {
  readonly root: string;
  readonly profile: string;
  /** Whether a flag or variable names the profile. */
  readonly isNamed: boolean;
  /** The source of the base URL if the user did not type it. */
  readonly from: string | undefined;
}

/** Print lines for the user at a prompt. */
export function printLines({ stderr }: Context, ...lines: readonly string[]): void {
  for (const line of lines) stderr.write(`${printable(line)}\n`);
}

interface Asked extends PromptOptions {
  /** Advice to the user after an answer that is not accepted. */
  readonly advice: string;
  readonly attempts?: number;
}

/** Prompt until `accept` does not throw a failure that another answer can prevent. @throws the failure of the last attempt */
export async function askUntil<T>(
  context: Context,
  question: string,
  { advice, attempts = 3, ...options }: Asked,
  accept: (answer: string) => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = (await ask(context, question, options)).trim();
    try {
      return await accept(answer);
    } catch (error) {
      const isOfAnswer = error instanceof Failure && ['usage', 'auth', 'not_found'].includes(error.kind);
      if (!isOfAnswer || attempt >= attempts) throw error;
      const { message } = error;
      printLines(context, `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${advice}`);
    }
  }
}

/** Choose the service and the profile of a login. @param typed the host or URL on the command line */
export async function findTarget(
  typed: string | undefined,
  options: LoginOptions,
  context: Context,
): Promise<LoginTarget> {
  const named = options.profile ?? variable(context.env, 'SVC_PROFILE');
  if (named !== undefined) checkProfileName(named);
  if (typed !== undefined && options.baseUrl !== undefined)
    throw usage('<host> and --base-url cannot be used together', 'use one of them');
  const profiles = readProfiles(pathsOf(context.env));
  const own = { ...options, profile: named };
  const set =
    typed === undefined ? loadSettings(own, context, undefined, { newProfile: true }).baseUrl : undefined;
  const root = set ? apiRoot(set.value, set.from) : await readRoot(typed, options, context);
  const profile = named ?? profileFor(profiles, originOf(root) ?? '');
  const from = set?.source === 'flag' ? undefined : set?.from;
  return { root, profile, isNamed: named !== undefined, from };
}

async function readRoot(typed: string | undefined, options: LoginOptions, context: Context): Promise<string> {
  if (typed !== undefined) return rootOf(typed, '<host>');
  if (!canPrompt(context, options))
    throw usage('no base URL is set', 'use svc login <host> or --base-url https://host.example');
  return askUntil(context, 'Host or URL of the service: ', { advice: 'Try again.' }, (answer) =>
    rootOf(answer, 'the answer'),
  );
}

/** @throws Failure `usage` for a text that is neither a URL nor a host name; it may be a token, so the message does not repeat it */
function rootOf(text: string, title: string): string {
  if (/[.:]|^localhost$/i.test(text)) return apiRoot(text, title);
  throw usage(`${title} is not a host name such as host.example`, [
    'for a host name without a dot, give the URL: https://<name>',
    'svc prompts for the token, or reads it with --token-file <path>',
  ]);
}

/** The profile if none is named: the current one if it is for this service or for none yet, another one for it, or a new one. */
function profileFor({ current, profiles }: Profiles, origin: string): string {
  const serverOf = (name: string) => originOf(profiles[name]?.base_url);
  if (current !== undefined && [undefined, origin].includes(serverOf(current))) return current;
  const names = Object.keys(profiles);
  const known = names.find((name) => serverOf(name) === origin);
  if (known !== undefined) return known;
  if (names.length === 0) return 'default';
  const { host, protocol } = new URL(origin);
  const name = host.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 56);
  return protocol === 'https:' ? name : `http-${name}`;
}

/** Whether the token is typed at a prompt. */
export function isPrompted(context: Context, options: LoginOptions): boolean {
  return options.tokenStdin !== true && options.tokenFile === undefined && canPrompt(context, options);
}

const tokenLimit = 64 * 1024;

/** Read the token of a login without prompts. @throws Failure `usage` if no source is given */
export async function readToken(context: Context, { tokenStdin, tokenFile }: LoginOptions): Promise<string> {
  if (tokenStdin === true || tokenFile === '-') {
    const flag = tokenStdin === true ? '--token-stdin' : '--token-file';
    const bytes = await collect(context.stdin, tokenLimit, () => tooLarge(flag, tokenLimit));
    return bytes.toString('utf8').trim();
  }
  if (tokenFile === undefined)
    throw usage('no token given and prompts are disabled', 'use --token-stdin or --token-file <path>');
  const { readSource, tokenOfFile } = await import('../../../config/credentials.ts');
  const source = tokenOfFile(resolve(context.cwd, tokenFile), '--token-file');
  const { token, warnings } = await readSource(source);
  printLines(context, ...warnings.map((warning) => `warning: ${warning}`));
  return token;
}

export async function printTokenPage(context: Context, root: string): Promise<void> {
  const { origin, hostname } = new URL(root);
  const { state } = pathsOf(context.env);
  if (hostname === '127.0.0.1' && state !== undefined) {
    const { readAllRunning } = await import('../sandbox/running.ts');
    const all = await readAllRunning(join(state, 'sandbox'));
    if (all.some(({ url }) => url === origin))
      return printLines(context, 'This is your sandbox. To see its tokens: svc sandbox status');
  }
  // Services of this family share the page.
  const page = `${root.replace(/\/api\/v4$/, '')}/-/user_settings/personal_access_tokens?name=svc&scopes=api`;
  printLines(
    context,
    'Create an access token with the scope api on this page:',
    `  ${page}`,
    'If there is no such page, look for access tokens in your account settings.',
  );
}
