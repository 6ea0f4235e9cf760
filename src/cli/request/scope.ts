import { type Setting, sources } from '../../config/model.ts';
import { chooseProfile } from '../../config/profiles.ts';
import { type ScopeName, scopePath } from '../../config/scope.ts';
import { forPerson, usage } from '../../errors.ts';
import { argumentsOf, type Command } from '../../spec/command.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { plain } from '../../support/literal.ts';
import type { CommandLine } from '../argv/parse.ts';

/** The scopes that the settings name. */
export interface ScopeSettings {
  readonly project?: Setting<string> | undefined;
  readonly group?: Setting<string> | undefined;
  readonly baseUrl?: Setting<string> | undefined;
  /** The names of all profiles, if none of them is in use. */
  readonly unused?: readonly string[];
}

export interface ChosenEndpoint {
  readonly endpoint: Endpoint;
  /** The id or path of its scope, normalized. */
  readonly id?: string;
}

/**
 * Choose the endpoint of a command: by the arguments, then by `--project` or `--group`, then by the settings. If an endpoint
 * without a scope exists, the settings do not count (interface section 1).
 * @throws Failure `usage` if the scope is missing or ambiguous
 */
export function chooseEndpoint(
  command: Command,
  line: CommandLine,
  settings: () => ScopeSettings,
): ChosenEndpoint {
  const count = Object.keys(line.args).length;
  const fitting = command.endpoints.filter((endpoint) => fits(endpoint, count));
  const candidates = fitting.length > 0 ? fitting : command.endpoints;
  const { project, group } = line;
  if (project !== undefined && group !== undefined)
    throw usage('--project and --group cannot be used together', 'use one of them');
  const id = project ?? group;
  if (id !== undefined) {
    const flag = project === undefined ? 'group' : 'project';
    const endpoint = candidates.find(({ scope }) => scope?.name === flag);
    if (!endpoint) throw usage(`${command.area} ${command.name} does not accept --${flag} here`);
    const given = { value: plain(id), from: `--${flag}` };
    return { endpoint, id: scopePath(flag, given, settings().baseUrl?.value) };
  }
  const unscoped = candidates.find(({ scope }) => scope === undefined);
  return unscoped ? { endpoint: unscoped } : chooseBySettings(command, candidates, settings());
}

function fits(endpoint: Endpoint, count: number): boolean {
  const args = argumentsOf(endpoint);
  return count <= args.length && count >= args.filter(({ required }) => required).length;
}

function chooseBySettings(
  command: Command,
  candidates: readonly Endpoint[],
  settings: ScopeSettings,
): ChosenEndpoint {
  const byScope = new Map<ScopeName, Endpoint>();
  for (const endpoint of candidates)
    if (endpoint.scope && !byScope.has(endpoint.scope.name)) byScope.set(endpoint.scope.name, endpoint);
  const [chosen, other] = [...byScope]
    .flatMap(([name, endpoint]) => {
      const setting = settings[name];
      return setting ? [{ endpoint, name, setting, rank: sources.indexOf(setting.source) }] : [];
    })
    .sort((a, b) => a.rank - b.rank);
  if (!chosen) throw missingScope(command, [...byScope.keys()], settings);
  if (chosen.rank === other?.rank)
    throw usage(
      `${command.area} ${command.name} accepts a project or a group, and both are set`,
      `select one with ${[...byScope.keys()].map((name) => `--${name} ${settings[name]?.value ?? ''}`).join(' or ')}`,
    );
  return {
    endpoint: chosen.endpoint,
    id: scopePath(chosen.name, chosen.setting, settings.baseUrl?.value),
  };
}

function missingScope(
  { area, name }: Command,
  scopes: readonly ScopeName[],
  { baseUrl, unused = [] }: ScopeSettings,
) {
  const flags = scopes.map((scope) => `--${scope} <id|path>`).join(' or ');
  const hints = scopes.map(
    (scope) =>
      `or set SVC_${scope.toUpperCase()}, or save a default with svc profiles set ${scope} <id|path>`,
  );
  // Report both missing settings at once.
  const login = baseUrl ? [] : [...chooseProfile(unused), 'no base URL is set either; use svc login'];
  return usage(`${area} ${name} requires ${flags}`, forPerson(...hints, ...login));
}
