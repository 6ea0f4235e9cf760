/** `svc help` */
import { text } from '../../spec/field.ts';
import { type Builtin, command } from './define.ts';

const help = command({
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
});

export default { commands: [help] } satisfies Builtin;
