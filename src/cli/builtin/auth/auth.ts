/** `svc login`, `svc whoami` and `svc auth`. */
import { type Credential, whyNoCredential } from '../../../config/credentials.ts';
import { pathsOf, variable } from '../../../config/paths.ts';
import { findProfile, noCurrentProfile, readProfiles } from '../../../config/profiles.ts';
import { Failure, forPerson } from '../../../errors.ts';
import type { FlagSpecs } from '../../../spec/flag.ts';
import { objectResult, type Result, sayNote } from '../../../spec/result.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { howToReplace } from '../../call/hints.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { namedProfile } from '../../session/settings.ts';
import { confirmChange, noteFor } from '../../terminal/log.ts';
import { type Builtin, type BuiltinCommand, command, connection, printing, scopeFlags } from '../define.ts';
import { findTokenOwner } from './token-owner.ts';

const loginFlags = {
  'token-stdin': { doc: 'Read the token from standard input' },
  project: { ...scopeFlags.project, doc: 'Default project to save in the profile' },
  ...connection,
  'token-file': {
    ...connection['token-file'],
    doc: 'File that contains the access token, or - for standard input',
  },
  ...sharedFlags('no-input', 'quiet'),
} as const satisfies FlagSpecs;

/** Declare the command as `svc login` and `svc auth login`. */
function loginCommand(path: 'login' | 'auth login'): BuiltinCommand {
  return command({
    name: 'login',
    args: '[host]',
    summary: 'Verify a token and save it in a profile',
    doc: 'Prompts for the token with hidden input, or reads it from standard input or a file. The service verifies the token before it is saved. The token is only ever sent to the origin of the base URL. Without --profile, the profile for this service becomes the current one. With --profile, the current profile does not change, unless it is the first one. Use --auth job for a job token.',
    flags: loginFlags,
    examples: {
      'Log in on a terminal': `${path} host.example`,
      'Log in from a script': `${path} host.example --profile bot --token-file token.txt`,
    },
    async run({ words, options }, context) {
      return (await import('./login.ts')).login(words[0], options, context);
    },
  });
}

/** Verify the token in effect. @throws Failure `auth` if there is none or the service rejects it */
async function loginStatus(session: Session) {
  const root = session.root();
  const { auth, profile } = session.settings;
  const credential = await session.credential(auth?.value === 'job' ? { jobToken: 'only' } : {});
  if (!credential) {
    const { host, origin } = new URL(root);
    throw new Failure('auth', `no token for ${host}`, {
      hint: whyNoCredential(session.settings, { origin }),
    });
  }
  const { name, note } = await findTokenOwner(session, credential.kind === 'job').catch((error: unknown) => {
    throw error instanceof Failure && error.exchange?.status === 401
      ? rejectedToken(error, credential, session)
      : error;
  });
  return {
    base_url: root,
    profile: profile?.value ?? null,
    token: credential.kind,
    token_from: credential.from,
    user: name,
    ...(note ? { note } : {}),
  };
}

function rejectedToken(failure: Failure, { kind, from }: Credential, session: Session): Failure {
  const text =
    kind === 'job'
      ? `the job token from ${from} is valid only while its job runs`
      : `the token from ${from} may have expired or been revoked${howToReplace(session)}`;
  return failure.withHints(...forPerson(text));
}

/** The login in effect in one line; as an object if the user chose a format or parts. */
async function whoamiResult(session: Session): Promise<Result> {
  const status = await loginStatus(session);
  const { jq, fields } = session.options;
  if (session.settings.output.source !== 'default' || (jq ?? fields) !== undefined)
    return objectResult(status);
  const { user, base_url, token, token_from, note } = status;
  const kind = token === 'bearer' ? 'token as bearer' : `${token} token`;
  const line = `${user} on ${new URL(base_url).host} (${kind} from ${token_from})`;
  return { kind: 'text', text: `${session.terminal.clean(line)}\n`, notes: note ? [sayNote(note)] : [] };
}

async function logout(options: Options, context: Context): Promise<ExitCode> {
  const paths = pathsOf(context.env);
  const profiles = readProfiles(paths);
  const name = namedProfile(options, context.env) ?? profiles.current;
  if (name === undefined) throw noCurrentProfile(Object.keys(profiles.profiles));
  const { token, token_command, token_env } = findProfile(profiles, name);
  const { saveProfile, tokenKeys } = await import('../../../config/store.ts');
  await saveProfile(paths, name, Object.fromEntries(tokenKeys.map((key) => [key, undefined])));
  const still = ['SVC_TOKEN', 'SVC_JOB_TOKEN']
    .filter((one) => variable(context.env, one) !== undefined)
    .map((one) => `${one} is set and remains in effect`);
  if (token !== undefined)
    return confirmChange(context, options, [
      `Removed the token from profile ${name}`,
      'Revoke the token on the service too',
      ...still,
    ]);
  const removed = Object.entries({ token_command, token_env }).find(([, value]) => value !== undefined);
  if (removed)
    return confirmChange(context, options, [`Removed ${removed[0]} from profile ${name}`, ...still]);
  for (const text of [`Profile ${name} has no token`, ...still]) noteFor(context, options, text);
  return 0;
}

const statusFlags = { ...connection, ...printing, ...sharedFlags('sandbox') };

export const login = loginCommand('login');

export const whoami = command({
  doc: 'Prints one line. For all details, use a format: -o table or --json.',
  flags: statusFlags,
  examples: {
    'Show who you are': 'whoami',
    'Print only the base URL, for a script': 'whoami --jq .base_url -r',
  },
  execute: (_, session) => whoamiResult(session),
});

export const auth: Builtin = {
  commands: [
    loginCommand('auth login'),
    command({
      name: 'status',
      summary: 'Show the service and token in effect, and whether they work',
      doc: 'Use svc whoami for one line.',
      flags: statusFlags,
      examples: { 'Check the current login': 'auth status' },
      execute: async (_, session) => objectResult(await loginStatus(session)),
    }),
    command({
      name: 'logout',
      summary: 'Remove the token from a profile and keep its other settings',
      flags: { profile: connection.profile, ...sharedFlags('quiet') },
      examples: {
        'Log out of the current profile': 'auth logout',
        'Log out of another profile': 'auth logout --profile work',
      },
      run: ({ options }, context) => logout(options, context),
    }),
  ],
};
