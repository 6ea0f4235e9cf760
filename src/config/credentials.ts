import fs from 'node:fs';
import { forPerson, usage } from '../errors.ts';
import { errnoText } from '../support/errno.ts';
import { openInput } from '../support/input.ts';
import { checkOwnFile } from '../support/own-files.ts';
import { shellQuote } from '../support/shell.ts';
import { originIn, parseUrl, withScheme } from '../support/url.ts';
import { type Settings, type Source, sources, type TokenOwner, type TokenSource } from './model.ts';
import { type Env, pathsOf, variable } from './paths.ts';
import { isOpenToOthers, type Profile, type Profiles } from './profiles.ts';

export interface Credential {
  /** The kind of token. `bearer` is an access token in an Authorization header. */
  readonly kind: 'access' | 'job' | 'bearer';
  readonly header: readonly [name: string, value: string];
  readonly token: string;
  readonly from: string;
  readonly owner?: TokenOwner;
  readonly warnings: readonly string[];
}

/** The request that needs a token. */
export interface TokenRequest {
  /** The origin of the base URL: `https://host:8443`. */
  readonly origin: string;
  /** The kind of token that the endpoint accepts, if it accepts only one. */
  readonly only?: 'access' | 'job' | undefined;
}

/** Milliseconds. */
const commandLimit = 30_000;
/** Bytes. */
const tokenLimit = 64 * 1024;

/**
 * Read the token to send to this origin: from a file, a variable, the profile, or the token command of the profile.
 * @returns undefined if there is no token for this origin; `whyNoCredential` gives the reasons
 * @throws Failure `usage` if the token cannot be read or sent in a header
 */
export async function credentialFor(
  settings: Settings,
  request: TokenRequest,
): Promise<Credential | undefined> {
  for (const kind of order(settings, request.only)) {
    const source = kind === 'job' ? settings.jobToken : settings.accessToken;
    if (!source || !isFor(source, request.origin)) continue;
    const { token, warnings } = await source.read();
    const { from, owner } = source;
    const own = { token, from, warnings, ...(owner ? { owner } : {}) };
    if (settings.auth?.value !== 'bearer')
      return { ...own, kind, header: [kind === 'job' ? 'job-token' : 'private-token', token] };
    const header = ['authorization', `Bearer ${token}`] as const;
    return { ...own, kind: kind === 'job' ? 'job' : 'bearer', header };
  }
  return undefined;
}

/** Return the reason why each token is not sent to this origin, one line each. */
export function whyNoCredential(settings: Settings, request: TokenRequest): string[] {
  return order(settings, request.only).flatMap((kind) => {
    const source = kind === 'job' ? settings.jobToken : settings.accessToken;
    if (!source) {
      if (kind === 'job' && request.only === 'access') return [];
      return kind === 'job'
        ? 'no job token: set SVC_JOB_TOKEN'
        : 'no access token: use svc login, SVC_TOKEN or --token-file';
    }
    if (isFor(source, request.origin)) return [];
    return source.origin === undefined
      ? `the token from ${source.from} is not sent: its server is unknown`
      : `the token from ${source.from} is for ${source.origin} and is not sent to ${request.origin}`;
  });
}

/** Return the kinds of token to try, in order. A flag or variable selects one kind; a profile only states a preference. */
function order({ auth, accessToken }: Settings, only: TokenRequest['only']): readonly ('access' | 'job')[] {
  const either = only === 'job' ? (['job', 'access'] as const) : (['access', 'job'] as const);
  if (!auth) return either;
  if (auth.value === 'job') {
    // An access token with higher precedence than the preference for a job token wins.
    if (accessToken && sources.indexOf(accessToken.source) < sources.indexOf(auth.source)) return either;
    if (auth.source === 'profile') return only === 'access' ? either : ['job', 'access'];
    return ['job'];
  }
  return auth.value === 'bearer' || auth.source === 'profile' ? either : ['access'];
}

function isFor(source: TokenSource, origin: string): boolean {
  return !('origin' in source) || source.origin === origin;
}

/** Return the origin of an http or https URL or a host name, or undefined for any other text. */
export function originOf(given: string | undefined): string | undefined {
  const url = given === undefined ? '' : withScheme(given);
  return originIn(parseUrl(url)?.href ?? '') || undefined;
}

/** A token that is known. @param server the URL of the only server that receives it */
export function tokenOf(token: string, source: Source, from: string, server?: string): TokenSource {
  return {
    source,
    from,
    known: () => token,
    ...(server === undefined ? {} : { origin: originOf(server) }),
    read: async () => ({ token: checked(token, from), warnings: [] }),
  };
}

/** A token in a file, without the line break at its end. */
export function tokenOfFile(file: string, from: string): TokenSource {
  const read = async () => {
    let text = '';
    const warnings: string[] = [];
    try {
      const stat = await fs.promises.stat(file);
      // Other users cannot read a pipe, such as `<(...)`.
      if (stat.isFile() && isOpenToOthers(stat.mode))
        warnings.push(`other users can access ${file}; run: chmod 600 ${shellQuote(file)}`);
      for await (const chunk of (await openInput(file)).setEncoding('utf8')) {
        text += chunk;
        if (text.length > tokenLimit) break;
      }
    } catch (error) {
      throw usage(
        `${from}: cannot read ${JSON.stringify(file)}: ${errnoText(error)}`,
        forPerson('the file must contain the token and nothing else; or set SVC_TOKEN'),
      );
    }
    if (text.length > tokenLimit) throw usage(`${from}: ${JSON.stringify(file)} is too large to be a token`);
    return { token: checked(text.replace(/\r?\n$/, ''), `${from} ${JSON.stringify(file)}`), warnings };
  };
  return { source: 'flag', from, read };
}

/** The token of a profile, bound to the origin that it was stored for. */
export function profileToken(
  profile: Profile,
  title: string,
  env: Env,
  file: Profiles['read'],
): TokenSource | undefined {
  const bound = { source: 'profile' as const, origin: originOf(profile.origin ?? profile.base_url) };
  const { token, token_command: command, token_env: name, user, scopes } = profile;
  const owner =
    user === undefined && scopes === undefined
      ? undefined
      : {
          ...(user === undefined ? {} : { user }),
          ...(scopes === undefined ? {} : { scopes: scopes.split(',') }),
        };
  if (token)
    return {
      ...bound,
      from: title,
      known: () => token,
      ...(owner ? { owner } : {}),
      read: async () => ({ token: checked(token, title), warnings: [] }),
    };
  if (command) {
    const from = `${title} (token_command)`;
    return {
      ...bound,
      from,
      read: async () => {
        checkCommandFile(pathsOf(env).profiles, file, from);
        return { token: checked(await runTokenCommand(command, env, from), from), warnings: [] };
      },
    };
  }
  if (!name) return undefined;
  const from = `${title} (token_env ${name})`;
  const read = async () => {
    const value = variable(env, name);
    if (value === undefined) throw usage(`${title} reads its token from ${name}, which is not set`);
    return { token: checked(value, from), warnings: [] };
  };
  return { ...bound, from, known: () => variable(env, name), read };
}

/** @throws Failure `usage` if another user can change the profile file, and so choose a command that this user runs */
function checkCommandFile(file: string | undefined, read: Profiles['read'], from: string): void {
  try {
    if (file !== undefined && read) checkOwnFile(file, read);
  } catch (error) {
    const hint = `${file} and its folders must belong to you or root, and only you may write to them`;
    throw usage(`${from} is not run: ${errnoText(error)}`, hint);
  }
}

/** @throws Failure `usage` for a token that a header cannot carry: control characters, and characters beyond Latin-1 */
function checked(token: string, from: string): string {
  if (token === '') throw usage(`the token from ${from} is empty`);
  if (!/^[\x20-\x7e\xa0-\xff]*$/.test(token)) {
    throw usage(
      `the token from ${from} contains a character that HTTP headers do not allow`,
      'copy the token again, without any text around it',
    );
  }
  return token;
}

/**
 * Run a shell command and return its trimmed output.
 * @param limit milliseconds
 * @throws Failure `usage`, without the output, if the command fails, takes too long or prints too much
 */
export async function runTokenCommand(
  command: string,
  env: Env,
  from: string,
  limit: number = commandLimit,
): Promise<string> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return new Promise<string>((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const timer = setTimeout(() => fail(`took longer than ${limit / 1000} s`), limit);
    const fail = (problem: string) => {
      clearTimeout(timer);
      // Children of the shell can keep the pipe open.
      child.stdout.destroy();
      child.kill('SIGKILL');
      reject(usage(`${from} ${problem}`, 'run the command on its own to see its output'));
    };
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > tokenLimit) fail('printed too much to be a token');
    });
    child.on('error', (error) => fail(`cannot be run: ${errnoText(error)}`));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(text.trim());
      else fail(code === null ? `was killed by ${signal}` : `failed with exit code ${code}`);
    });
  });
}
