import { resolve } from 'node:path';
import { whyNoCredential } from '../../../config/credentials.ts';
import { pathsOf, variable } from '../../../config/paths.ts';
import { findProfile, readProfiles } from '../../../config/profiles.ts';
import { Failure, tooLarge, usage } from '../../../errors.ts';
import { apiRoot } from '../../../spec/request.ts';
import { collect } from '../../../support/bytes.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { printValue } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import { withSession } from '../../session/session.ts';
import { loadSettings } from '../../session/settings.ts';
import { noteFor } from '../../terminal/log.ts';
import { ask, canPrompt } from '../../terminal/prompt.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { findTokenOwner } from './token-owner.ts';

type LoginOptions = Options & { readonly tokenStdin?: true | undefined };

const tokenLimit = 64 * 1024;

async function tokenFrom(context: Context, options: LoginOptions, root: string): Promise<string> {
  if (options.tokenStdin === true) {
    const bytes = await collect(context.stdin, tokenLimit, () => tooLarge('--token-stdin', tokenLimit));
    return bytes.toString('utf8').trim();
  }
  if (options.tokenFile !== undefined) {
    const { tokenOfFile } = await import('../../../config/credentials.ts');
    const { token, warnings } = await tokenOfFile(
      resolve(context.cwd, options.tokenFile),
      '--token-file',
    ).read();
    for (const warning of warnings) context.stderr.write(`warning: ${warning}\n`);
    return token;
  }
  if (!canPrompt(context, options))
    throw usage('no token given and prompts are disabled', 'use --token-stdin or --token-file <path>');
  return (await ask(context, `Token for ${new URL(root).host} (hidden): `, { hidden: true })).trim();
}

async function login(options: LoginOptions, context: Context): Promise<number> {
  const name =
    options.profile ?? context.env['SVC_PROFILE'] ?? readProfiles(pathsOf(context.env)).current ?? 'default';
  const base = await baseUrlFor(options, context, name);
  const root = apiRoot(base);
  const token = await tokenFrom(context, options, root);
  if (token === '') throw usage('the token is empty; profile not changed');
  if (/\s/.test(token)) throw usage('the token contains a space or a line break; profile not changed');
  const isJob = options.auth === 'job';
  // The session uses the token as any command would: from the environment, for this server only.
  const env = {
    ...context.env,
    SVC_BASE_URL: root,
    SVC_PROFILE: undefined,
    SVC_AUTH: undefined,
    ...(isJob ? { SVC_JOB_TOKEN: token, SVC_TOKEN: undefined } : { SVC_TOKEN: token }),
  };
  const { profile: _, tokenFile: __, baseUrl: ___, ...rest } = options;
  await withSession(rest, { ...context, env }, async (session) => {
    const owner = await findTokenOwner(session, isJob).catch((error: unknown) => {
      throw error instanceof Failure ? error.withHints(`profile ${name} was not changed`) : error;
    });
    const { saveProfile } = await import('../../../config/store.ts');
    const change = {
      base_url: root.replace(/\/api\/v4$/, ''),
      token,
      auth: options.auth,
    };
    await saveProfile(pathsOf(context.env), name, change, { use: true });
    if (owner.note) session.notes.say(owner.note);
    session.notes.say(`Logged in to ${new URL(root).host} as ${owner.name} (profile ${name})`);
  });
  return 0;
}

/** Return the base URL in effect with the profile to create or change, or prompt for it. */
async function baseUrlFor(options: Options, context: Context, name: string): Promise<string> {
  const { baseUrl } = loadSettings({ ...options, profile: name }, context, undefined, { newProfile: true });
  if (baseUrl) return baseUrl.value;
  if (!canPrompt(context, options)) throw usage('no base URL is set', 'use --base-url https://host.example');
  return (await ask(context, 'Base URL of the service: ')).trim();
}

export default {
  commands: [
    command({
      name: 'login',
      args: '',
      summary: 'Verify a token and save it in a profile',
      doc: 'Prompts for the token with hidden input, or reads it from standard input or a file. The service verifies the token before it is saved. The token is only ever sent to the origin of the base URL. Use --auth job for a job token.',
      flags: {
        'token-stdin': { doc: 'Read the token from standard input' },
        ...connection,
        ...sharedFlags('no-input', 'quiet'),
      },
      examples: [
        { does: 'Log in on a terminal', run: 'auth login --base-url https://host.example' },
        {
          does: 'Log in from a script',
          run: 'auth login --base-url https://host.example --profile bot --token-file token.txt',
        },
      ],
      run: ({ options }, context) => login(options, context),
    }),
    command({
      name: 'status',
      args: '',
      summary: 'Show the service and token in effect, and whether they work',
      flags: { ...connection, ...printing, ...sharedFlags('sandbox') },
      examples: [{ does: 'Check the current login', run: 'auth status' }],
      async run({ options }, context) {
        await withSession(options, context, async (session) => {
          const root = session.root();
          const { auth, profile } = session.settings;
          const credential = await session.credential(auth?.value === 'job' ? { jobToken: 'only' } : {});
          if (!credential) {
            const { host, origin } = new URL(root);
            throw new Failure('auth', `no token for ${host}`, {
              hint: whyNoCredential(session.settings, { origin }),
            });
          }
          const owner = await findTokenOwner(session, credential.kind === 'job');
          await printValue(session, {
            base_url: root,
            profile: profile?.value ?? null,
            token: credential.kind,
            token_from: credential.from,
            user: owner.name,
            ...(owner.note ? { note: owner.note } : {}),
          });
        });
        return 0;
      },
    }),
    command({
      name: 'logout',
      args: '',
      summary: 'Remove the token from a profile and keep its other settings',
      flags: sharedFlags('profile', 'quiet'),
      examples: [{ does: 'Log out of the current profile', run: 'auth logout' }],
      async run({ options }, context) {
        const paths = pathsOf(context.env);
        const profiles = readProfiles(paths);
        const name = options.profile ?? variable(context.env, 'SVC_PROFILE') ?? profiles.current;
        if (name === undefined) throw usage('no current profile', 'use --profile <name>');
        findProfile(profiles, name);
        const { saveProfile } = await import('../../../config/store.ts');
        await saveProfile(paths, name, { token: undefined, token_command: undefined, token_env: undefined });
        noteFor(context, options, `Removed the token from profile ${name}. Revoke it on the service too.`);
        return 0;
      },
    }),
  ],
} satisfies Builtin;
