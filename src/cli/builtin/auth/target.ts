/** The service and the profile of a login. */
import { originOf } from '../../../config/credentials.ts';
import { pathsOf, variable } from '../../../config/paths.ts';
import { checkProfileName, type Profiles, readProfiles } from '../../../config/profiles.ts';
import { Failure, usage } from '../../../errors.ts';
import { apiRoot } from '../../../spec/request.ts';
import type { Context } from '../../context.ts';
import { loadSettings } from '../../session/settings.ts';
import { ask, canPrompt } from '../../terminal/prompt.ts';
import type { LoginOptions } from './read-token.ts';
import { tellProblem } from './tell.ts';

export interface LoginTarget {
  /** The root of the API. */
  readonly root: string;
  readonly profile: string;
  /** Whether a flag or variable names the profile. */
  readonly isNamed: boolean;
  /** The source of the base URL if the user did not type it. */
  readonly from?: string;
}

/** Times that a prompt is repeated after an invalid value. */
export const maxAttempts = 3;

/**
 * Choose the service and the profile of a login.
 * @param typed the host or URL on the command line
 * @throws Failure `usage` if no service is given and prompts are not possible
 */
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
  const given = await chooseRoot(typed, options, context, named);
  return {
    ...given,
    profile: named ?? profileFor(profiles, originOf(given.root) ?? ''),
    isNamed: named !== undefined,
  };
}

async function chooseRoot(
  typed: string | undefined,
  options: LoginOptions,
  context: Context,
  named: string | undefined,
): Promise<{ root: string; from?: string }> {
  if (typed !== undefined) return { root: rootOf(typed, '<host>') };
  const { baseUrl } = loadSettings({ ...options, profile: named }, context, undefined, { newProfile: true });
  if (baseUrl) {
    const root = apiRoot(baseUrl.value, baseUrl.from);
    return baseUrl.source === 'flag' ? { root } : { root, from: baseUrl.from };
  }
  if (!canPrompt(context, options))
    throw usage('no base URL is set', 'use svc login <host> or --base-url https://host.example');
  for (let attempt = 1; ; attempt += 1) {
    const answer = (await ask(context, 'Host or URL of the service: ')).trim();
    try {
      return { root: rootOf(answer, 'the answer') };
    } catch (error) {
      if (!(error instanceof Failure) || attempt === maxAttempts) throw error;
      tellProblem(context, error.message, 'Try again.');
    }
  }
}

/** @throws Failure `usage` for a text that is neither a URL nor a host name; it may be a token, so the message does not repeat it */
function rootOf(text: string, title: string): string {
  if (!/[.:]|^localhost$/i.test(text))
    throw usage(`${title} is not a host name such as host.example`, [
      'for a host name without a dot, give the URL: https://<name>',
      'svc prompts for the token, or reads it with --token-file <path>',
    ]);
  return apiRoot(text, title);
}

/**
 * Return the profile for a service if none is named: the current one if it is for this service or for none yet, another profile for
 * this service, or a new one.
 */
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
