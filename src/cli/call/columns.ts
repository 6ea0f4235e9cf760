import type { Column, ColumnKind } from '../../output/model.ts';
import { statusName } from '../../output/table/palette.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Field, type Fields, keysOf } from '../../spec/field.ts';

/** The columns of a table of responses, with their kinds, from the catalogue. */
export function columnsFor(endpoint: Endpoint): Column[] {
  const { returns } = endpoint;
  if (!('fields' in returns)) return [];
  return endpoint.columns.map((path) => ({ path, kind: kindOf(path, fieldAt(returns.fields, path)) }));
}

/** Every attribute of a response, by dotted path. */
export function attributesOf(fields: Fields, prefix = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [`${prefix}${name}`, field],
    ...(field.kind === 'rows' ? [] : attributesOf(keysOf(field) ?? {}, `${prefix}${name}.`)),
  ]);
}

function fieldAt(fields: Fields, path: string): Field | undefined {
  const [first = '', ...rest] = path.split('.');
  const field = fields[first];
  const keys = keysOf(field);
  return rest.length > 0 && keys ? fieldAt(keys, rest.join('.')) : field;
}

function kindOf(path: string, field: Field | undefined): ColumnKind {
  if (statusName.test(path)) return 'status';
  if (field?.kind === 'list' && field.of.kind === 'text' && field.of.long) return 'lines';
  switch (field?.kind) {
    case 'int':
    case 'number':
      return 'number';
    case 'bool':
      return 'bool';
    case 'date':
    case 'datetime':
      return 'time';
    default:
      return 'text';
  }
}
