/** JSON Schema (2020-12) of fields. */

import { choicesOf, type Field, type Fields } from '../../spec/field.ts';
import { idNames, namedBy } from '../../spec/names.ts';
import { isRequired } from '../descriptions.ts';

/** Undefined keywords are not written. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export const dialect = 'https://json-schema.org/draft/2020-12/schema';

export interface SchemaOptions {
  /** `input`: what a caller sends; objects refuse unknown properties. `output`: what the service returns, which may have more. */
  readonly of: 'input' | 'output';
  /**
   * For OpenAPI: the request itself, whose required parameters include those that `svc` fills in, and `format`, which not every
   * validator of JSON Schema knows.
   */
  readonly api?: true;
  /** Accept `@path` in place of a list of hashes, as flags do. */
  readonly paths?: true;
  readonly describe?: (text: string) => string;
}

function typeSchema(field: Field, options: SchemaOptions): JsonSchema {
  const isInput = options.of === 'input';
  const type = 'string';
  switch (field.kind) {
    case 'text': {
      const { maxLength, pattern, secret, details } = field;
      // JSON Schema has no flags.
      const test = isInput && pattern?.test.flags === '' ? pattern.test.source : undefined;
      const text = { type, maxLength, pattern: test, writeOnly: isInput ? secret : undefined };
      return details && !isInput ? { anyOf: [text, objectSchema(details, options)] } : text;
    }
    case 'int':
    case 'number': {
      const { kind, min: minimum, max: maximum } = field;
      const number = { type: kind === 'int' ? 'integer' : 'number', minimum, maximum };
      const names = isInput && !options.api ? idNames[namedBy(field.suggest).area] : undefined;
      return names ? { anyOf: [number, { type, pattern: names.source }] } : number;
    }
    case 'bool':
      return { type: 'boolean' };
    case 'datetime':
      return { type, format: options.api && !isInput ? 'date-time' : undefined };
    case 'date':
      return { type, format: options.api && 'date' };
    case 'file':
      return { type, contentMediaType: options.api && 'application/octet-stream' };
    case 'list':
      return { type: 'array', items: fieldSchema(field.of, options) };
    case 'rows': {
      const rows = { type: 'array', items: objectSchema(field.keys, options) };
      return options.paths ? { anyOf: [rows, { type: 'string', pattern: '^@|^-$' }] } : rows;
    }
    case 'hash':
    case 'object':
      return field.keys ? objectSchema(field.keys, options) : { type: 'object' };
  }
}

export function fieldSchema(field: Field, options: SchemaOptions): JsonSchema {
  const schema = typeSchema(field, options);
  const choices = field.kind === 'list' ? undefined : choicesOf(field);
  const isInput = options.of === 'input';
  // The service sends null for a value that it never returns.
  const nullable = field.nullable || (!isInput && 'hiddenBy' in field);
  return {
    ...(nullable ? orNull(schema) : schema),
    enum: choices && (nullable ? [...choices, null] : choices),
    description: (options.describe?.(field.doc) ?? field.doc) || undefined,
    default: isInput ? field.default : undefined,
    deprecated: field.deprecated === undefined ? undefined : true,
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

export function objectSchema(fields: Fields, options: SchemaOptions): JsonSchema {
  const isInput = options.of === 'input';
  const isNeeded = options.api ? isRequiredByApi : isRequired;
  const entries = Object.entries(fields);
  const required = entries.flatMap(([name, field]) => (isInput && isNeeded(field) ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field, options)])),
    required: required.length > 0 ? required : undefined,
    additionalProperties: isInput ? false : undefined,
  };
}

/** Whether the API rejects a request without the parameter. */
export const isRequiredByApi = ({ required, orElse }: Field): boolean => required === true && !orElse;
