/** `svc mcp`: the commands as tools for agents, over the Model Context Protocol. */
import { sharedFlags } from '../../argv/flags.ts';
import { type Builtin, command, connection } from '../define.ts';

// Each call has a session of its own, whose archive would replace that of the call before.
const { har: _har, ...connectionFlags } = connection;

const mcp = command({
  name: 'mcp',
  args: '',
  summary: 'Serve the commands as tools for agents (Model Context Protocol)',
  doc: 'Reads JSON-RPC messages from standard input and writes them to standard output, until standard input ends. Each command of the API is a tool: `jobs list` is jobs_list. Without --allow-writes, only tools that read are offered, and only GET and HEAD requests are sent. Destructive tools require the name of the resource as confirmation. Secrets in results are masked. In read-only mode, --allow-writes has no effect. See svc help agents.',
  effect: 'destructive',
  flags: {
    areas: {
      kind: 'text',
      placeholder: 'a,b',
      suggest: 'area',
      doc: 'Areas whose commands are tools (default: all)',
    },
    'allow-writes': { doc: 'Also offer tools that write' },
    ...connectionFlags,
    ...sharedFlags('sandbox', 'quiet'),
  },
  examples: [
    { does: 'Serve the tools of two areas that read', run: 'mcp --areas jobs,branches' },
    { does: 'Try it with the sandbox, with tools that write', run: '--sandbox mcp --allow-writes' },
  ],
  async run({ options }, context) {
    return (await import('./serve.ts')).serve(options, context);
  },
});

export default { commands: [mcp] } satisfies Builtin;
