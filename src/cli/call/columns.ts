import { columnsOf, kindAt, pathOfColumn } from '../../spec/column.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Field, type Fields, fieldOf, keysOf } from '../../spec/field.ts';
import type { Column, ColumnKind } from '../../support/column.ts';

export interface Described {
  readonly columns: readonly Column[];
  readonly kindOf: (path: string) => ColumnKind | undefined;
  readonly hiddenBy: (key: string) => string | undefined;
  readonly isBulky: (key: string) => boolean;
}

const described = new WeakMap<Endpoint, Described>();

/** Describe responses for a table, from the catalogue: columns, and kinds of all attributes. */
export function describe(endpoint: Endpoint): Described {
  const known = described.get(endpoint) ?? describeNew(endpoint);
  described.set(endpoint, known);
  return known;
}

function describeNew({ returns, columns }: Endpoint): Described {
  const fields = 'fields' in returns ? returns.fields : {};
  return {
    columns: columnsOf(columns, fields),
    kindOf: (path) => kindAt(fields, path),
    hiddenBy(key) {
      const field = fieldOf(fields, key);
      return field?.kind === 'text' ? field.hiddenBy : undefined;
    },
    isBulky(key) {
      const field = fieldOf(fields, key);
      return field?.kind === 'text' && field.bulky === true;
    },
  };
}

/** Describe responses with a column for every attribute, those of the usual columns first. */
export function describeAll(endpoint: Endpoint): Described {
  const fields = 'fields' in endpoint.returns ? endpoint.returns.fields : {};
  const usual = endpoint.columns.map((column) => pathOfColumn(column).split('.', 1)[0] as string);
  return describe({ ...endpoint, columns: [...new Set([...usual, ...Object.keys(fields)])] });
}

/** Every attribute of a response, by dotted path. */
export function attributesOf(fields: Fields, prefix = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [`${prefix}${name}`, field],
    ...(field.kind === 'rows' ? [] : attributesOf(keysOf(field) ?? {}, `${prefix}${name}.`)),
  ]);
}
