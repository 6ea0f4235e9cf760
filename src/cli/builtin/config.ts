import { explain } from '../../config/explain.ts';
import { sharedFlags } from '../argv/flags.ts';
import { printRows } from '../call/print.ts';
import { withSession } from '../session/session.ts';
import { type Builtin, command, connection, printing } from './define.ts';

export default {
  commands: [
    command({
      name: 'explain',
      args: '',
      summary: 'Show each setting in force, its value and what gave it',
      doc: 'The order is flag, environment, profile, the variables of a pipeline, default. Secrets are masked. Nothing is sent.',
      flags: { ...printing, ...connection, ...sharedFlags('sandbox') },
      examples: [
        { does: 'What svc would use right here', run: 'config explain' },
        {
          does: 'The base URL alone, for a script',
          run: `config explain --jq '.[] | select(.setting == "base_url").value' -r`,
        },
      ],
      async run({ options }, context) {
        await withSession(options, context, (session) => printRows(session, explain(session.settings)));
        return 0;
      },
    }),
  ],
} satisfies Builtin;
