import fs from 'node:fs';
import { usage } from '../errors.ts';
import { errnoText } from '../support/errno.ts';
import { openInput } from '../support/input.ts';
import type { Env } from './paths.ts';
import { variable } from './paths.ts';
import type { Profile } from './profiles.ts';
import type { Settings, Source } from './settings.ts';

/** A token that can be had, and the server that it is for. */
export interface TokenSource {
  readonly source: Source;
  /** `SVC_TOKEN`, `profile "work" (token_command)`. */
  readonly from: string;
  /** The only origin that may see it; undefined where that is not known and none may; absent where any server in force may. */
  readonly origin?: string | undefined;
  /** @throws Failure `usage` where it can't be had, or can't stand in a header; the message never holds it */
  readonly read: () => Promise<{ readonly token: string; readonly warnings: readonly string[] }>;
}

export interface Credential {
  /** Which token it is; `bearer` is an access token in an Authorization header. */
  readonly kind: 'access' | 'job' | 'bearer';
  readonly header: readonly [name: string, value: string];
  readonly token: string;
  readonly from: string;
  /** What is not as it should be but does not stop the command. */
  readonly warnings: readonly string[];
}

export interface Wanted {
  /** The origin of the base URL in force: `https://host:8443`. */
  readonly origin: string;
  /** The only kind of token that the call takes, where it takes only one. */
  readonly wants?: 'access' | 'job' | undefined;
}

/** Milliseconds that a token command may take. */
const commandLimit = 30_000;
/** Bytes; far beyond any token. */
const tokenLimit = 64 * 1024;

/**
 * The token to send to this origin, read now: a file, a variable, the profile, or what the profile's command prints.
 * @returns undefined where there is none that may go there; `whyNoCredential` says why
 * @throws Failure `usage` where the token can't be had, or can't stand in a header
 */
export async function credentialFor(settings: Settings, wanted: Wanted): Promise<Credential | undefined> {
  for (const kind of order(settings, wanted.wants)) {
    const source = kind === 'job' ? settings.jobToken : settings.accessToken;
    if (!source || !mayGo(source, wanted.origin)) continue;
    const { token, warnings } = await source.read();
    const { from } = source;
    const own = { token, from, warnings };
    if (settings.auth?.value !== 'bearer')
      return { ...own, kind, header: [kind === 'job' ? 'job-token' : 'private-token', token] };
    const header = ['authorization', `Bearer ${token}`] as const;
    return { ...own, kind: kind === 'job' ? 'job' : 'bearer', header };
  }
  return undefined;
}

/** Why each token that was looked for is not sent to this origin, one line each, with what to do about it. */
export function whyNoCredential(settings: Settings, wanted: Wanted): string[] {
  return order(settings, wanted.wants).flatMap((kind) => {
    const source = kind === 'job' ? settings.jobToken : settings.accessToken;
    if (!source) {
      if (kind === 'job' && wanted.wants === 'access') return [];
      return kind === 'job'
        ? 'there is no job token: SVC_JOB_TOKEN gives one'
        : 'there is no access token: svc auth login, SVC_TOKEN or --token-file gives one';
    }
    if (mayGo(source, wanted.origin)) return [];
    return source.origin === undefined
      ? `the token of ${source.from} is sent nowhere: which server it is for is not known`
      : `the token of ${source.from} is for ${source.origin} and is not sent to ${wanted.origin}`;
  });
}

const nearest: readonly Source[] = ['flag', 'environment', 'profile', 'pipeline', 'default'];

/** The kinds of token to try, in turn. The kind that a flag or variable asks for is the only one; a profile's is a wish. */
function order({ auth, accessToken }: Settings, wants: Wanted['wants']): readonly ('access' | 'job')[] {
  const either = wants === 'job' ? (['job', 'access'] as const) : (['access', 'job'] as const);
  if (!auth) return either;
  if (auth.value === 'job') {
    // An access token that was given nearer than the wish for a job token is what is meant.
    if (accessToken && nearest.indexOf(accessToken.source) < nearest.indexOf(auth.source)) return either;
    if (auth.source === 'profile') return wants === 'access' ? either : ['job', 'access'];
    return ['job'];
  }
  return auth.value === 'bearer' || auth.source === 'profile' ? either : ['access'];
}

function mayGo(source: TokenSource, origin: string): boolean {
  return !('origin' in source) || source.origin === origin;
}

/** The origin of a URL as browsers know it; undefined where it is no http(s) URL. */
export function originOf(url: string | undefined): string | undefined {
  const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : undefined;
}

/**
 * A token whose text is known.
 * @param server the URL of the only server that it is for, where one is known
 */
export function tokenOf(token: string, source: Source, from: string, server?: string): TokenSource {
  return {
    source,
    from,
    ...(server === undefined ? {} : { origin: originOf(server) }),
    read: async () => ({ token: checked(token, from), warnings: [] }),
  };
}

/** A token in a file: its text without one line break at the end. */
export function tokenOfFile(file: string, from: string): TokenSource {
  const read = async () => {
    let text = '';
    const warnings: string[] = [];
    try {
      const stat = await fs.promises.stat(file);
      // A pipe, as `<(...)` makes one, is nobody else's to read.
      if (process.platform !== 'win32' && stat.isFile() && (stat.mode & 0o077) !== 0) {
        warnings.push(`${file} is open to other users: chmod 600 ${JSON.stringify(file)}`);
      }
      for await (const chunk of (await openInput(file)).setEncoding('utf8')) {
        text += chunk;
        if (text.length > tokenLimit) break;
      }
    } catch (error) {
      throw usage(`${from}: can't read ${JSON.stringify(file)}: ${errnoText(error)}`);
    }
    if (text.length > tokenLimit) throw usage(`${from}: ${JSON.stringify(file)} is too large to be a token`);
    return { token: checked(text.replace(/\r?\n$/, ''), `${from} ${JSON.stringify(file)}`), warnings };
  };
  return { source: 'flag', from, read };
}

/** The token that a profile holds or tells how to get, bound to the origin that it was stored for. */
export function profileToken(profile: Profile, title: string, env: Env): TokenSource | undefined {
  const bound = { source: 'profile' as const, origin: originOf(profile.origin ?? profile.base_url) };
  const { token, token_command: command, token_env: name } = profile;
  if (token)
    return { ...bound, from: title, read: async () => ({ token: checked(token, title), warnings: [] }) };
  if (command) {
    const from = `${title} (token_command)`;
    return {
      ...bound,
      from,
      read: async () => ({ token: checked(await outputOf(command, env, from), from), warnings: [] }),
    };
  }
  if (!name) return undefined;
  const from = `${title} (token_env ${name})`;
  const read = async () => {
    const value = variable(env, name);
    if (value === undefined) throw usage(`${title} takes its token from ${name}, which is not set`);
    return { token: checked(value, from), warnings: [] };
  };
  return { ...bound, from, read };
}

/** A token that can stand in a header: no control character, nothing beyond Latin-1. */
function checked(token: string, from: string): string {
  if (token === '') throw usage(`the token of ${from} is empty`);
  if (!/^[\x20-\x7e\xa0-\xff]*$/.test(token)) {
    throw usage(
      `the token of ${from} holds a line break, a control character or a letter that no header can carry`,
      'copy it again, without anything around it',
    );
  }
  return token;
}

/**
 * What a shell command prints, trimmed.
 * @param limit milliseconds
 * @throws Failure `usage` where it fails, takes too long or prints too much; never with what it printed
 */
export async function outputOf(
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
      // The shell's own children may hold the pipe open: they are not waited for.
      child.stdout.destroy();
      child.kill('SIGKILL');
      reject(usage(`${from} ${problem}`, 'run the command by itself to see what it says'));
    };
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > tokenLimit) fail('printed too much to be a token');
    });
    child.on('error', (error) => fail(`can't be run: ${errnoText(error)}`));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(text.trim());
      else fail(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`);
    });
  });
}
