/** From an area's name to the command that was meant. */
import type { Entry } from '../api/index.ts';
import type { Failure } from '../errors.ts';
import { commandName } from '../spec/arguments.ts';
import type { Area } from '../spec/endpoint.ts';
import type { Leaf } from './argv/command.ts';
import type { SplitArgv } from './argv/split.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { additions } from './overrides.ts';

/** The calls of an area by command name, those that are no single call among them. */
export async function loadArea(entry: Entry): Promise<Area> {
  const { default: area } = await entry.load();
  const { weave } = (await additions[entry.name]?.()) ?? {};
  return weave ? { ...area, endpoints: weave(area.endpoints) } : area;
}

/** The calls of an area that share a command's name; undefined where none has it. */
export function leafOf(entry: Entry, area: Area, name: string): Leaf | undefined {
  const endpoints = area.endpoints.filter((endpoint) => commandName(endpoint) === name);
  return endpoints.length > 0 ? { area: entry.name, name, endpoints } : undefined;
}

/** The error for a command that an area has not, with those that come near. */
export async function unknownCommand(
  { name: within }: Entry,
  { endpoints }: Area,
  name: string,
): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  return unknownWord('command', name, [...new Set(endpoints.map(commandName))], `svc ${within}`);
}

/** Run a command of an area. @throws Failure `usage` for a command that it has not */
export async function runCommand(entry: Entry, words: SplitArgv, context: Context): Promise<ExitCode> {
  const area = await loadArea(entry);
  const name = words.command as string;
  const leaf = leafOf(entry, area, name);
  if (!leaf) throw await unknownCommand(entry, area, name);
  const { parseLeaf } = await import('./argv/parse.ts');
  const line = parseLeaf(leaf, words.rest);
  const special = (await additions[entry.name]?.())?.runners[name];
  const { invoke } = await import('./call/call.ts');
  return special && line.options.fields !== 'help'
    ? special(leaf, line, context)
    : invoke(leaf, line, context);
}
