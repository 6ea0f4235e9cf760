/** The tools of `svc mcp`: one for each command that can be one. */
import { areas, type Entry } from '../../../api/index.ts';
import { type Command, effectOf, endpointCommand, pathOf, printedBy } from '../../../spec/command.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import type { Field, Fields } from '../../../spec/field.ts';
import { knownFields } from '../../../spec/mask.ts';
import { loadArea } from '../../areas.ts';
import { flagsFor } from '../../argv/conditions.ts';
import type { RunnableCommand } from '../define.ts';
import { type Defined, type Definition, definitionOf } from './definition.ts';
import { namesOf } from './names.ts';

export interface Tool extends Defined {
  readonly definition: Definition;
  /** The fields of its input and output, for masking. */
  readonly fields: Fields;
}

/** Whether the value of a parameter is a file of this machine. An agent could send any file. */
const isLocal = (field: Field): boolean => field.kind === 'file' || field.local === true;

/** An endpoint without parameters that are files; undefined if it requires one. */
function withoutFiles({ usage: _, ...endpoint }: Endpoint): Endpoint | undefined {
  const local = new Set(
    Object.entries(endpoint.takes).flatMap(([name, field]) => (isLocal(field) ? [name] : [])),
  );
  if (local.size === 0) return endpoint;
  const takes: Record<string, Field> = {};
  for (const [name, field] of Object.entries(endpoint.takes)) {
    const { orElse, ...rest } = field;
    const others = orElse?.filter((other) => !local.has(other)) ?? [];
    if (local.has(name) && field.required && others.length === 0) return undefined;
    if (!local.has(name)) takes[name] = others.length > 0 ? { ...rest, orElse: others } : rest;
  }
  return { ...endpoint, takes };
}

/** The command of a tool, without parameters that are files of this machine; undefined if it cannot be a tool. */
function toolCommand(command: RunnableCommand): RunnableCommand | undefined {
  const { area, declaration, endpoints, flags } = command;
  if (declaration) {
    const { tool } = declaration;
    return tool && { ...command, flags: flags.filter(({ name }) => tool.flags.includes(name)) };
  }
  const [first, ...others] = endpoints.map(withoutFiles);
  if (!first || !others.every((one) => one !== undefined)) return undefined;
  return { ...command, ...endpointCommand(area, [first, ...others], flagsFor) };
}

const toolName = (path: string): string => path.replaceAll(/[ -]/g, '_');

async function candidatesOf(entry: Entry): Promise<RunnableCommand[]> {
  const { commands } = await loadArea(entry);
  return commands.map(toolCommand).filter((one) => one !== undefined);
}

/** Find the command of a tool among those of all areas. */
export async function commandOf(tool: string): Promise<Command | undefined> {
  const all = await Promise.all(areas.map(candidatesOf));
  return all.flat().find((command) => toolName(pathOf(command)) === tool);
}

/**
 * List the tools of areas.
 * @param writes also list tools that write
 */
export async function toolsOf(entries: readonly Entry[], writes: boolean): Promise<Tool[]> {
  const all = (await Promise.all(entries.map(candidatesOf))).flat();
  const chosen = all.filter((command) => writes || effectOf(command) === 'read');
  const tools = new Map(chosen.map((command) => [pathOf(command), toolName(pathOf(command))]));
  const schemas = await import('../../../docs/schema/command.ts');
  return chosen.map((command): Tool => {
    const names = namesOf(command, tools);
    const result = resultOf(command);
    const continues = effectOf(command) === 'read' && (result === 'rows' || result === 'text');
    return {
      command,
      result,
      continues,
      names,
      fields: knownFields(printedBy(command).concat(command.endpoints)),
      definition: definitionOf({ command, result, continues, names }, toolName(pathOf(command)), schemas),
    };
  });
}

function resultOf(command: Command): Tool['result'] {
  switch (printedBy(command)[0]?.returns.kind) {
    case 'list':
      return 'rows';
    case 'raw':
      return 'text';
    case 'nothing':
      return 'done';
    default:
      return 'object';
  }
}
