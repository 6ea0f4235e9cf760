/**
 * A field is what the API says of one value: a parameter of a call, a slot of a path, or an attribute of an answer.
 * It is plain data. Flags, help, completion, validation and the sandbox's checks are all read from it.
 */

export type Kind =
  | 'text'
  | 'int'
  | 'number'
  | 'bool'
  | 'datetime'
  | 'date'
  | 'list'
  | 'hash'
  | 'rows'
  | 'file'
  | 'object';

/** Where a parameter travels. By default: GET, HEAD and DELETE in the query, else the body. */
export type Place = 'query' | 'body' | 'credential';

export type Tier = 'premium' | 'ultimate';

/** Least role first. `user` is anybody who is signed in. */
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

export type Fields = Readonly<Record<string, Field>>;

export interface Field {
  readonly kind: Kind;
  /** One sentence fragment, no full stop at its end. */
  readonly doc: string;
  readonly required?: true;
  /** Another way to satisfy `required`: one of this field and these must be given. */
  readonly orElse?: readonly string[];
  readonly choices?: readonly (string | number)[];
  /** What the service assumes when the value is left out; told in the help, never sent. */
  readonly default?: string | number | boolean;
  /** Further rule for text: a pattern, and in words what it asks for. */
  readonly pattern?: { readonly test: RegExp; readonly says: string };
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  /** The kind of each item of a `list`. */
  readonly of?: Field;
  /** The keys of a `hash`, `object` or of each of `rows`. A hash without them takes any key. */
  readonly keys?: Fields;
  readonly in?: Place;
  /** Masked wherever it could be seen, and asked for by a hidden prompt. */
  readonly secret?: true;
  /** `@path` reads a file, `-` standard input. */
  readonly long?: true;
  /** Content of a file: what `@path` and `-` read keeps its line terminator. */
  readonly exact?: true;
  /** May be null: in a response, and as a parameter that clears the value. */
  readonly nullable?: true;
  /** What to use instead. */
  readonly deprecated?: string;
  readonly tier?: Tier;
  readonly role?: Role;
  /** A word for the value in usage lines; by default the field's kind. */
  readonly placeholder?: string;
  /** What a shell may offer for it: values that only the service knows. */
  readonly suggest?: 'branch' | 'variable' | 'scope' | 'job' | 'path' | 'project' | 'group';
}

type Extra = Omit<Field, 'kind' | 'doc'>;

const maker =
  (kind: Kind, fixed: Extra = {}) =>
  <const E extends Extra>(doc: string, extra?: E): Field & E => ({ kind, doc, ...fixed, ...(extra as E) });

export const text = maker('text');
/** Text that a person keeps in a file: takes `@path`, `-` and `@@literal`. */
export const long = maker('text', { long: true });
/** Text that nobody else may see: masked everywhere, and takes `@path` and `-`. */
export const secret = maker('text', { long: true, secret: true });
export const url = maker('text', { placeholder: 'url' });
export const int = maker('int');
export const number = maker('number');
export const bool = maker('bool');
/** ISO 8601, with a time. */
export const datetime = maker('datetime');
/** ISO 8601, a day. */
export const date = maker('date');
export const file = maker('file');

/** One of these values and no other: text, or whole numbers where the first one is a number. */
export function choice<const C extends readonly (string | number)[], const E extends Extra = Extra>(
  choices: C,
  doc: string,
  extra?: E,
): Field & E {
  return { kind: typeof choices[0] === 'number' ? 'int' : 'text', doc, choices, ...(extra as E) };
}

/** Several values of one kind: `name[]=a`. Its doc is that of an item, unless it says more. */
export function list(of: Field, doc: string = of.doc, extra: Extra = {}): Field {
  return { kind: 'list', doc, of, ...extra };
}

/** Named values under one name: `name[key]=value`. Without `keys`, any key. */
export function hash(doc: string, keys?: Fields, extra: Extra = {}): Field {
  return { kind: 'hash', doc, ...(keys ? { keys } : {}), ...extra };
}

/** A list of hashes. */
export function rows(doc: string, keys: Fields, extra: Extra = {}): Field {
  return { kind: 'rows', doc, keys, ...extra };
}

/** An attribute of an answer that has attributes of its own. */
export function object(doc: string, keys?: Fields, extra: Extra = {}): Field {
  return { kind: 'object', doc, ...(keys ? { keys } : {}), ...extra };
}

/** The named fields of a set, required. */
export function need<F extends Fields, K extends keyof F>(fields: F, ...names: K[]): Record<K, Field> {
  return mapNamed(fields, names, (field) => ({ ...field, required: true }));
}

/** The named fields of a set, as parameters that may be left out. */
export function pick<F extends Fields, K extends keyof F>(fields: F, ...names: K[]): Record<K, Field> {
  return mapNamed(fields, names, ({ required: _, ...field }) => field);
}

/** A set of fields without the named ones. */
export function omit<F extends Fields, K extends keyof F>(fields: F, ...names: K[]): Omit<F, K> {
  const left: Record<string, Field> = {};
  for (const [name, field] of Object.entries(fields)) if (!names.includes(name as K)) left[name] = field;
  return left as Omit<F, K>;
}

/** The field of a name that may come from anywhere: `constructor`, which every object has, is none. */
export function fieldOf(fields: Fields, name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

const wordless: ReadonlySet<Kind> = new Set(['int', 'number', 'date', 'datetime']);

/** Whether the word `null` for a parameter means null: it may be null, and no value of it is that text. */
export function takesNull({ kind, nullable }: Field): boolean {
  return nullable === true && wordless.has(kind);
}

function mapNamed<F extends Fields, K extends keyof F>(
  fields: F,
  names: readonly K[],
  change: (field: Field) => Field,
): Record<K, Field> {
  const chosen = {} as Record<K, Field>;
  for (const name of names) chosen[name] = change(fields[name] as Field);
  return chosen;
}
