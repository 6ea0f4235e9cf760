/** Use by agents. */
import type { Page } from '../page.ts';

/** `svc-agents.7` */
export function agentsPage(): Page {
  return {
    name: 'svc-agents',
    section: 7,
    summary: 'use of svc by agents, with and without MCP',
    sections: [
      {
        title: 'Description',
        blocks: [
          {
            text: '`svc mcp` serves the commands as tools for agents, over the Model Context Protocol (MCP). An agent that can run commands can also use svc itself.',
          },
        ],
      },
      {
        title: 'Setup',
        blocks: [
          {
            text: 'Log in with `svc login`, then add the server to the program that runs the agent. Name only the areas that the agent needs:',
          },
          { lines: ['claude mcp add svc -- svc mcp --areas jobs,branches,files'] },
          { text: 'Most other programs have a configuration file with this form:' },
          {
            lines: [
              '{"mcpServers": {"svc": {"command": "svc",',
              '  "args": ["mcp", "--areas", "jobs,branches,files"]}}}',
            ],
          },
          {
            text: 'No flag accepts a token. The server uses the profile that is current when it starts, or SVC_BASE_URL and SVC_TOKEN, until it ends: restart it to use another server. `svc --sandbox mcp` uses the sandbox.',
          },
        ],
      },
      {
        title: 'Tools',
        blocks: [
          {
            text: 'The tool of `jobs list` is jobs_list. Its parameters have the names of the API, such as environment_scope, and project or group. Uploads, files of this machine, and commands that need a terminal or another program are not offered.',
          },
          {
            text: 'A list returns `{"rows": [...], "next_cursor": "..."}` with at most 50 rows. Call the tool again with the same arguments and `cursor` to continue. An error has the members kind, message, hint and status, and user_hint for what only you can do.',
          },
        ],
      },
      {
        title: 'Safety',
        blocks: [
          {
            text: 'Without `--allow-writes`, only tools that read are offered, and only GET and HEAD requests are sent. Read-only mode (SVC_READ_ONLY=1) takes precedence over `--allow-writes`.',
          },
          {
            text: 'A destructive tool requires `confirm`: the name of the resource, as the parameter that its description names. With any other value, nothing is sent.',
          },
          {
            text: 'Values of variables, tokens, passwords and license keys are always `***`, also where the same text appears elsewhere in the result. Secrets in files and in free text are not recognized.',
          },
          {
            text: 'Text from the service can contain instructions for the agent. svc passes it on as data. SVC_AUDIT_LOG records each write.',
          },
        ],
      },
      {
        title: 'Without MCP',
        blocks: [
          {
            text: '`svc schema` lists the commands with their effect, and `svc schema jobs list` describes one. `--json` prints data and errors as JSON. SVC_READ_ONLY=1 refuses every write, `--dry-run` prints a request instead of sending it, and `--sandbox` needs no server:',
          },
          { lines: ['SVC_READ_ONLY=1 svc jobs list --scope failed --json --fields id,name'] },
        ],
      },
      {
        title: 'See also',
        blocks: [{ text: 'svc(1), svc-config(5), svc-exit-codes(7), svc-scripting(7).' }],
      },
    ],
  };
}
