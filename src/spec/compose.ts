import type { Access, Area, Endpoint, Example, Scope } from './endpoint.ts';
import { endpoint, listOf, nothing, one } from './endpoint.ts';
import { type Field, type Fields, int } from './field.ts';

/** `page` and `per_page`: offset pagination, section 8. */
export const paging: Fields = {
  page: int('Page number to start from', { default: 1, min: 1 }),
  per_page: int('Results per page', { default: 20, min: 1, max: 100 }),
};

/**
 * Repeat calls in each scope. An example is kept in the scope that its flag selects; without such a flag, in every scope.
 * @param scopes `undefined` is the instance itself
 */
export function under<const T extends readonly Endpoint[]>(
  scope: Scope,
  calls: T,
): { readonly [K in keyof T]: Endpoint };
export function under(scopes: readonly (Scope | undefined)[], calls: readonly Endpoint[]): Endpoint[];
export function under(
  scopes: Scope | readonly (Scope | undefined)[],
  calls: readonly Endpoint[],
): readonly Endpoint[] {
  const all = Array.isArray(scopes) ? (scopes as readonly (Scope | undefined)[]) : [scopes as Scope];
  return all.flatMap((scope) =>
    calls.map((call) => {
      const examples = call.examples.filter((example) => belongs(example, scope));
      return scope
        ? { ...call, examples, path: `${scope.prefix}${call.path}`, scope }
        : { ...call, examples };
    }),
  );
}

function belongs(example: Example, scope: Scope | undefined): boolean {
  const named =
    /(?:^|\s)--(project|group)\b/.exec(example.run)?.[1] ?? /(?:^|\s)-([pg])\b/.exec(example.run)?.[1];
  if (named === undefined) return true;
  return scope?.name.startsWith(named[0] as string) ?? false;
}

interface Part {
  readonly takes?: Fields;
  readonly doc?: string;
  readonly command?: string;
  readonly access?: Access;
  readonly examples: readonly Example[];
}

export interface Crud {
  readonly section: string;
  /** Singular name of the resource: `badge`. */
  readonly noun: string;
  readonly slot: Field;
  readonly columns: readonly string[];
  readonly access?: Access;
  readonly list: Part;
  readonly get: Part;
  readonly create: Part;
  readonly update: Part;
  readonly delete: Part;
}

/**
 * The usual five calls of a collection: list, get, create, update, delete.
 * It has no options for special cases: change its result instead.
 * @param path collection and slot: `badges/:badge_id`
 * @param fields the attributes of the resource
 */
export function crud(
  path: `${string}/:${string}`,
  fields: Fields,
  parts: Crud,
): [list: Endpoint, get: Endpoint, create: Endpoint, update: Endpoint, remove: Endpoint] {
  const at = path.lastIndexOf('/:');
  const collection = path.slice(0, at);
  const slotName = path.slice(at + 2);
  const argument = `<${slotName.replaceAll('_', '-')}>`;
  const { noun, section } = parts;
  const slots = { [slotName]: parts.slot } as Record<string, Field>;
  const columns = parts.columns as never;
  const item = path as `${string}:${string}`;
  const draft = (part: Part, usual: { command: string; summary: string }) => ({
    section,
    access: { ...parts.access, ...part.access },
    examples: part.examples,
    ...(part.doc ? { doc: part.doc } : {}),
    ...usual,
    ...(part.command ? { command: part.command } : {}),
  });
  return [
    endpoint(`GET ${collection}`, {
      ...draft(parts.list, { command: 'list', summary: `List ${noun}s` }),
      takes: { ...parts.list.takes, ...paging },
      returns: listOf(fields),
      columns,
    }),
    endpoint(`GET ${item}`, {
      ...draft(parts.get, { command: `get ${argument}`, summary: `Show one ${noun}` }),
      slots,
      takes: parts.get.takes ?? {},
      returns: one(fields),
    } as never),
    endpoint(`POST ${collection}`, {
      ...draft(parts.create, { command: 'create', summary: `Create a ${noun}` }),
      takes: parts.create.takes ?? {},
      returns: one(fields),
    }),
    endpoint(`PUT ${item}`, {
      ...draft(parts.update, { command: `update ${argument}`, summary: `Change a ${noun}` }),
      slots,
      takes: parts.update.takes ?? {},
      returns: one(fields),
    } as never),
    endpoint(`DELETE ${item}`, {
      ...draft(parts.delete, { command: `delete ${argument}`, summary: `Delete a ${noun}` }),
      slots,
      takes: parts.delete.takes ?? {},
      returns: nothing,
      confirm: 'yes',
    } as never),
  ];
}

/**
 * An area of the API: the commands of `svc <area>`.
 * @param doc details for help that apply to all of its commands
 */
export function area(endpoints: readonly Endpoint[], doc?: string): Area {
  return doc === undefined ? { endpoints } : { doc, endpoints };
}
