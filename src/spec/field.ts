/**
 * A field describes one value of the API: a parameter, a slot of a path, or an attribute of a response.
 * Flags, help, completion, validation and the sandbox are derived from fields.
 */

import type { NumberRange } from '../support/number.ts';

/** The part of a request that has a parameter. By default: in the query for GET, HEAD and DELETE, otherwise in the body. */
export type Place = 'query' | 'body' | 'credential';

export type Tier = 'premium' | 'ultimate';

/** From the lowest to the highest. `user` is any signed-in user. */
export const roles = [
  'user',
  'guest',
  'reporter',
  'developer',
  'maintainer',
  'owner',
  'administrator',
] as const;
export type Role = (typeof roles)[number];

export interface Feature {
  readonly name: string;
  /** The data that depends on it: a noun phrase without a full stop. */
  readonly doc: string;
}

export type Fields = Readonly<Record<string, Field>>;

/**
 * The values that shell completion offers: paths of files, names that the program knows, or an attribute of the rows of a list command,
 * such as `branches/list/name`.
 */
type Suggestion = 'path' | 'folder' | 'project' | 'group' | 'profile' | NameSource | RowSource;
/** Names that are part of the program: paths and areas of the API, words after `svc`, webhook events, fields that the command prints. */
type NameSource = 'api-path' | 'area' | 'event' | 'column';
export type RowSource = `${string}/${string}/${string}`;

interface Base {
  /** A noun phrase without a full stop. */
  readonly doc: string;
  readonly required?: true;
  /** Alternatives that satisfy `required`: this field or one of these must be given. */
  readonly orElse?: readonly string[];
  /** The value that the service assumes for an omitted parameter. Shown in help, never sent. */
  readonly default?: string | number | boolean;
  /** The value that `svc` sends for a required parameter that is omitted. */
  readonly implied?: string;
  /** One letter for the flag: `m` for `-m`. */
  readonly short?: string;
  readonly in?: Place;
  /** May be null in a response; as a parameter, null clears the value. */
  readonly nullable?: true;
  readonly deprecated?: string;
  readonly tier?: Tier;
  readonly role?: Role;
  /** A parameter that the service ignores if this feature is off. */
  readonly feature?: Feature;
  /** A word for the value in usage lines; by default the kind of the field. */
  readonly placeholder?: string;
  /** The default help page lists the flags of a family by name only, under this title. */
  readonly family?: string;
  /** The source of completion values. Omit it for a slot whose collection is in the same path. */
  readonly suggest?: Suggestion;
  /** Too long to read: a table contains it only with `--fields` or `--all-fields`. */
  readonly bulky?: true;
  /** The path of a file on this machine that `svc` reads. */
  readonly local?: true;
}

export interface TextField extends Base {
  readonly kind: 'text';
  readonly choices?: readonly string[];
  /** A pattern that the text must match, and the error message if it does not. */
  readonly pattern?: { readonly test: RegExp; readonly message: string };
  /** A rule of the service that depends on other parameters: the hint if the service rejects a text that does not match. */
  readonly rule?: { readonly test: RegExp; readonly message: string };
  readonly maxLength?: number;
  /** Masked in all output, and requested by a hidden prompt. */
  readonly secret?: true;
  /** A URL of another server. Its user information and query can be secret, and are masked in prompts, plans and traces. */
  readonly guarded?: true;
  /** The attribute of the same object that is true if the service never returns this value. */
  readonly hiddenBy?: string;
  /** `@path` reads a file, `-` standard input. */
  readonly long?: true;
  /** Markdown, unless the attribute `format` of the same object names another language. */
  readonly markdown?: true;
  /** The attributes of the object that a response has in place of the text if a parameter requests details. */
  readonly details?: Fields;
  /** A path in a slot: its slashes separate segments of the URL. */
  readonly segments?: true;
  /** A secret that is the content of a file: `@path` and `-` keep its line terminator. */
  readonly exact?: true;
}

export interface NumberField extends Base, NumberRange {
  readonly choices?: readonly number[];
}

interface PlainField extends Base {
  readonly kind: 'bool' | 'datetime' | 'date' | 'file';
}

interface ListField extends Base {
  readonly kind: 'list';
  readonly of: Field;
}

interface HashField extends Base {
  readonly kind: 'hash' | 'object';
  /** The known keys. Without them, any key is allowed. */
  readonly keys?: Fields;
}

interface RowsField extends Base {
  readonly kind: 'rows';
  readonly keys: Fields;
}

export type Field = TextField | NumberField | PlainField | ListField | HashField | RowsField;
export type Kind = Field['kind'];

type Extra<F extends Field> = Omit<F, 'kind' | 'doc' | 'of' | 'keys'>;

const define =
  <F extends Field>(fixed: Pick<F, 'kind'> & Partial<F>) =>
  (doc: string, extra: Extra<F> = {} as Extra<F>): F =>
    ({ doc, ...fixed, ...extra }) as F;

const keyed =
  (kind: HashField['kind']) =>
  (doc: string, keys?: Fields, extra: Extra<HashField> = {}): HashField => {
    return { kind, doc, ...(keys ? { keys } : {}), ...extra };
  };

export const text = define<TextField>({ kind: 'text' });
/** Text that is usually kept in a file: accepts `@path`, `-` and `@@literal`. */
export const long = define<TextField>({ kind: 'text', long: true });
/** Text that is masked in all output; accepts `@path` and `-`. */
export const secret = define<TextField>({ kind: 'text', long: true, secret: true });
export const url = define<TextField>({ kind: 'text', placeholder: 'url' });
export const int = define<NumberField>({ kind: 'int' });
export const number = define<NumberField>({ kind: 'number' });
export const bool = define<PlainField>({ kind: 'bool' });
/** ISO 8601 with a time. */
export const datetime = define<PlainField>({ kind: 'datetime' });
/** An ISO 8601 calendar date. */
export const date = define<PlainField>({ kind: 'date' });
export const file = define<PlainField>({ kind: 'file' });
/** Named values under one name: `name[key]=value`. Without `keys`, any key is allowed. */
export const hash = keyed('hash');
/** An attribute of a response that has attributes itself. */
export const object = keyed('object');

export function choice(choices: readonly string[], doc: string, extra: Extra<TextField> = {}): TextField {
  return { kind: 'text', doc, choices, ...extra };
}

/** Several values of one kind: `name[]=a`. The doc defaults to that of an item. */
export function list(of: Field, doc: string = of.doc, extra: Extra<ListField> = {}): ListField {
  return { kind: 'list', doc, of, ...extra };
}

export function rows(doc: string, keys: Fields, extra: Extra<RowsField> = {}): RowsField {
  return { kind: 'rows', doc, keys, ...extra };
}

/** Copy the named fields of a set and make them required. */
export function need<F extends Fields, K extends keyof F>(fields: F, ...names: K[]): Pick<F, K> {
  return mapNamed(fields, names, (field) => ({ ...field, required: true }));
}

/** Copy the named fields of a set and make them optional. */
export function pick<F extends Fields, K extends keyof F>(fields: F, ...names: K[]): Pick<F, K> {
  return mapNamed(fields, names, ({ required: _, orElse: __, ...field }) => field);
}

function mapNamed<F extends Fields, K extends keyof F>(
  fields: F,
  names: readonly K[],
  change: (field: Field) => Field,
): Pick<F, K> {
  return Object.fromEntries(names.map((name) => [name, change(fields[name] as Field)])) as Pick<F, K>;
}

/** Copy a set of fields without the named ones. */
export function omit<F extends Fields, K extends keyof F>(fields: F, ...names: K[]): Omit<F, K> {
  const left = Object.entries(fields).filter(([name]) => !names.includes(name as K));
  return Object.fromEntries(left) as Omit<F, K>;
}

/** The field of each item of a list; any other field itself. */
export function itemOf(field: Field): Exclude<Field, ListField> {
  return field.kind === 'list' ? itemOf(field.of) : field;
}

/** The keys of a hash, an object or a row, if they are known. */
export function keysOf(field: Field | undefined): Fields | undefined {
  return field && 'keys' in field ? field.keys : undefined;
}

export function choicesOf(field: Field): readonly (string | number)[] | undefined {
  const item = itemOf(field);
  return 'choices' in item ? item.choices : undefined;
}

export function isSecret(field: Field | undefined): boolean {
  return field?.kind === 'text' && field.secret === true;
}

export function hasSecret(field: Field | undefined): boolean {
  return isSecret(field) || Object.values(keysOf(field) ?? {}).some(hasSecret);
}

/** The value in a file. A secret of a single line loses its line terminator, as in `echo token |`; all else is kept byte for byte. */
export function fileText(text: string, field: Field | undefined): string {
  const isLine = field?.kind === 'text' && field.secret && !field.exact && /^[^\n]*\n$/.test(text);
  return isLine ? text.replace(/\r?\n$/, '') : text;
}

/** Return the field with this name; names such as `constructor`, which every object inherits, have none. */
export function fieldOf(fields: Fields, name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Whether the word `null` means null for a parameter: it is nullable, and the word is not a valid value. */
export function takesNull({ kind, nullable }: Field): boolean {
  return nullable === true && ['int', 'number', 'date', 'datetime'].includes(kind);
}
