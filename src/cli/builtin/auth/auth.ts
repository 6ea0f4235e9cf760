import { resolve } from 'node:path';
import { whyNoCredential } from '../../../config/credentials.ts';
import { pathsOf, variable } from '../../../config/paths.ts';
import { readProfiles } from '../../../config/profiles.ts';
import { Failure, tooLarge, usage } from '../../../errors.ts';
import type { Access } from '../../../spec/endpoint.ts';
import { apiRoot } from '../../../spec/request.ts';
import { collect } from '../../../support/bytes.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { sendRequest } from '../../call/call.ts';
import { printValue } from '../../call/print.ts';
import { readObject } from '../../call/read-body.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';
import { openSession } from '../../session/session.ts';
import { loadSettings } from '../../session/settings.ts';
import { noteFor } from '../../terminal/log.ts';
import { ask, canAsk } from '../../terminal/prompt.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { ownerIn, ownerPath } from './token-owner.ts';

/** What the service says of the one who asks. */
interface Identity {
  readonly who: string;
  /** What the token can't do, where it was let in only so far. */
  readonly note?: string;
}

/**
 * Ask the service who a token belongs to: the user of an access token, the job of a job token.
 * A service that has no such page, or a token that may not see it, is asked for what any user may read.
 * @throws Failure `auth` where the token is refused
 */
async function identify(session: Session, access: Access): Promise<Identity> {
  const client = await session.client(access);
  const fetchOne = async (path: string) => {
    const request = { method: 'GET', url: `${session.root()}${path}`, headers: [] };
    return (await readObject(await sendRequest(client, request))).value;
  };
  const job = access.jobToken === 'only';
  try {
    const who = ownerIn(await fetchOne(ownerPath(job)), job);
    if (who === undefined)
      throw new Failure(
        'server_error',
        'the answer does not say whose token this is: is it the API that answers?',
        {
          exchange: { method: 'GET', url: `${session.root()}${ownerPath(job)}`, status: 200 },
        },
      );
    return { who };
  } catch (error) {
    if (job) throw error;
    const status = error instanceof Failure ? error.exchange?.status : undefined;
    if (status === 403)
      return { who: 'unknown', note: 'the token is known, but may not read who it belongs to' };
    if (status !== 404) throw error;
    await fetchOne('/notification_settings');
    return { who: 'unknown', note: 'the service does not tell whose token this is' };
  }
}

type LoginOptions = Options & { readonly tokenStdin?: true | undefined };

const tokenLimit = 64 * 1024;

async function tokenFrom(context: Context, options: LoginOptions, root: string): Promise<string> {
  if (options.tokenStdin === true) {
    const bytes = await collect(context.stdin, tokenLimit, () => tooLarge('--token-stdin', tokenLimit));
    return bytes.toString('utf8').trim();
  }
  if (typeof options.tokenFile === 'string') {
    const { tokenOfFile } = await import('../../../config/credentials.ts');
    const { token, warnings } = await tokenOfFile(
      resolve(context.cwd, options.tokenFile),
      '--token-file',
    ).read();
    for (const warning of warnings) context.stderr.write(`svc: ${warning}\n`);
    return token;
  }
  if (!canAsk(context, options))
    throw usage('no token was given, and nobody can be asked', 'use --token-stdin or --token-file <path>');
  return (await ask(context, `Token for ${new URL(root).host} (hidden): `, { hidden: true })).trim();
}

async function login(options: LoginOptions, context: Context): Promise<number> {
  const name =
    (options.profile as string | undefined) ??
    context.env['SVC_PROFILE'] ??
    readProfiles(pathsOf(context.env)).current ??
    'default';
  const base = await baseUrlFor(options, context, name);
  const root = apiRoot(base);
  const token = await tokenFrom(context, options, root);
  if (token === '') throw usage('the token is empty; nothing was saved');
  if (/\s/.test(token)) throw usage('the token holds a line break or a space; nothing was saved');
  const job = options.auth === 'job';
  // The session checks the token as any command would use it: from the environment, bound to this server.
  const env = {
    ...context.env,
    SVC_BASE_URL: root,
    SVC_PROFILE: undefined,
    SVC_AUTH: undefined,
    ...(job ? { SVC_JOB_TOKEN: token, SVC_TOKEN: undefined } : { SVC_TOKEN: token }),
  };
  const { profile: _, tokenFile: __, baseUrl: ___, ...rest } = options;
  const session = await openSession(rest, { ...context, env });
  try {
    const identity = await identify(session, job ? { jobToken: 'only' } : {}).catch((error: unknown) => {
      throw error instanceof Failure
        ? error.withHints(`nothing was saved: profile ${name} is as it was`)
        : error;
    });
    const { saveProfile } = await import('../../../config/store.ts');
    const change = {
      base_url: root.replace(/\/api\/v4$/, ''),
      token,
      auth: options.auth as string | undefined,
    };
    await saveProfile(pathsOf(context.env), name, change, { use: true });
    if (identity.note) session.notes.say(identity.note);
    session.notes.say(
      `logged in to ${new URL(root).host} as ${identity.who}; profile ${name} is the current one`,
    );
    return 0;
  } finally {
    await session.close();
  }
}

/** The base URL in force, as any command finds it; that of the profile which is to be made or changed, where that has one. */
async function baseUrlFor(options: Options, context: Context, name: string): Promise<string> {
  const { baseUrl } = loadSettings({ ...options, profile: name }, context, undefined, { newProfile: true });
  if (baseUrl) return baseUrl.value;
  if (!canAsk(context, options))
    throw usage('which service? no base URL is set', 'give --base-url https://host.example');
  return (await ask(context, 'Base URL of the service: ')).trim();
}

export default {
  commands: [
    command({
      name: 'login',
      args: '',
      summary: 'Check a token and keep it in a profile',
      doc: 'The token is asked for without being shown, or read from standard input or a file; never given on the command line. It is checked before it is saved, and is bound to the origin of the base URL: it is sent nowhere else. With --auth job it is checked as a job token.',
      flags: {
        'token-stdin': { doc: 'Read the token from standard input' },
        ...connection,
        ...sharedFlags('no-input', 'quiet'),
      },
      examples: [
        { does: 'On a terminal', run: 'auth login --base-url https://host.example' },
        {
          does: 'In a script',
          run: 'auth login --base-url https://host.example --profile bot --token-file token.txt',
        },
      ],
      run: ({ options }, context) => login(options, context),
    }),
    command({
      name: 'status',
      args: '',
      summary: 'Show which service and token are in force, and whether they work',
      flags: { ...connection, ...printing, ...sharedFlags('sandbox') },
      examples: [{ does: 'Whether all is well', run: 'auth status' }],
      async run({ options }, context) {
        const session = await openSession(options, context);
        try {
          const root = session.root();
          const job: Access = session.settings.auth?.value === 'job' ? { jobToken: 'only' } : {};
          const credential = await session.credential(job);
          if (!credential) {
            throw new Failure('auth', `no token for ${new URL(root).host}`, {
              hint: whyNoCredential(session.settings, { origin: new URL(root).origin }),
            });
          }
          const identity = await identify(session, credential.kind === 'job' ? { jobToken: 'only' } : job);
          await printValue(session, {
            base_url: root,
            profile: session.settings.profile?.value ?? null,
            token: credential.kind,
            token_from: credential.from,
            user: identity.who,
            ...(identity.note ? { note: identity.note } : {}),
          });
          return 0;
        } finally {
          await session.close();
        }
      },
    }),
    command({
      name: 'logout',
      args: '',
      summary: 'Forget the token of a profile; the rest of it stays',
      flags: sharedFlags('profile', 'quiet'),
      examples: [{ does: 'Of the current profile', run: 'auth logout' }],
      async run({ options }, context) {
        const paths = pathsOf(context.env);
        const profiles = readProfiles(paths);
        const name =
          (options.profile as string | undefined) ?? variable(context.env, 'SVC_PROFILE') ?? profiles.current;
        if (name === undefined) throw usage('there is no current profile to log out of');
        const { findProfile } = await import('../../../config/profiles.ts');
        findProfile(profiles, name, '--profile');
        const { saveProfile } = await import('../../../config/store.ts');
        await saveProfile(paths, name, { token: undefined, token_command: undefined, token_env: undefined });
        noteFor(context, options, `profile ${name} holds no token any more; revoke it at the service too`);
        return 0;
      },
    }),
  ],
} satisfies Builtin;
