/** `svc mcp`: the commands as tools for agents, over the Model Context Protocol. */
import { textFlag } from '../../../spec/flag.ts';
import { sharedFlags } from '../../argv/flags.ts';
import { command, connection } from '../define.ts';

// Each call has a session of its own, whose archive would replace that of the call before.
const { har: _har, ...connectionFlags } = connection;

export const mcp = command({
  doc: 'Reads JSON-RPC messages from standard input and writes them to standard output, until standard input ends. Each command of the API is a tool: `jobs list` is jobs_list. Without --areas, so are find and status. Without --allow-writes, only tools that read are offered, and only GET and HEAD requests are sent. Destructive tools require the name of the resource as confirmation. Secrets in results are masked. In read-only mode, --allow-writes has no effect. See svc help agents.',
  effect: 'destructive',
  flags: {
    areas: textFlag('Areas whose commands are tools (default: all)', { placeholder: 'a,b', suggest: 'area' }),
    'allow-writes': { doc: 'Also offer tools that write' },
    ...connectionFlags,
    ...sharedFlags('sandbox', 'quiet'),
  },
  examples: {
    'Serve the tools of two areas that read': 'mcp --areas jobs,branches',
    'Try it with the sandbox, with tools that write': '--sandbox mcp --allow-writes',
  },
  async run({ options }, context, services) {
    return (await import('./serve.ts')).serve(options, context, await services.lookUp());
  },
});
