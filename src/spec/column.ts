/** Columns as the catalogue declares them. */
import { type Column, type ColumnKind, kindOfName, labelOf } from '../support/column.ts';
import { type Field, type Fields, fieldOf, itemOf, type Kind, keysOf } from './field.ts';

/** A path whose label and kind follow from its name and its field, or a path with others. */
export type ColumnDraft<P extends string = string> =
  | P
  | { readonly path: P; readonly label?: string; readonly kind?: ColumnKind; readonly keep?: true };

/** Columns of an object with the attributes `F`: names of attributes, and paths to attributes inside them. */
export type ColumnsOf<F> = readonly ColumnDraft<(keyof F & string) | `${keyof F & string}.${string}`>[];

export function columnsOf(drafts: readonly ColumnDraft[], fields: Fields): Column[] {
  return drafts.map((draft) => {
    const { path, label, kind, keep } = typeof draft === 'string' ? { path: draft } : { ...draft };
    return { path, label: label ?? labelOf(path), kind: kind ?? kindAt(fields, path) ?? 'text', keep };
  });
}

export function pathOfColumn(draft: ColumnDraft): string {
  return typeof draft === 'string' ? draft : draft.path;
}

/** Return the kind of an attribute from its field; undefined if the attribute is not declared. */
export function kindAt(fields: Fields, path: string): ColumnKind | undefined {
  const field = fieldAt(fields, path);
  return field && kindOf(path, field);
}

/** Return the field of an attribute, or of one inside it: `author.username`. The index of an item leads to the item: `files.0.path`. */
export function fieldAt(fields: Fields, path: string): Field | undefined {
  const [first = '', ...inner] = path.split('.');
  return inner.reduce<Field | undefined>(
    (at, key) => {
      const isIndex = /^\d*$/.test(key);
      if (isIndex && at?.kind === 'list') return at.of;
      return isIndex && at?.kind === 'rows' ? at : at && fieldOf(keysOf(itemOf(at)) ?? {}, key);
    },
    fieldOf(fields, first),
  );
}

const fixed: Partial<Record<Kind, ColumnKind>> = { bool: 'flag', date: 'time', datetime: 'time' };
const numeric: readonly unknown[] = ['id', 'duration', 'size', 'state'];

function kindOf(path: string, field: Field): ColumnKind {
  const named = kindOfName(path) ?? 'text';
  if (field.kind === 'text') return named;
  if (field.kind === 'int' || field.kind === 'number') return numeric.includes(named) ? named : 'number';
  if (field.kind === 'list' && field.of.kind === 'text' && field.of.long) return 'lines';
  return fixed[field.kind] ?? 'text';
}

/** Every attribute of a response and of the objects in it, by the dotted path that `--fields` accepts. */
export function attributesOf(fields: Fields, prefix = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [`${prefix}${name}`, field],
    ...attributesOf(keysOf(itemOf(field)) ?? {}, `${prefix}${name}.`),
  ]);
}
