// Assigns modules to files. Each file that Node opens takes a third of a millisecond, so the modules of common commands share a few
// files. A group contains its modules, and everything that its roots import except the modules of earlier groups. This prevents import
// cycles.
import { existsSync, readdirSync } from 'node:fs';

const programGroups = [
  // Used only after an error, a question or a rare flag. Loaded when a command uses them (see `load` in src/start.ts), although others
  // import them statically.
  {
    name: 'deferred',
    modules: [
      'src/cli/unknown.ts',
      'src/cli/argv/json.ts',
      'src/cli/call/hints.ts',
      'src/cli/request/confirm.ts',
      'src/cli/terminal/prompt.ts',
      'src/http/errors/network-texts.ts',
      'src/http/errors/network.ts',
      'src/http/errors/response.ts',
      'src/http/policy/read-only.ts',
      'src/http/policy/retry-after.ts',
      'src/http/vendor.ts',
      'src/output/guard.ts',
      'src/output/raw.ts',
      'src/support/input.ts',
      'src/support/shell.ts',
      'src/support/suggest.ts',
      'src/support/text/json-error.ts',
    ],
  },
  // Deferred as well, but used by every write.
  { name: 'deferred-redact', modules: ['src/http/redact.ts'] },
  // Every run.
  { name: 'main', roots: ['src/main.ts'] },
  // Every area.
  {
    name: 'spec',
    roots: [
      'src/cli/catalogue.ts',
      'src/cli/terminal/terminal.ts',
      'src/spec/compose.ts',
      'src/api/scopes.ts',
      'src/api/parts.ts',
      'src/spec/request.ts',
      'src/config/setting-table.ts',
      'src/spec/command-flags.ts',
      'src/spec/command.ts',
      'src/spec/flag.ts',
      'src/spec/resource.ts',
      'src/spec/result.ts',
      'src/support/bytes.ts',
      'src/support/literal.ts',
      'src/support/record.ts',
      'src/tasks/context.ts',
    ],
  },
  // Help.
  { name: 'pages', roots: ['src/cli/help.ts', 'src/docs/help.ts'] },
  // Requests. V8 keeps texts above 128 KB apart from those that each collection of garbage copies, and then runs one collection instead of
  // two in a short command. So this file should not become a little smaller than that.
  {
    name: 'call',
    roots: [
      'src/cli/argv/parse.ts',
      'src/cli/session/settings.ts',
      'src/cli/call/run.ts',
      'src/cli/session/connection.ts',
      'src/config/credentials.ts',
      'src/http/client.ts',
      'src/http/body/expect.ts',
      'src/output/index.ts',
      'src/output/table/table.ts',
      'src/http/node/transport.ts',
    ],
  },
  // Writes and tasks.
  {
    name: 'write',
    roots: [
      'src/cli/request/response.ts',
      'src/cli/call/task/context.ts',
      'src/cli/request/response.ts',
      'src/cli/call/transfer.ts',
    ],
  },
  // An area and its tasks, which are loaded together.
  ...readdirSync('src/tasks', { withFileTypes: true }).flatMap((entry) => {
    const name = entry.name.replace(/\.ts$/, '');
    const area = `src/api/${name}.ts`;
    const tasks = entry.isDirectory() ? `src/tasks/${name}/index.ts` : `src/tasks/${name}.ts`;
    return existsSync(area) ? [{ name, roots: [area, tasks] }] : [];
  }),
];

/** The modules of the sandbox for tests: everything except git and rendering, which few tests need. */
export const libraryGroups = [
  {
    name: 'sandbox-modules',
    roots: [
      'src/sandbox/sandbox.ts',
      'src/sandbox/serve.ts',
      'src/sandbox/seed/data/world.json',
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
    for (const { name, modules = [] } of groups)
      for (const path of modules) groupOf.set(`${root}/${path}`, name);
    for (const { name, roots = [] } of groups) for (const path of roots) visit(`${root}/${path}`, name);
  };
  return {
    name: (id, context) => {
      if (!groupOf) collect((one) => context.getModuleInfo(one));
      return groupOf.get(id) ?? null;
    },
  };
}
