import { columnsOf, kindAt } from '../../spec/column.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Field, type Fields, keysOf } from '../../spec/field.ts';
import type { Column, ColumnKind } from '../../support/column.ts';

export interface Described {
  readonly columns: readonly Column[];
  readonly kindOf: (path: string) => ColumnKind | undefined;
}

/** Describe responses for a table, from the catalogue: the columns, and the kind of any other attribute. */
export function describe({ returns, columns }: Endpoint): Described {
  const fields = 'fields' in returns ? returns.fields : {};
  return { columns: columnsOf(columns, fields), kindOf: (path) => kindAt(fields, path) };
}

/** Every attribute of a response, by dotted path. */
export function attributesOf(fields: Fields, prefix = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [`${prefix}${name}`, field],
    ...(field.kind === 'rows' ? [] : attributesOf(keysOf(field) ?? {}, `${prefix}${name}.`)),
  ]);
}
