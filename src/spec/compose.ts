import type { ColumnsOf } from './column.ts';
import type { Access, Area, Endpoint, Example, Scope, SlotsOf } from './endpoint.ts';
import { buildEndpoint, listOf, nothing, one } from './endpoint.ts';
import { type Field, type Fields, int } from './field.ts';
import { kebab } from './names.ts';
import { plural } from './noun.ts';

/** `page` and `per_page`: offset pagination, section 8. */
export const paging: Fields = {
  page: int('Page number to start from', { default: 1, min: 1 }),
  per_page: int('Results per page', { default: 20, min: 1, max: 100 }),
};

/**
 * Repeat calls in each scope. An example is kept in the scope that its flag selects; without such a flag, in every scope.
 * @param scopes `undefined` is the instance itself
 */
export function under(
  scopes: Scope | readonly (Scope | undefined)[],
  calls: readonly Endpoint[],
): Endpoint[] {
  const all: readonly (Scope | undefined)[] = 'name' in scopes ? [scopes] : scopes;
  return all.flatMap((scope) => calls.map((call) => inScope(scope, call)));
}

/** Copy a call to a scope. */
export function inScope(scope: Scope | undefined, call: Endpoint): Endpoint {
  const examples = call.examples.filter((example) => belongs(example, scope));
  return scope ? { ...call, examples, path: `${scope.prefix}${call.path}`, scope } : { ...call, examples };
}

/** Copy the named calls of a collection to a scope. */
export function callsIn<K extends string>(
  scope: Scope,
  calls: Readonly<Record<K, Endpoint>>,
): Readonly<Record<K, Endpoint>> {
  const entries = Object.entries<Endpoint>(calls).map(([name, call]) => [name, inScope(scope, call)]);
  return Object.fromEntries(entries) as Record<K, Endpoint>;
}

function belongs(example: Example, scope: Scope | undefined): boolean {
  const words = example.run.split(' ');
  const takes = (name: string) => words.includes(`--${name}`) || words.includes(`-${name[0]}`);
  const named = ['project', 'group'].find(takes);
  return named === undefined || scope?.name === named;
}

interface Part {
  readonly takes?: Fields;
  readonly doc?: string;
  readonly command?: string;
  readonly access?: Access;
  readonly examples: readonly Example[];
}

export interface Crud<P extends string, F extends Fields> {
  readonly section: string;
  /** Singular name of the resource: `badge`. */
  readonly noun: string;
  readonly slots: Readonly<Record<SlotsOf<P>, Field>>;
  readonly columns: ColumnsOf<F>;
  readonly access?: Access;
  readonly list: Part;
  readonly get: Part;
  readonly create: Part;
  readonly update: Part;
  readonly delete: Part;
}

/** The calls of a collection, in the order of its commands. */
export type CrudCalls = Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', Endpoint>>;

/**
 * The usual five calls of a collection: list, get, create, update, delete.
 * It has no options for special cases: change its result instead.
 * @param path collection and slot: `badges/:badge_id`
 * @param fields the attributes of the resource
 */
export function crud<const P extends `${string}/:${string}`, const F extends Fields>(
  path: P,
  fields: F,
  parts: Crud<P, F>,
): CrudCalls {
  const at = path.lastIndexOf('/:');
  const collection = path.slice(0, at);
  const slot = path.slice(at + 2);
  const argument = `<${kebab(slot)}>`;
  const { noun, section, slots } = parts;
  // A numeric id says little without a name.
  const named = fields['id']?.kind === 'int' ? nameOf(fields) : '';
  const draft = (part: Part, command: string, summary: string) => ({
    section,
    noun,
    access: { ...parts.access, ...part.access },
    examples: part.examples,
    ...(part.doc ? { doc: part.doc } : {}),
    command: part.command ?? command,
    summary,
    takes: part.takes ?? {},
    returns: one(fields),
  });
  return {
    list: buildEndpoint('GET', collection, {
      ...draft(parts.list, 'list', `List ${plural(noun)}`),
      takes: { ...parts.list.takes, ...paging },
      returns: listOf(fields),
      columns: parts.columns,
    }),
    get: buildEndpoint('GET', path, { ...draft(parts.get, `get ${argument}`, `Show one ${noun}`), slots }),
    create: buildEndpoint('POST', collection, {
      ...draft(parts.create, 'create', `Create a ${noun}`),
      done: `Created ${noun} {${fields[slot] ? slot : 'id'}}${named}`,
    }),
    update: buildEndpoint('PUT', path, {
      ...draft(parts.update, `update ${argument}`, `Change a ${noun}`),
      slots,
      done: `Updated ${noun} {${slot}}${named}`,
    }),
    delete: buildEndpoint('DELETE', path, {
      ...draft(parts.delete, `delete ${argument}`, `Delete a ${noun}`),
      slots,
      returns: nothing,
      confirm: 'yes',
      done: `Deleted ${noun} {${slot}}`,
    }),
  };
}

/** ` ({name})` for the attribute that names a resource with a numeric id. */
function nameOf(fields: Fields): string {
  const name = ['name', 'title'].find((one) => fields[one]);
  return name === undefined ? '' : ` ({${name}})`;
}

/**
 * An area of the API: the commands of `svc <area>`.
 * @param doc details for help that apply to all of its commands
 */
export function area(endpoints: readonly Endpoint[], doc?: string): Area {
  return doc === undefined ? { endpoints } : { doc, endpoints };
}
