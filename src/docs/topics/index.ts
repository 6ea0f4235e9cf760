/** The topics of `svc help <topic>`. Most of them are manual pages too. */
import type { TopicInput } from '../model.ts';
import type { Page } from '../page.ts';

export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<(input: TopicInput) => Page>;
}

export const topics: readonly Topic[] = [
  {
    name: 'flags',
    summary: 'Flags that many commands accept, and how to write their values',
    load: async () => (await import('./flags.ts')).flagsPage,
  },
  {
    name: 'environment',
    summary: 'Settings, environment variables, profiles and files',
    load: async () => (await import('./environment.ts')).environmentPage,
  },
  {
    name: 'output',
    summary: 'Formats, fields, jq programs, tables and color',
    load: async () => (await import('./output.ts')).outputPage,
  },
  {
    name: 'exit-codes',
    summary: 'Exit codes and JSON errors',
    load: async () => (await import('./exit-codes.ts')).exitCodesPage,
  },
  {
    name: 'scripting',
    summary: 'Lists, writes, retries and secrets in shell scripts',
    load: async () => (await import('./scripting.ts')).scriptingPage,
  },
  {
    name: 'agents',
    summary: 'Tools for agents (MCP), and what agents can and cannot do',
    load: async () => (await import('./agents.ts')).agentsPage,
  },
  {
    name: 'pipelines',
    summary: 'Settings, tokens and exit codes in CI/CD jobs',
    load: async () => (await import('./pipelines.ts')).pipelinesPage,
  },
  { name: 'resources', summary: 'State files for export, diff and apply', load: loadResources },
  {
    name: 'sandbox',
    summary: 'The local service for trying and testing',
    load: async () => (await import('./sandbox.ts')).sandboxTopic,
  },
];

async function loadResources(): Promise<() => Page> {
  const [{ resourcesPage }, { resources }] = await Promise.all([
    import('./resources.ts'),
    import('../../api/resources.ts'),
  ]);
  const kinds = await Promise.all(Object.values(resources).map((load) => load()));
  return () => resourcesPage(kinds);
}
