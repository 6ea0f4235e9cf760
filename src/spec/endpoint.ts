import { type Field, type Fields, fieldOf, type Role, type Tier } from './field.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** A place where calls can be made: the `:id` that a flag fills. */
export interface Scope {
  readonly name: 'project' | 'group';
  readonly prefix: string;
  readonly id: Field;
}

/**
 * What a call answers with.
 * - `list`: an array, in pages; `object`: one JSON object; `raw`: bytes of any kind; `headers`: facts in `X-Service-*` headers;
 *   `nothing`: an empty body, or one that says no more than that it worked.
 */
export type Returns =
  | { readonly kind: 'list'; readonly fields: Fields; readonly unpaged?: true; readonly orOne?: true }
  | { readonly kind: 'object'; readonly fields: Fields }
  | { readonly kind: 'headers'; readonly fields: Fields }
  | { readonly kind: 'raw'; readonly type: string }
  | { readonly kind: 'nothing' };

export interface Example {
  /** What it does, as one would tell a colleague. No full stop. */
  readonly does: string;
  /** The command line after `svc `. It runs in a fresh sandbox. */
  readonly run: string;
}

/** What a caller must be or have. What is not said here, the service decides. */
export interface Access {
  readonly role?: Role;
  readonly tier?: Tier;
  readonly offering?: 'self-managed' | 'hosted';
  /** Works without any token (on what is public). */
  readonly anonymous?: true;
  /**
   * Scopes of access tokens: by default `api`, or `read_api` to read. `read_repository` is enough too where it is named;
   * where `api` is named, nothing less is.
   */
  readonly scope?: 'read_repository' | 'api';
  /** Known to take a job token: `only` where nothing else will do. */
  readonly jobToken?: 'only' | 'also';
}

/** Keyset pagination of a list: the orders that it supports. The first of each is the order that the list has by default. */
export interface Keyset {
  readonly order_by: readonly string[];
  readonly sort: readonly string[];
}

export interface Endpoint {
  readonly method: Method;
  /** With its scope's prefix and a leading slash: `/projects/:id/badges/:badge_id`. */
  readonly path: string;
  /** The section of the specification. */
  readonly section: string;
  readonly scope?: Scope;
  /** Name and arguments: `update <key> [value]`. An argument is a slot or a parameter, in kebab-case. */
  readonly command: string;
  /** Arguments that go by another name than their field. */
  readonly as: Readonly<Record<string, string>>;
  /** One line for the list of commands: a verb first, no full stop. */
  readonly summary: string;
  /** What a person should know beyond the summary. */
  readonly doc?: string;
  /** The slots of the path but the scope's, in path order. */
  readonly slots: Fields;
  readonly takes: Fields;
  readonly returns: Returns;
  /** What a table shows, unless `--fields` says otherwise. */
  readonly columns: readonly string[];
  readonly access: Access;
  /** Requires confirmation because it is destructive. `name`: the user must type the name of the resource. */
  readonly confirm?: 'yes' | 'name';
  /** What it starts, or shows, ends in the background; a `document` can then be downloaded. */
  readonly later?: 'outcome' | 'document';
  readonly keyset?: Keyset;
  /** The call is deprecated: what replaces it. */
  readonly deprecated?: string;
  /** The specification mentions this call at most by name: path and shape follow what such services are known to do. */
  readonly unspecified?: true;
  readonly examples: readonly Example[];
}

/** The content of one file of `api/`. Its name and summary are in `api/index.ts`. */
export interface Area {
  readonly doc?: string;
  readonly endpoints: readonly Endpoint[];
}

type SlotsOf<P extends string> = P extends `${string}:${infer Slot}/${infer Rest}`
  ? Slot | SlotsOf<Rest>
  : P extends `${string}:${infer Slot}`
    ? Slot
    : never;

type FieldNames<A extends Returns> = A extends { fields: infer F } ? keyof F & string : never;
type Columns<A extends Returns> = readonly (FieldNames<A> | `${FieldNames<A>}.${string}`)[];

/** What `endpoint` asks for: a slot that is missing or undeclared, or an unknown column, does not compile. */
export interface Draft<P extends string, A extends Returns> {
  readonly section: string;
  readonly command: string;
  readonly as?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly doc?: string;
  readonly slots?: Readonly<Record<SlotsOf<P>, Field>>;
  readonly takes?: Fields;
  readonly returns: A;
  readonly columns?: Columns<A>;
  readonly access?: Access;
  readonly confirm?: 'yes' | 'name';
  readonly later?: 'outcome' | 'document';
  readonly keyset?: Keyset;
  readonly deprecated?: string;
  readonly unspecified?: true;
  readonly examples: readonly Example[];
}

type Slotted<P extends string> = [SlotsOf<P>] extends [never]
  ? { readonly slots?: never }
  : { readonly slots: Readonly<Record<SlotsOf<P>, Field>> };

/**
 * Write one call of the API.
 * @param call method and path without the scope's prefix: `GET badges/:badge_id`
 * @param draft everything else; see `Endpoint`
 */
export function endpoint<const P extends string, const A extends Returns>(
  call: `${Method} ${P}`,
  draft: Draft<P, A> & Slotted<P>,
): Endpoint {
  const space = call.indexOf(' ');
  const method = call.slice(0, space) as Method;
  const { takes = {} } = draft;
  return {
    method,
    path: `/${call.slice(space + 1)}`,
    as: {},
    slots: {},
    columns: [],
    access: {},
    ...draft,
    takes: method === 'PUT' || method === 'PATCH' ? asChanges(takes, draft.returns) : takes,
  };
}

/**
 * The parameters of an update. An attribute of the object that is left out keeps its value, so its default is that of the
 * creation only; and an attribute that may be null can be set to null.
 */
function asChanges(takes: Fields, returns: Returns): Fields {
  const attributes = 'fields' in returns ? returns.fields : {};
  return Object.fromEntries(
    Object.entries(takes).map(([name, field]) => {
      const attribute = fieldOf(attributes, name);
      if (!attribute) return [name, field];
      const { default: _, ...change } = field;
      // A boolean parameter is never null (section 4.0).
      return [name, attribute.nullable && field.kind !== 'bool' ? { ...change, nullable: true } : change];
    }),
  );
}

/** An array of things with these attributes, in pages. */
export const listOf = <F extends Fields>(fields: F) => ({ kind: 'list', fields }) as const;
/** An array that the service gives whole, whatever its length. */
export const wholeListOf = <F extends Fields>(fields: F) =>
  ({ kind: 'list', fields, unpaged: true }) as const;
/** An array, or one object alone: the specification says "a record", and servers differ in it. */
export const oneOrMore = <F extends Fields>(fields: F) =>
  ({ kind: 'list', fields, unpaged: true, orOne: true }) as const;
/** One JSON object with these attributes. */
export const one = <F extends Fields>(fields: F) => ({ kind: 'object', fields }) as const;
/** No body: facts in `X-Service-*` headers, by the rest of their names. */
export const headersOf = <F extends Fields>(fields: F) => ({ kind: 'headers', fields }) as const;
/** Bytes, passed on as they come. */
export const raw = (type = 'application/octet-stream') => ({ kind: 'raw', type }) as const;
/** A body that is empty, or says no more than that it worked. */
export const nothing = { kind: 'nothing' } as const;
