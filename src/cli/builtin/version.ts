import { version } from '../version.ts';
import { type Builtin, command } from './define.ts';

export default {
  commands: [
    command({
      name: 'version',
      args: '',
      summary: 'Print the version of svc',
      flags: {},
      examples: [{ does: 'Print the version', run: 'version' }],
      async run(_, { stdout }) {
        stdout.write(`svc ${version}\n`);
        return 0;
      },
    }),
  ],
} satisfies Builtin;
