/** The definition of a tool, as the protocol lists it. */
import { type Command, effectOf, pathOf } from '../../../spec/command.ts';
import { propertyOf } from '../../../spec/names.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { namingSlot } from '../../request/confirm.ts';
import type { RunnableCommand } from '../define.ts';
import type { Names } from './names.ts';

/** Rows of a result. */
export const maxRows = 50;

type JsonSchema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, JsonSchema>>;

export interface InputSchema extends JsonSchema {
  readonly type: 'object';
  readonly properties: Properties;
  readonly required?: readonly string[];
}

export interface Definition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  };
}

/** What the definition of a tool describes. */
export interface Defined {
  readonly command: RunnableCommand;
  /** The shape of its results. */
  readonly result: 'rows' | 'object' | 'text' | 'done';
  /** Results continue with a cursor. */
  readonly continues: boolean;
  /** The words for its parameters in messages. */
  readonly names: Names;
}

/** The functions of `src/docs` that describe a command. */
export interface Schemas {
  inputSchema(command: Command, options: { readonly flags: boolean }): JsonSchema;
  outputSchema(command: Command): JsonSchema;
}

export function definitionOf(
  { command, result, continues, names }: Defined,
  name: string,
  { inputSchema, outputSchema }: Schemas,
): Definition {
  const isDestructive = effectOf(command) === 'destructive';
  const input = bare(inputSchema(command, { flags: false })) as InputSchema;
  return {
    name,
    title: pathOf(command),
    description: descriptionOf(command, names),
    inputSchema: names.inSchema({
      ...input,
      properties: {
        ...withDefaults(input.properties, command.own?.tool?.wait, continues),
        ...(continues ? { cursor } : {}),
        ...(isDestructive ? { confirm: confirmOf(command) } : {}),
      },
      ...(isDestructive ? { required: [...(input.required ?? []), 'confirm'] } : {}),
    }),
    outputSchema: resultSchema(result, outline(outputSchema(command)), continues),
    annotations: annotationsOf(command),
  };
}

/**
 * The structure of an output, without descriptions and limits: they would be most of the list of tools, and a program rejects a result
 * that does not agree with its schema, such as a value that a newer service adds or leaves empty.
 */
function outline(schema: JsonSchema): JsonSchema {
  const { type, properties, items, anyOf } = schema as {
    readonly type?: string | readonly string[];
    readonly properties?: Properties;
    readonly items?: JsonSchema;
    readonly anyOf?: readonly JsonSchema[];
  };
  const types = [type ?? []].flat();
  return {
    ...(types.length > 0 ? { type: [...new Set([...types, 'null'])] } : {}),
    ...(properties ? { properties: mapped(properties, (one) => outline(one)) } : {}),
    // A parameter can request objects in place of texts, as with_labels_details does.
    ...(items?.['properties'] ? { items: outline(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(outline) } : {}),
  };
}

function mapped(
  properties: Properties,
  change: (schema: JsonSchema, name: string) => JsonSchema,
): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, change(schema, name)]));
}

/** The protocol assumes the dialect 2020-12, and some programs reject schemas that name it. */
function bare({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

const nextCursor = {
  type: ['string', 'null'],
  description: 'Pass it as cursor, with the same arguments, to continue; null at the end',
};
const cursor = { type: 'string', description: 'next_cursor of the previous result, to continue' };

function resultSchema(
  result: Defined['result'],
  item: JsonSchema,
  continues: boolean,
): JsonSchema & { type: 'object' } {
  const next: Properties = continues ? { next_cursor: nextCursor } : {};
  const required = Object.keys(next);
  switch (result) {
    case 'rows':
      return {
        type: 'object',
        properties: { rows: { type: 'array', items: { ...item, type: 'object' } }, ...next },
        required: ['rows', ...required],
      };
    case 'text':
      return {
        type: 'object',
        properties: { text: { type: 'string' }, ...next },
        required: ['text', ...required],
      };
    case 'done':
      return { type: 'object', properties: { done: { type: 'string' } }, required: ['done'] };
    case 'object':
      return { ...item, type: 'object' };
  }
}

function descriptionOf(command: RunnableCommand, names: Names): string {
  const { docs, deprecated, own } = command;
  const { summary = command.summary, doc, wait: seconds } = own?.tool ?? {};
  return names.inText(
    [
      `${summary}.`,
      ...(doc === undefined ? docs : [doc]),
      ...(seconds === undefined
        ? []
        : [`Returns after at most ${seconds} seconds; wait_timeout changes the limit.`]),
      ...deprecated.map((advice) => `Deprecated: ${advice}.`),
    ].join(' '),
  );
}

/** State the defaults of the tool that differ from those of the command. */
function withDefaults(properties: Properties, wait: number | undefined, continues: boolean): Properties {
  const defaults = new Map([
    ...(continues ? [['per_page', maxRows] as const] : []),
    ...(wait === undefined ? [] : [[propertyOf('wait-timeout'), wait] as const]),
  ]);
  return mapped(properties, (schema, name) => {
    const value = defaults.get(name);
    if (value === undefined) return schema;
    const description = String(schema['description']).replace(/ \(default: \d+\)$/, '');
    return { ...schema, description, default: value };
  });
}

/** The parameter that confirms a destructive command, which names what to repeat. */
function confirmOf(command: Command): JsonSchema {
  const slots = [
    ...new Set(
      command.endpoints.filter(({ confirm }) => confirm).map((one) => [namingSlot(one), one.scope] as const),
    ),
  ].map(([slot, scope]) => (slot === 'id' && scope ? scope.name : slot));
  return {
    type: 'string',
    description: `Confirmation: the same text as ${[...new Set(slots)].join(' or ')}. Without it, nothing is sent`,
  };
}

function annotationsOf(command: Command): Definition['annotations'] {
  const effect = effectOf(command);
  const title = pathOf(command);
  if (effect === 'read') return { title, readOnlyHint: true };
  return {
    title,
    readOnlyHint: false,
    destructiveHint: effect === 'destructive',
    idempotentHint: command.endpoints.every(({ method }) => isIdempotent(method)),
  };
}

/** RFC 9110 section 9.2.2. */
const isIdempotent = (method: string): boolean =>
  isReadMethod(method) || method === 'PUT' || method === 'DELETE';
