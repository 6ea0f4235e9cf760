/** `svc whoami`: the login in effect, in one line. */
import { sharedFlags } from '../../argv/flags.ts';
import { printValue } from '../../call/print.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { type LoginStatus, loginStatus } from './status.ts';

/** Whether the user asked for a format or for parts of the result. */
function wantsDetail({ settings, options }: Session): boolean {
  return settings.output.source !== 'default' || options.jq !== undefined || options.fields !== undefined;
}

/** `mia (user 3) on host.example (access token from profile "work")` */
function lineOf({ user, base_url, token, token_from }: LoginStatus): string {
  const kind = token === 'bearer' ? 'token as bearer' : `${token} token`;
  return `${user} on ${new URL(base_url).host} (${kind} from ${token_from})`;
}

export default {
  commands: [
    command({
      name: 'whoami',
      args: '',
      summary: 'Show the user, the service and the token in effect',
      doc: 'Prints one line. For all details, use a format: -o table or --json.',
      flags: { ...connection, ...printing, ...sharedFlags('sandbox') },
      examples: [
        { does: 'Show who you are', run: 'whoami' },
        { does: 'Print only the base URL, for a script', run: 'whoami --jq .base_url -r' },
      ],
      async run({ options }, context) {
        await withSession(options, context, async (session) => {
          const status = await loginStatus(session);
          if (wantsDetail(session)) return printValue(session, status);
          context.stdout.write(`${session.terminal.clean(lineOf(status))}\n`);
          if (status.note) session.notes.say(status.note);
        });
        return 0;
      },
    }),
  ],
} satisfies Builtin;
