import type { Column, ColumnKind } from '../../output/index.ts';
import { statusName } from '../../output/table/palette.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Field, Fields } from '../../spec/field.ts';

/** What a table shows of an answer, with the kind of each column, read from the catalogue. */
export function columnsFor(endpoint: Endpoint): Column[] {
  const { returns } = endpoint;
  if (!('fields' in returns)) return [];
  return endpoint.columns.map((path) => ({ path, kind: kindOf(path, fieldAt(returns.fields, path)) }));
}

/** Every attribute of an answer by its dotted path, with its field. */
export function attributesOf(fields: Fields, prefix = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]) => [
    [`${prefix}${name}`, field] as [string, Field],
    ...(field.keys && field.kind !== 'rows' ? attributesOf(field.keys, `${prefix}${name}.`) : []),
  ]);
}

function fieldAt(fields: Fields, path: string): Field | undefined {
  const [first, ...rest] = path.split('.');
  const field = fields[first as string];
  return rest.length > 0 && field?.keys ? fieldAt(field.keys, rest.join('.')) : field;
}

function kindOf(path: string, field: Field | undefined): ColumnKind {
  if (statusName.test(path)) return 'status';
  if (field?.kind === 'list' && field.of?.long) return 'lines';
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
