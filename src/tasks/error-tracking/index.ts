/** The tasks of `svc error-tracking`. Their code is loaded when one of them runs. */

import { project } from '../../api/scopes.ts';
import { textFlag } from '../../spec/flag.ts';
import { taskCommand } from '../context.ts';

const sendCommand = taskCommand({
  name: 'send',
  idempotent: false,
  summary: 'Send an error event to a project',
  doc: 'The event goes to the DSN of a client key. The DSN comes from --dsn, from the client keys of --project, from SVC_DSN, or from the client keys of the default project. Stack traces of Node.js, Java, Python and Ruby are parsed, with the causes of the exception. The event is sent once: a response other than 2xx is an error.',
  flags: {
    message: textFlag('Message of the event', { short: 'm' }),
    level: textFlag('Severity (default: error)', {
      placeholder: 'level',
      choices: ['fatal', 'error', 'warning', 'info', 'debug'],
    }),
    tag: textFlag('Tag of the event; may be repeated', { placeholder: 'key=value', repeats: true }),
    'stack-trace': textFlag('Stack trace, from a file or from standard input', {
      placeholder: '@file|-',
      long: true,
    }),
    dsn: textFlag('DSN of a client key, from a file or from standard input', {
      secret: true,
      placeholder: '@file|-',
      long: true,
    }),
  },
  shared: ['output', 'json', 'dry-run'],
  formats: ['json', 'yaml'],
  scopes: [project],
  examples: {
    'Send a warning with a tag': '--message "Fuel is low" --level warning --tag stage=2',
    'Send the stack trace of a program that failed': '--stack-trace @crash.txt',
  },
  run: async (task, options) => (await import('./send.ts')).send(task, options),
});

export const commands = [sendCommand];
