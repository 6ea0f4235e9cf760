/** The tools of `svc mcp`: one for each command that can be one. */
import { areas, type Entry } from '../../../api/index.ts';
import {
  type Command,
  commandName,
  effectOf,
  endpointCommands,
  pathOf,
  printedBy,
} from '../../../spec/command.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import type { Field, Fields } from '../../../spec/field.ts';
import { knownFields } from '../../../spec/mask.ts';
import type { Task, TaskCommand } from '../../../tasks/context.ts';
import { loadArea } from '../../areas.ts';
import { flagsFor } from '../../argv/conditions.ts';
import { describeTask } from '../../tasks.ts';
import { type Defined, type Definition, definitionOf } from './definition.ts';
import { namesOf } from './names.ts';

export interface Tool extends Defined {
  readonly definition: Definition;
  /** Replaces the single request of an ordinary command. */
  readonly task: Task | undefined;
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

/** A task with the flags that are parameters of a tool. */
function taskAsTool(area: string, task: TaskCommand): Command {
  const command = describeTask(area, task);
  return { ...command, flags: command.flags.filter(({ name }) => task.tool?.flags.includes(name)) };
}

const toolName = (path: string): string => path.replaceAll(/[ -]/g, '_');

interface Candidate {
  readonly command: Command;
  readonly task: Task | undefined;
  readonly own?: TaskCommand;
}

async function candidatesOf(entry: Entry): Promise<Candidate[]> {
  const { endpoints, runners, commands } = await loadArea(entry);
  const offered = new Map(endpoints.map((endpoint) => [endpoint, withoutFiles(endpoint)]));
  const excluded = new Set(endpoints.filter((one) => !offered.get(one)).map(commandName));
  const kept = [...offered.values()].filter((one) => one !== undefined && !excluded.has(commandName(one)));
  return [
    ...endpointCommands(entry.name, kept as Endpoint[], flagsFor).map((command) => ({
      command,
      task: runners[command.name],
    })),
    ...commands
      .filter(({ tool }) => tool)
      .map((own) => ({ command: taskAsTool(entry.name, own), task: own.run, own })),
  ];
}

/** Find the command of a tool among those of all areas. */
export async function commandOf(tool: string): Promise<Command | undefined> {
  const all = await Promise.all(areas.map(candidatesOf));
  return all.flat().find(({ command }) => toolName(pathOf(command)) === tool)?.command;
}

/**
 * List the tools of areas.
 * @param writes also list tools that write
 */
export async function toolsOf(entries: readonly Entry[], writes: boolean): Promise<Tool[]> {
  const all = (await Promise.all(entries.map(candidatesOf))).flat();
  const chosen = all.filter(({ command }) => writes || effectOf(command) === 'read');
  const tools = new Map(chosen.map(({ command }) => [pathOf(command), toolName(pathOf(command))]));
  const schemas = await import('../../../docs/schema/command.ts');
  return chosen.map(({ command, task, own }): Tool => {
    const names = namesOf(command, tools);
    const result = resultOf(command);
    const continues = effectOf(command) === 'read' && (result === 'rows' || result === 'text');
    return {
      command,
      task,
      own,
      result,
      continues,
      names,
      fields: knownFields(printedBy(command).concat(command.endpoints)),
      definition: definitionOf(
        { command, own, result, continues, names },
        toolName(pathOf(command)),
        schemas,
      ),
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
