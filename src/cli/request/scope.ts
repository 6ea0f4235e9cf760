import { usage } from '../../errors.ts';
import type { Command } from '../../spec/command.ts';
import { argumentsOf } from '../../spec/command.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { CommandLine } from '../argv/parse.ts';

/** The places in force: a flag, or a setting. */
export interface Places {
  readonly project?: { readonly value: string; readonly source: string } | undefined;
  readonly group?: { readonly value: string; readonly source: string } | undefined;
  readonly baseUrl?: object | undefined;
}

export interface Chosen {
  readonly endpoint: Endpoint;
  /** The scope's own slot, where it has one. */
  readonly id?: string;
}

/**
 * Choose which call a command means: by its arguments, then by the flag for a place, then by the settings.
 * Where a call also exists at no place, only the flag counts (interface section 1).
 * @throws Failure `usage` where nothing says which, or two places were given
 */
export function choose(command: Command, line: CommandLine, places: () => Places): Chosen {
  const count = Object.keys(line.args).length;
  const fitting = command.endpoints.filter((endpoint) => fits(endpoint, count));
  const candidates = fitting.length > 0 ? fitting : command.endpoints;
  if (line.project !== undefined && line.group !== undefined) {
    throw usage('--project and --group exclude each other', 'give the one whose settings you mean');
  }
  const flagged = line.project !== undefined ? 'project' : line.group !== undefined ? 'group' : undefined;
  if (flagged) {
    const endpoint = candidates.find(({ scope }) => scope?.name === flagged);
    if (!endpoint) throw usage(`${command.area} ${command.name} takes no --${flagged} here`);
    return { endpoint, id: line[flagged] as string };
  }
  const unscoped = candidates.find(({ scope }) => scope === undefined);
  if (unscoped) return { endpoint: unscoped };
  return bySettings(command, candidates, places());
}

function fits(endpoint: Endpoint, count: number): boolean {
  const args = argumentsOf(endpoint);
  return count <= args.length && count >= args.filter(({ required }) => required).length;
}

function bySettings(command: Command, candidates: readonly Endpoint[], places: Places): Chosen {
  const names = [...new Set(candidates.map(({ scope }) => scope?.name as 'project' | 'group'))];
  const known = names.filter((name) => places[name] !== undefined);
  const rank = (name: 'project' | 'group') => sources.indexOf(places[name]?.source ?? '');
  const [chosen, other] = known.sort((a, b) => rank(a) - rank(b));
  if (chosen !== undefined && other !== undefined && rank(chosen) === rank(other)) {
    throw usage(
      `${command.area} ${command.name} works on a project or a group, and the settings name both`,
      'say which by --project or --group',
    );
  }
  if (chosen === undefined) {
    const which = names.map((name) => `--${name} <id|path>`).join(' or ');
    // Whoever has set up nothing yet learns of both at once.
    const bare = places.baseUrl ? [] : ['no base URL is set either: svc auth login'];
    throw usage(`${command.area} ${command.name} needs ${which}`, [...names.map(remedy), ...bare]);
  }
  const endpoint = candidates.find(({ scope }) => scope?.name === chosen) as Endpoint;
  return { endpoint, id: (places[chosen] as { value: string }).value };
}

/** The stronger first: interface section 2. */
const sources = ['flag', 'environment', 'profile', 'pipeline', 'default'];

function remedy(name: string): string {
  return `or set SVC_${name.toUpperCase()}, or a default: svc profiles set ${name} <id|path>`;
}
