/** `svc help` and `svc version`. */
import { text } from '../../spec/field.ts';
import { version as number } from '../version.ts';
import { type Builtin, command } from './define.ts';

export const help: Builtin = {
  commands: [
    command({
      name: 'help',
      args: '[topic|area] [command]',
      of: { 'topic|area': text('Topic or area') },
      summary: 'Show help for a topic, an area or a command',
      flags: { all: { doc: 'Show all flags, the API request and the exit codes' } },
      examples: [
        { does: 'Show the commands of an area', run: 'help jobs' },
        { does: 'Show every flag of a command', run: 'help jobs list --all' },
        { does: 'Show a topic', run: 'help exit-codes' },
      ],
      run: ({ words, options }, context, services) =>
        services.help({ words, all: options.all === true, topics: true }, context),
    }),
  ],
};

export const version: Builtin = {
  commands: [
    command({
      name: 'version',
      args: '',
      summary: 'Print the version of svc',
      flags: {},
      examples: [{ does: 'Print the version', run: 'version' }],
      async run(_, { stdout }) {
        stdout.write(`svc ${number}\n`);
        return 0;
      },
    }),
  ],
};
