/** The tools of `svc mcp`: one for each command that can be one. */
import { areas, type Entry } from '../../../api/index.ts';
import {
  argumentsOf,
  type Command,
  effectOf,
  endpointCommand,
  flagOf,
  pathOf,
  printedBy,
  scopesOf,
} from '../../../spec/command.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import type { Field, Fields } from '../../../spec/field.ts';
import type { ProgramFlag } from '../../../spec/flag.ts';
import { knownFields } from '../../../spec/mask.ts';
import { kebab, propertyOf } from '../../../spec/names.ts';
import { isIdempotentMethod } from '../../../support/http-method.ts';
import type { TaskTool } from '../../../tasks/context.ts';
import { flagsFor } from '../../argv/flags.ts';
import { namingSlot } from '../../request/confirm.ts';
import { connection, type LookUp, type RunnableCommand } from '../define.ts';

export const maxRows = 50;

type JsonSchema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, JsonSchema>>;
interface InputSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Properties;
  readonly required?: readonly string[];
}

export interface Tool {
  readonly command: RunnableCommand;
  readonly result: 'rows' | 'object' | 'text' | 'done';
  readonly continues: boolean;
  readonly fields: Fields;
  /** Replace the names of flags, arguments and commands in a text by those of parameters and tools. */
  readonly inText: (text: string) => string;
  readonly definition: ReturnType<typeof definitionOf>;
}

/** Whether the value of a parameter is a file of this machine. An agent could send any file. */
const isLocal = (field: Field): boolean => field.kind === 'file' || field.local === true;

/** An endpoint without parameters that are files; undefined if it requires one. */
function withoutFiles({ usage: _, ...endpoint }: Endpoint): Endpoint | undefined {
  const takes: Record<string, Field> = {};
  for (const [name, { orElse, ...rest }] of Object.entries(endpoint.takes)) {
    const others = (orElse ?? []).filter((other) => !isLocal(endpoint.takes[other] as Field));
    if (!isLocal(rest)) takes[name] = others.length > 0 ? { ...rest, orElse: others } : rest;
    else if (rest.required && others.length === 0) return undefined;
  }
  return { ...endpoint, takes };
}

/**
 * The command of a tool, without parameters that are files of this machine, and with defaults of its own; undefined if it cannot be a
 * tool.
 */
function toolCommand(command: RunnableCommand): RunnableCommand | undefined {
  const { area, declaration, endpoints } = command;
  if (declaration) {
    const { tool } = declaration;
    const task = tool?.run ?? declaration.run;
    return tool && { ...command, task, flags: toolFlags(command.flags, tool) };
  }
  const [first, ...others] = endpoints.map(withoutFiles);
  if (!first || !others.every((one) => one !== undefined)) return undefined;
  const { fields, ...more } = endpointCommand(area, [first, ...others], flagsFor);
  const { per_page: size } = fields;
  return {
    ...command,
    ...more,
    fields: size ? { ...fields, per_page: { ...size, default: maxRows } } : fields,
  };
}

const toolFlags = (flags: readonly ProgramFlag[], tool: TaskTool): ProgramFlag[] =>
  flags
    .filter(({ name }) => tool.flags.includes(name))
    .map((flag) => (flag.name === 'wait-timeout' && tool.wait ? { ...flag, default: tool.wait } : flag));

const toolName = (command: Command): string => pathOf(command).replaceAll(/[ -]/g, '_');

const results = { list: 'rows', raw: 'text', nothing: 'done', object: 'object', headers: 'object' } as const;

/** The tasks about several areas that are tools. */
const ofSeveralAreas = ['status', 'find'];

/**
 * List the tools of areas, and if these are all, those about several areas.
 * @param writes also list tools that write
 */
export async function toolsOf(entries: readonly Entry[], writes: boolean, lookUp: LookUp): Promise<Tool[]> {
  const others = entries.length < areas.length ? [] : ofSeveralAreas;
  const names = [...entries.map(({ name }) => name), ...others];
  const groups = await Promise.all(names.map((name) => lookUp.group(name)));
  const chosen = groups
    .flatMap((group) => group?.commands.flatMap((command) => toolCommand(command) ?? []) ?? [])
    .filter((command) => writes || effectOf(command) === 'read');
  const tools = new Map(chosen.map((command) => [pathOf(command), toolName(command)]));
  const schemas = await import('../../../docs/schema/command.ts');
  return chosen.map((command): Tool => {
    const result = results[printedBy(command)[0]?.returns.kind ?? 'object'];
    const continues = effectOf(command) === 'read' && (result === 'rows' || result === 'text');
    const fields = knownFields(printedBy(command).concat(command.endpoints));
    const tool = { command, result, continues, fields, inText: translator(command, tools) };
    return { ...tool, definition: definitionOf(tool, schemas) };
  });
}

/**
 * Return a function that replaces names. A text has a flag as `--name`, an argument as `<name>`, and a command in backticks or after
 * `svc`. Other words are unchanged.
 * @param tools the names of tools by the paths of their commands: `jobs_list` for `jobs list`
 */
function translator(command: RunnableCommand, tools: ReadonlyMap<string, string>): Tool['inText'] {
  const { endpoints, declaration } = command;
  // Flags of the connection are those of the server. The flags of a task are its parameters.
  const flags: readonly (readonly [flag: string, name: string])[] = [
    ...Object.keys(connection).map((name) => [name, `svc mcp --${name}`] as const),
    ...Object.keys(command.fields).map((name) => [kebab(name), name] as const),
    ...endpoints.flatMap((one) => Object.keys(one.takes).map((name) => [flagOf(one, name), name] as const)),
    ...(endpoints.length > 0 ? [] : command.flags.map(({ name }) => [name, propertyOf(name)] as const)),
    ...scopesOf(command).map(({ name }) => [name, name] as const),
  ];
  const names = new Map(flags.map(([flag, name]) => [`--${flag}`, name]));
  for (const { name, field } of [...command.arguments, ...endpoints.flatMap(argumentsOf)])
    names.set(`<${name}>`, field);
  for (const [path, tool] of tools) names.set(`\`${path}`, `\`${tool}`).set(`svc ${path}`, tool);
  const isLacking = (flag: string) => declaration?.flags?.[flag.slice(2)] && !names.has(flag);
  // Alternatives that a tool does not have precede those that it has: `use --projects <file> or --in-group <group>`.
  const alternative = /(?<![a-z-])(--[a-z][a-z-]*)(?: <[^<>]*>)?(?:,| or) /g;
  // The placeholder of the value of a flag is for a command line.
  const reference = /(?:`|\bsvc )[a-z-]+ [a-z][a-z-]*|<[a-z-]+>|(--[a-z][a-z0-9-]*)(?: <[^<>]*>)?/g;
  return (text) =>
    text
      .replace(alternative, (part, flag: string) => (isLacking(flag) ? '' : part))
      .replace(reference, (word, flag: string = word, at: number, whole: string) => {
        const isTool = names.has(word) && word[0] !== '<';
        return `${names.get(flag) ?? word}${isTool && whole.startsWith(' <', at + word.length) ? ' with' : ''}`;
      });
}

function definitionOf(
  { command, result, continues, inText }: Omit<Tool, 'definition'>,
  schemas: typeof import('../../../docs/schema/command.ts'),
) {
  const title = pathOf(command);
  const effect = effectOf(command);
  const isDestructive = effect === 'destructive';
  const calls = command.endpoints;
  // A task that writes may send any request.
  const idempotentHint =
    effect === 'read' || (calls.length > 0 && calls.every(({ method }) => isIdempotentMethod(method)));
  // The protocol assumes the dialect 2020-12, and some programs reject schemas that name it.
  const { $schema: _, ...input } = schemas.inputSchema(command, { flags: false, describe: inText });
  const { properties, required = [] } = input as InputSchema;
  const inputSchema: InputSchema = {
    ...input,
    type: 'object',
    properties: {
      ...properties,
      ...(continues ? { cursor } : {}),
      ...(isDestructive ? { confirm: confirmOf(command) } : {}),
    },
    ...(isDestructive ? { required: [...required, 'confirm'] } : {}),
  };
  return {
    name: toolName(command),
    title,
    description: inText(descriptionOf(command)),
    inputSchema,
    outputSchema: resultSchema(result, continues, outline(schemas.outputSchema(command))),
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      ...(effect === 'read' ? {} : { destructiveHint: isDestructive, idempotentHint }),
    },
  };
}

function descriptionOf({ summary, docs, deprecated, declaration }: RunnableCommand): string {
  const { tool } = declaration ?? {};
  return [
    `${tool?.summary ?? summary}.`,
    ...(tool?.doc === undefined ? docs : [tool.doc]),
    ...(tool?.wait === undefined
      ? []
      : [`Returns after at most ${tool.wait} seconds; wait_timeout changes the limit.`]),
    ...deprecated.map((advice) => `Deprecated: ${advice}.`),
  ].join(' ');
}

function confirmOf({ endpoints }: Command): JsonSchema {
  const slots = endpoints
    .filter(({ confirm }) => confirm)
    .map((one) => (namingSlot(one) === 'id' && one.scope ? one.scope.name : namingSlot(one)));
  return {
    type: 'string',
    description: `Confirmation: the same text as ${[...new Set(slots)].join(' or ')}. Without it, nothing is sent`,
  };
}

const nextCursor = {
  type: ['string', 'null'],
  description: 'Pass it as cursor, with the same arguments, to continue; null at the end',
};
const cursor = { type: 'string', description: 'next_cursor of the previous result, to continue' };

function resultSchema(
  result: Tool['result'],
  continues: boolean,
  item: JsonSchema,
): JsonSchema & { readonly type: 'object' } {
  if (result === 'object') return { ...item, type: 'object' };
  const inner =
    result === 'rows' ? { type: 'array', items: { ...item, type: 'object' } } : { type: 'string' };
  const properties = { [result]: inner, ...(continues ? { next_cursor: nextCursor } : {}) };
  return { type: 'object', properties, required: Object.keys(properties) };
}

/**
 * The structure of an output, without descriptions and limits: they would be most of the list of tools, and a program rejects a result
 * that does not agree with its schema, such as a value that a newer service adds or leaves empty.
 */
function outline({ type, properties, items, anyOf }: JsonSchema): JsonSchema {
  const types = [type ?? []].flat();
  const row = items as JsonSchema | undefined;
  const inner = Object.entries((properties ?? {}) as Properties).map(([name, one]) => [name, outline(one)]);
  return {
    ...(types.length > 0 ? { type: [...new Set([...types, 'null'])] } : {}),
    ...(properties ? { properties: Object.fromEntries(inner) } : {}),
    // A parameter can request objects in place of texts, as with_labels_details does.
    ...(row?.['properties'] ? { items: outline(row) } : {}),
    ...(anyOf ? { anyOf: (anyOf as JsonSchema[]).map(outline) } : {}),
  };
}
