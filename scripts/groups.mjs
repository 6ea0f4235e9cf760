// Assigns modules to files. Each file that Node opens takes a third of a millisecond, so the modules of common commands share a few
// files. A group contains everything that its roots import, except the modules of earlier groups. This prevents import cycles.
import { readdirSync } from 'node:fs';

const programGroups = [
  // Every run.
  { name: 'main', roots: ['src/main.ts'] },
  // Every area.
  {
    name: 'spec',
    roots: [
      'src/cli/areas.ts',
      'src/cli/terminal/terminal.ts',
      'src/spec/compose.ts',
      'src/api/scopes.ts',
      'src/api/parts.ts',
      'src/spec/request.ts',
      'src/spec/command.ts',
      'src/spec/resource.ts',
      'src/support/bytes.ts',
      'src/support/literal.ts',
      'src/support/record.ts',
      'src/tasks/context.ts',
    ],
  },
  // Help.
  { name: 'pages', roots: ['src/cli/help.ts', 'src/docs/help.ts'] },
  // Requests.
  {
    name: 'call',
    roots: [
      'src/cli/argv/parse.ts',
      'src/cli/session/settings.ts',
      'src/cli/call/run.ts',
      'src/cli/session/transport.ts',
      'src/config/credentials.ts',
      'src/http/client.ts',
      'src/http/body/expect.ts',
      'src/output/index.ts',
    ],
  },
  // Direct connections.
  { name: 'wire', roots: ['src/http/node/transport.ts'] },
];

/** The modules of the sandbox for tests: everything except git and rendering, which few tests need. */
export const libraryGroups = [
  {
    name: 'sandbox-modules',
    roots: [
      'src/sandbox/sandbox.ts',
      'src/sandbox/serve.ts',
      ...readdirSync('src/api').map((name) => `src/api/${name}`),
    ],
  },
];

/** Return a group for rolldown's `codeSplitting.groups` whose name function assigns each module to a file. */
export function grouping(root, groups = programGroups) {
  let groupOf;
  const collect = (info) => {
    groupOf = new Map();
    const visit = (id, name) => {
      if (groupOf.has(id)) return;
      groupOf.set(id, name);
      for (const next of info(id)?.importedIds ?? []) visit(next, name);
    };
    for (const { name, roots } of groups) for (const path of roots) visit(`${root}/${path}`, name);
  };
  return {
    name: (id, context) => {
      if (id === '\0rolldown/runtime.js') return groups[0].name;
      if (!groupOf) collect((one) => context.getModuleInfo(one));
      return groupOf.get(id) ?? null;
    },
  };
}
