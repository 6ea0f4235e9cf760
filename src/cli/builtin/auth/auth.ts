import { pathsOf, variable } from '../../../config/paths.ts';
import { findProfile, noCurrentProfile, readProfiles } from '../../../config/profiles.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { printValue } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { withSession } from '../../session/session.ts';
import { confirmChange, noteFor } from '../../terminal/log.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { loginCommand } from './login.ts';
import { loginStatus } from './status.ts';

async function logout(options: Options, context: Context): Promise<ExitCode> {
  const paths = pathsOf(context.env);
  const profiles = readProfiles(paths);
  const name = options.profile ?? variable(context.env, 'SVC_PROFILE') ?? profiles.current;
  if (name === undefined) throw noCurrentProfile(Object.keys(profiles.profiles));
  const { token, token_command, token_env } = findProfile(profiles, name);
  const { saveProfile } = await import('../../../config/store.ts');
  await saveProfile(paths, name, { token: undefined, token_command: undefined, token_env: undefined });
  const source = token ?? token_command ?? token_env;
  if (source === undefined) noteFor(context, options, `Profile ${name} has no token`);
  else
    confirmChange(context, options, [
      `Removed the token from profile ${name}`,
      'Revoke the token on the service too',
    ]);
  return 0;
}

export default {
  commands: [
    loginCommand('auth login'),
    command({
      name: 'status',
      args: '',
      summary: 'Show the service and token in effect, and whether they work',
      doc: 'Use svc whoami for one line.',
      flags: { ...connection, ...printing, ...sharedFlags('sandbox') },
      examples: [{ does: 'Check the current login', run: 'auth status' }],
      async run({ options }, context) {
        await withSession(options, context, async (session) =>
          printValue(session, await loginStatus(session)),
        );
        return 0;
      },
    }),
    command({
      name: 'logout',
      args: '',
      summary: 'Remove the token from a profile and keep its other settings',
      flags: sharedFlags('profile', 'quiet'),
      examples: [{ does: 'Log out of the current profile', run: 'auth logout' }],
      run: ({ options }, context) => logout(options, context),
    }),
  ],
} satisfies Builtin;
