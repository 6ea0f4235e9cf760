import { explain } from '../../config/settings.ts';
import { sharedFlags } from '../argv/flags.ts';
import { printRows } from '../call/print.ts';
import { withSession } from '../session/session.ts';
import { type Builtin, command, connection, printing } from './define.ts';

export default {
  commands: [
    command({
      name: 'explain',
      args: '',
      summary: 'Show each setting in effect with its value and source',
      doc: 'The order of precedence is: flag, environment, profile, variables of a pipeline, default. Secrets are masked. No request is sent.',
      flags: { ...printing, ...connection, ...sharedFlags('sandbox') },
      examples: [
        { does: 'Show all settings', run: 'config explain' },
        {
          does: 'Print only the base URL, for a script',
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
