/** Build the endpoints of an area. Omitted facts follow from method, path and noun. */

import { lazy } from '../support/record.ts';
import type { ColumnDraft, ColumnsOf } from './column.ts';
import { commandName } from './command.ts';
import {
  type Access,
  type Area,
  type Endpoint,
  type Example,
  listOf,
  type Method,
  nothing,
  type Operation,
  one,
  type Presentation,
  type Returns,
  returnedFields,
  type Scope,
  wholeListOf,
} from './endpoint.ts';
import { type Field, type Fields, fieldOf, int } from './field.ts';
import { kebab, plural, upperFirst, withArticle } from './names.ts';

/** `page` and `per_page`: offset pagination, section 8. */
export const paging: Fields = {
  page: int('Page number to start from', { default: 1, min: 1 }),
  per_page: int('Results per page', { default: 20, min: 1, max: 100 }),
};

interface AreaFacts<F extends Fields = Fields> {
  /** Singular name of the resource: `badge`. */
  readonly noun: string;
  readonly scope?: Scope | undefined;
  readonly access?: Access;
  /** The attributes of the resource, which its calls return unless they declare others. */
  readonly fields?: F;
  readonly columns?: NoInfer<ColumnsOf<F>>;
  /** Attributes to print of a single resource; by default all. */
  readonly details?: NoInfer<ColumnsOf<F>>;
  /** Slots that are not ids, such as `key`. The field of a slot `badge_id` follows from its name. */
  readonly slots?: Fields;
  /** The argument of examples that follow from a call. */
  readonly sample?: string;
  readonly deprecated?: string;
}

/** The declaration of an endpoint. An unknown column does not compile. */
type Draft<A extends Returns | undefined, F extends Fields> = Partial<
  Omit<Operation, 'method' | 'path' | 'returns'> & Omit<Presentation, 'columns' | 'examples'>
> & {
  readonly returns?: A;
  readonly columns?: ColumnsOf<A extends { fields: infer G } ? G : F>;
  /** Descriptions and the words after the name of the command, without `--project` or `--group` of the scope. */
  readonly examples?: Readonly<Record<string, string>>;
};

/**
 * Return a function that defines the endpoints of an area by method and path, without the prefix of the scope: `GET badges/:badge_id`.
 * @param name the area: `badges`
 */
export function inArea<const F extends Fields>(name: string, facts: AreaFacts<F>) {
  return <const A extends Returns | undefined = undefined>(
    call: `${Method} ${string}`,
    draft: Draft<A, F>,
  ): Endpoint => buildEndpoint(name, facts, call, draft as Draft<A, Fields>);
}

function buildEndpoint(
  area: string,
  facts: AreaFacts,
  call: string,
  draft: Draft<Returns | undefined, Fields>,
): Endpoint {
  const { columns, examples, slots = {}, takes = {}, command, summary, done, ...others } = draft;
  const [method, path] = call.split(' ', 2) as [Method, string];
  const { noun, scope } = facts;
  const returns = draft.returns ?? returnedBy(method, path, facts);
  const isOwn = 'fields' in returns && returns.fields === facts.fields;
  const isList = returns.kind === 'list';
  const confirm = draft.confirm ?? (method === 'DELETE' ? 'yes' : undefined);
  const words = () => wordsFor(endpoint, facts);
  const computed = lazy({
    slots: () => slotsOf(path, { ...facts.slots, ...slots }, (slot) => idField(slot, area, noun)),
    takes: () => takenBy(method, takes, returns),
    command: () => withArguments(command ?? nameFor(method, path, noun, isList), endpoint.slots),
    summary: () => summary ?? words().summary,
    done: () => done ?? words().done,
    examples() {
      const plain = [
        ...(Object.keys(endpoint.slots).length > 0 ? [facts.sample] : []),
        ...(confirm ? ['--yes'] : []),
      ];
      const name = `${area} ${commandName(endpoint)}`;
      return examplesOf(examples ?? { [endpoint.summary]: plain.join(' ') }, name, scope);
    },
  });
  const endpoint: Endpoint = Object.assign(computed, {
    argumentFields: {},
    ...(isList ? { noun } : {}),
    ...(facts.deprecated === undefined ? {} : { deprecated: facts.deprecated }),
    ...others,
    ...(confirm ? { confirm } : {}),
    ...(scope ? { scope } : {}),
    method,
    path: `${scope?.prefix ?? ''}/${path}`,
    returns,
    columns: columns ?? (isOwn ? ((isList ? facts.columns : facts.details) ?? []) : []),
    access: { ...facts.access, ...draft.access },
  });
  return endpoint;
}

/** Examples of a command in the sandbox. @param shown descriptions and the words after the name of the command */
export function examplesOf(
  shown: Readonly<Record<string, string>>,
  name: string,
  scope: Scope | undefined,
): Example[] {
  const place = scope?.name === 'project' ? ' --project acme/rocket' : ' --group acme';
  return Object.entries(shown).map(([does, words]) => {
    const run = `${name} ${words}`.trimEnd();
    const isPlaced = !scope || / --(project|group) /.test(run);
    return { does, run: isPlaced ? run : run.replace(/(?= -)|$/, place) };
  });
}

function slotsOf(path: string, known: Fields, otherwise: (slot: string) => Field): Fields {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, fieldOf(known, name) ?? otherwise(name)]));
}

/** The field of a slot such as `badge_id`. The ids of the resource itself are those that the area lists. */
function idField(slot: string, area: string, noun: string): Field {
  if (!/(^|_)id$/.test(slot)) throw new Error(`${area}: the slot ${slot} has no description`);
  const subject = slot === 'id' ? noun : slot.replace(/_id$/, '').replaceAll('_', ' ');
  const source = noun.endsWith(subject) ? ` from \`${area} list\`` : '';
  return int(`${upperFirst(subject)} id${source}`);
}

/** An area without columns has no list. */
function returnedBy(method: Method, path: string, { fields = {}, columns }: AreaFacts): Returns {
  if (method === 'DELETE') return nothing;
  return method === 'GET' && columns && !/:\w+$/.test(path) ? listOf(fields) : one(fields);
}

/** `retry` for `POST jobs/:job_id/retry`; for a resource or its list, the usual name for the method. */
function nameFor(method: Method, path: string, noun: string, isList: boolean): string {
  const [, part] = /:\w+\/(\w+)$/.exec(path) ?? [];
  if (part === undefined || part === plural(noun).replaceAll(' ', '_'))
    return isList ? 'list' : names[method];
  return method === 'HEAD' ? `${kebab(part)}-head` : kebab(part);
}

const names: Readonly<Record<Method, string>> = {
  GET: 'get',
  HEAD: 'head',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

function withArguments(command: string, slots: Fields): string {
  if (command.includes(' ')) return command;
  return [command, ...Object.keys(slots).map((slot) => `<${kebab(slot)}>`)].join(' ');
}

type Words = Pick<Endpoint, 'summary' | 'done'>;

/** The summary of an ordinary command, and the confirmation of a write. Without a slot, it is about the only resource of its scope. */
function wordsFor(endpoint: Endpoint, { noun, scope }: AreaFacts): Words {
  const fields = returnedFields(endpoint);
  const [slot] = Object.keys(endpoint.slots).slice(-1);
  const name = ['name', 'title'].find((attribute) => fieldOf(fields, attribute));
  // A numeric id says little without a name.
  const named = name === undefined || fields['id']?.kind !== 'int' ? '' : ` ({${name}})`;
  const words: Readonly<Record<string, Words>> = {
    list: { summary: `List ${plural(noun)}` },
    get: { summary: slot ? `Show one ${noun}` : `Show the ${noun}` },
    create: { summary: `Create ${withArticle(noun)}`, done: `Created ${noun} {id}${named}` },
    update: slot
      ? { summary: `Change ${withArticle(noun)}`, done: `Updated ${noun} {${slot}}${named}` }
      : { summary: `Change the ${noun}`, done: `Updated the ${noun}${scope ? ' of {scope}' : ''}` },
    delete: { summary: `Delete ${withArticle(noun)}`, done: `Deleted ${noun} {${slot}}` },
  };
  return words[commandName(endpoint)] ?? { summary: '' };
}

function takenBy(method: Method, takes: Fields, returns: Returns): Fields {
  if (method === 'PUT' || method === 'PATCH') return asChanges(takes, returns);
  const isPaged = returns.kind === 'list' && !returns.unpaged;
  // A list can describe `page` itself.
  return isPaged ? { ...takes, ...paging, ...takes } : takes;
}

/**
 * The parameters of an update. An omitted attribute keeps its value, so its default applies only to creation. A nullable
 * attribute can be set to null.
 */
function asChanges(takes: Fields, returns: Returns): Fields {
  const attributes = returnedFields({ returns });
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

/** The base of endpoints that only describe data of a task. */
const withoutRequest = inArea('', { noun: '' })('GET ', {});

/**
 * Describe rows that a task computes. A table has a column for each field, except rows.
 * @param own what differs from the column that follows from a field; null for no column
 */
export function computedRows<F extends Fields>(
  noun: string,
  fields: F,
  own: { readonly [N in keyof F]?: Omit<Exclude<ColumnDraft, string>, 'path'> | null } = {},
): Endpoint {
  const shown = Object.keys(fields).filter((name) => own[name] !== null && fields[name]?.kind !== 'rows');
  const columns = shown.map((path) => ({ path, ...own[path] }));
  return { ...withoutRequest, noun, returns: wholeListOf(fields), columns };
}

/** Describe an object that a task computes. */
export const computedObject = (fields: Fields, columns: Endpoint['columns'] = []): Endpoint => ({
  ...withoutRequest,
  returns: one(fields),
  columns,
});

/**
 * An area of the API: the commands of `svc <area>`.
 * @param doc details for help that apply to all of its commands
 */
export const area = (endpoints: readonly Endpoint[], doc?: string): Area => ({
  ...(doc === undefined ? {} : { doc }),
  endpoints,
});
