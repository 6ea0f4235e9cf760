import { once } from 'node:events';
import { promises } from 'node:fs';
import { Failure, forPerson, tooLarge, usage } from '../errors.ts';
import { collect, openInput } from '../support/bytes.ts';
import { attempt, errnoText } from '../support/errno.ts';
import { quotedWord } from '../support/mask.ts';
import { checkOwnFile } from '../support/own-files.ts';
import { platform } from '../support/system/platform.ts';
import { originIn, withScheme } from '../support/url.ts';
import { type Env, pathsOf, variable } from './paths.ts';
import { accessProblem, type Profiles } from './profiles.ts';
import { type Profile, type Settings, type Source, sources, type TokenSource } from './setting-table.ts';

export type Credential = NonNullable<Awaited<ReturnType<typeof credentialFor>>>;

export interface TokenRequest {
  /** The origin of the base URL: `https://host:8443`. */
  readonly origin: string;
  /** The kind of token that the endpoint accepts, if it accepts only one. */
  readonly only?: 'access' | 'job' | undefined;
  readonly signal?: AbortSignal;
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
export async function credentialFor(settings: Settings, request: TokenRequest) {
  const isBearer = settings.auth?.value === 'bearer';
  for (const kind of order(settings, request.only)) {
    const source = kind === 'job' ? settings.jobToken : settings.accessToken;
    if (!source || !isFor(source, request.origin)) continue;
    const found = await readSource(source, request.signal);
    const name = kind === 'job' ? 'job-token' : 'private-token';
    const header = isBearer ? ['authorization', `Bearer ${found.token}`] : [name, found.token];
    return {
      ...found,
      /** `bearer` is an access token in an Authorization header. */
      kind: isBearer && kind === 'access' ? ('bearer' as const) : kind,
      header: header as [name: string, value: string],
      from: source.from,
      owner: source.owner,
    };
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
    return whyWithheld(source, request.origin);
  });
}

/** Return the reason why a token is not sent to this origin, if it is not. */
export function whyWithheld(source: TokenSource | undefined, origin: string): string[] {
  if (!source || isFor(source, origin)) return [];
  if (source.origin !== undefined)
    return [`the token from ${source.from} is for ${source.origin} and is not sent to ${origin}`];
  const names = source.source === 'pipeline' ? ' without CI_API_V4_URL and CI_SERVER_URL' : '';
  return [`the token from ${source.from} is not sent: its server is unknown${names}`];
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
  return originIn(withScheme(given ?? '')) || undefined;
}

/** A token that is known. @param server the URL of the only server that receives it */
export function tokenOf(token: string, source: Source, from: string, server?: string): TokenSource {
  const bound = server === undefined ? {} : { origin: originOf(server) };
  return { source, from, known: () => token, read: async () => token, ...bound };
}

/** The token in a variable, if it is set. @param server the URL of the only server that receives it */
export function tokenOfVariable(env: Env, name: string, source: Source = 'environment', server?: string) {
  const token = variable(env, name);
  return token === undefined ? undefined : tokenOf(token, source, name, server);
}

/** A token in a file, without the line break at its end. */
export function tokenOfFile(file: string, from: string): TokenSource {
  const warnings: string[] = [];
  const read = async () => {
    try {
      const stat = await promises.stat(file);
      // Other users cannot read a pipe, such as `<(...)`.
      const problem = stat.isFile() ? accessProblem(file, stat) : undefined;
      if (problem) warnings.push(problem.join('; run: '));
      const bytes = await collect(await openInput(file), tokenLimit, () => tooLarge(from, tokenLimit));
      return bytes.toString('utf8').replace(/\r?\n$/, '');
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw usage(
        `${from}: cannot read ${quotedWord(file)}: ${errnoText(error)}`,
        forPerson('the file must contain the token and nothing else; or set SVC_TOKEN'),
      );
    }
  };
  return { source: 'flag', from, read, warnings };
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
  const owner = { ...(user && { user }), ...(scopes && { scopes: scopes.split(',') }) };
  if (token) return { ...tokenOf(token, 'profile', title), ...bound, ...(user || scopes ? { owner } : {}) };
  if (command) {
    const from = `${title} (token_command)`;
    const read = async (signal?: AbortSignal) => {
      checkCommandFile(pathsOf(env).profiles, file, from);
      return runTokenCommand(command, env, from, { signal });
    };
    return { ...bound, from, read };
  }
  if (!name) return undefined;
  const known = () => variable(env, name);
  const read = async () => {
    const value = known();
    if (value === undefined) throw usage(`${title} reads its token from ${name}, which is not set`);
    return value;
  };
  return { ...bound, from: `${title} (token_env ${name})`, known, read };
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

/**
 * Read a token.
 * @throws Failure `usage` if it cannot be read, or contains characters that a header cannot carry: control characters, and those beyond
 *   Latin-1
 */
export async function readSource(source: TokenSource, signal?: AbortSignal) {
  const { from, warnings = [] } = source;
  const token = await source.read(signal);
  if (token === '') throw usage(`the token from ${from} is empty`);
  if (!/^[\x20-\x7e\xa0-\xff]*$/.test(token))
    throw usage(
      `the token from ${from} contains a character that HTTP headers do not allow`,
      'copy the token again, without any text around it',
    );
  return { token, warnings };
}

/**
 * Run a shell command and return its trimmed output. At the time limit in milliseconds, and when the signal is aborted, all its processes
 * are ended.
 * @throws Failure `usage`, without the output, if the command fails, takes too long or prints too much
 */
export async function runTokenCommand(
  command: string,
  env: Env,
  from: string,
  { limit = commandLimit, signal }: { limit?: number; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  if (command.includes('\0')) throw usage(`${from} contains a NUL character`);
  const { spawn } = await import('node:child_process');
  // A group of its own, so that the processes that the shell starts can be ended with it.
  const detached = platform !== 'win32';
  const child = spawn(command, {
    shell: true,
    env,
    detached,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const kill = () => {
    // It fails if all its processes have ended.
    attempt(() => (detached && child.pid ? process.kill(-child.pid, 'SIGKILL') : child.kill('SIGKILL')));
    child.stdout.destroy();
  };
  const fail = (problem: string) =>
    usage(
      `${from} ${problem}`,
      'run the command on its own to see its output; svc runs it without a terminal',
    );
  const tooLong = AbortSignal.timeout(limit);
  const stops = [tooLong, ...(signal ? [signal] : [])];
  for (const stop of stops) stop.addEventListener('abort', kill);
  try {
    const output = collect(child.stdout, tokenLimit, () => fail('printed too much to be a token'));
    const [text, [code, by]] = await Promise.all([output, once(child, 'close')]);
    if (code !== 0) throw fail(code === null ? `was killed by ${by}` : `failed with exit code ${code}`);
    return text.toString('utf8').trim();
  } catch (error) {
    kill();
    if (signal?.aborted) throw signal.reason;
    if (tooLong.aborted) throw fail(`took longer than ${limit / 1000} s`);
    throw error instanceof Failure ? error : fail(`cannot be run: ${errnoText(error)}`);
  } finally {
    for (const stop of stops) stop.removeEventListener('abort', kill);
  }
}
