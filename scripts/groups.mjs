// What is loaded together. Each file that Node opens costs a third of a millisecond, so what the everyday way of a command
// needs comes in few. A group is what its roots import; what an earlier group has is not in a later one, so that no two groups
// can need each other.

const groups = [
  // Always.
  { name: 'main', roots: ['src/main.ts'] },
  // With every area.
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
    ],
  },
  // For help.
  { name: 'pages', roots: ['src/cli/help.ts', 'src/docs/help.ts'] },
  // For a request.
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
  // To send it.
  { name: 'wire', roots: ['src/http/node/transport.ts'] },
];

/** For rolldown's `codeSplitting.groups`: one group, whose name says where a module goes. */
export function grouping(root) {
  let places;
  const collect = (info) => {
    places = new Map();
    const visit = (id, name) => {
      if (places.has(id)) return;
      places.set(id, name);
      for (const next of info(id)?.importedIds ?? []) visit(next, name);
    };
    for (const { name, roots } of groups) for (const path of roots) visit(`${root}/${path}`, name);
  };
  return {
    name: (id, context) => {
      if (!places) collect((one) => context.getModuleInfo(one));
      return places.get(id) ?? null;
    },
  };
}
