/** From an area's name to the command that was meant. */
import type { Entry } from '../api/index.ts';
import { commandName } from '../spec/arguments.ts';
import type { Area } from '../spec/endpoint.ts';
import { additions } from './additions.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exits.ts';
import type { Leaf } from './leaf.ts';
import type { Words } from './words.ts';

/** The calls of an area by command name, those that are no single call among them. */
export async function loadArea(entry: Entry): Promise<Area> {
  const { default: area } = await entry.load();
  const { weave } = (await additions[entry.name]?.()) ?? {};
  return weave ? { ...area, endpoints: weave(area.endpoints) } : area;
}

export function leafOf(entry: Entry, area: Area, name: string): Leaf | undefined {
  const endpoints = area.endpoints.filter((endpoint) => commandName(endpoint) === name);
  return endpoints.length > 0 ? { area: entry.name, name, endpoints } : undefined;
}

/** Run a command of an area. */
export async function runCommand(entry: Entry, words: Words, context: Context): Promise<ExitCode> {
  const area = await loadArea(entry);
  const name = words.command as string;
  const leaf = leafOf(entry, area, name);
  const { parseLeaf, unknownWord } = await import('./parse.ts');
  if (!leaf)
    throw unknownWord('command', name, [...new Set(area.endpoints.map(commandName))], `svc ${entry.name}`);
  const line = parseLeaf(leaf, words.rest);
  const special = (await additions[entry.name]?.())?.runners[name];
  const { invoke } = await import('./invoke.ts');
  return special ? special(leaf, line, context) : invoke(leaf, line, context);
}
