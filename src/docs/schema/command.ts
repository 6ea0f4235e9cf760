/** The schema of a command: its input, its output and its effect. */
import {
  type Command,
  type CommandGroup,
  effectOf,
  flagFields,
  inputFlags,
  pathOf,
  printedBy,
  scopesOf,
} from '../../spec/command.ts';
import type { Endpoint, Example } from '../../spec/endpoint.ts';
import { type ProgramFlag, valueField } from '../../spec/flag.ts';
import { propertyOf } from '../../spec/names.ts';
import { isRequired } from '../descriptions.ts';
import type { Program } from '../model.ts';
import { dialect, fieldSchema, type JsonSchema, objectSchema, type SchemaOptions } from './json-schema.ts';

export interface SchemaExample extends Example {
  /** The example as an object that the input schema accepts. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Every command, for `svc schema` without arguments. */
export function indexOf(groups: readonly CommandGroup[]) {
  return groups.flatMap(({ commands }) =>
    commands.map((command) => ({
      name: pathOf(command),
      summary: command.summary,
      effect: effectOf(command),
      area: command.area,
    })),
  );
}

function flagSchema(flag: ProgramFlag, options: SchemaOptions): JsonSchema {
  const description = options.describe?.(flag.doc) ?? flag.doc;
  const field = valueField(flag);
  if (!field) return { type: 'boolean', description };
  const one = fieldSchema({ ...field, doc: '' }, { of: 'input' });
  if (flag.repeats) return { type: 'array', items: one, description };
  if (flag.optional) return { anyOf: [{ type: 'boolean' }, one], description };
  return { ...one, description };
}

interface InputOptions extends Pick<SchemaOptions, 'describe'> {
  /** Include the flags of the program, such as `output` and `dry_run`. Without them, the input has only what the API takes. */
  readonly flags: boolean;
}

export function inputSchema(command: Command, { flags, ...more }: InputOptions): JsonSchema {
  const options: SchemaOptions = { ...more, of: 'input', ...(flags && { paths: true }) };
  const properties: Record<string, JsonSchema> = {};
  for (const { field, of, variadic } of command.arguments) {
    const schema = fieldSchema(of, options);
    properties[field] = variadic ? { type: 'array', items: schema } : schema;
  }
  for (const { name, id } of scopesOf(command)) properties[name] = fieldSchema(id, options);
  for (const [name, field] of Object.entries(command.fields))
    properties[name] ??= fieldSchema(field, options);
  if (command.tail !== undefined) {
    const description = `Words after --: ${command.tail}`;
    properties['tail'] = { type: 'array', items: { type: 'string' }, description };
  }
  // The flags of a task are its parameters.
  if (flags || command.endpoints.length === 0)
    for (const flag of inputFlags(command)) properties[propertyOf(flag.name)] ??= flagSchema(flag, options);
  const ofFlags = command.flags
    .filter(({ required }) => required !== undefined)
    .map(({ name }) => propertyOf(name));
  const required = [...requiredIn(command), ...ofFlags];
  return {
    $schema: dialect,
    type: 'object',
    properties,
    required: required.length > 0 ? required : undefined,
    additionalProperties: false,
  };
}

function requiredIn({ endpoints, arguments: args }: Command): string[] {
  // svc prompts for an optional argument that the API requires.
  const isRequiredByAll = (field: string) =>
    endpoints.length > 0 && endpoints.every(({ takes }) => takes[field] && isRequired(takes[field]));
  const ofArguments = args
    .filter(({ required, field }) => required || isRequiredByAll(field))
    .map(({ field }) => field);
  const [first, ...others] = endpoints.map((endpoint) =>
    Object.entries(flagFields(endpoint)).flatMap(([name, field]) => (isRequired(field) ? [name] : [])),
  );
  const ofAll = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  return [...new Set([...ofArguments, ...ofAll])];
}

/** The schema of one row of a list, or of the object that a command returns; `{}` if it is not known. */
export function outputSchema(command: Pick<Command, 'endpoints' | 'prints'>): JsonSchema {
  const schemas = printedBy(command).map(returnSchema);
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only = {}] = distinct;
  return { $schema: dialect, ...(distinct.length > 1 ? { anyOf: distinct } : only) };
}

function returnSchema({ returns }: Endpoint): JsonSchema {
  switch (returns.kind) {
    case 'list':
    case 'object':
    case 'headers':
      return objectSchema(returns.fields, { of: 'output' });
    case 'raw':
      return { type: 'string', contentMediaType: returns.type };
    case 'nothing':
      return { type: 'null' };
  }
}

export function commandSchema(
  command: Command,
  examples: readonly SchemaExample[],
  { exitMeanings }: Pick<Program, 'exitMeanings'>,
) {
  return {
    name: pathOf(command),
    area: command.area,
    summary: command.summary,
    doc: command.docs.join('\n\n') || undefined,
    effect: effectOf(command),
    input: inputSchema(command, { flags: true }),
    output: outputSchema(command),
    requests: command.endpoints.map(({ method, path }) => ({ method, path })),
    examples,
    exit_codes: exitMeanings.map(([code, meaning, kind = null]) => ({ code, kind, meaning })),
  };
}
