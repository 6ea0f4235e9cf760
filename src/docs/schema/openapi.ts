/** OpenAPI 3.1 of the API, from the catalogue. */

import { commandName } from '../../spec/command.ts';
import type { Access, Endpoint, Returns } from '../../spec/endpoint.ts';
import type { Field, Fields } from '../../spec/field.ts';
import { placeOf } from '../../spec/request.ts';
import { fieldSchema, isRequiredByApi, type JsonSchema, objectSchema } from './json-schema.ts';
import document from './openapi.json' with { type: 'json' };

interface ApiArea {
  readonly name: string;
  readonly summary: string;
  readonly endpoints: readonly Endpoint[];
}

const input = { of: 'input', api: true } as const;
const output = { of: 'output', api: true } as const;

const pascal = (text: string): string =>
  text.replace(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, first: string) => first.toUpperCase());
const camel = (text: string): string => pascal(text).replace(/^./, (first) => first.toLowerCase());

/** The headers of a page (section 8). */
const pageHeaders = Object.fromEntries(
  Object.keys(document.components.headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

function securityOf({ jobToken, anonymous }: Access): Record<string, string[]>[] {
  if (jobToken === 'only') return [{ jobToken: [] }];
  return [
    { accessToken: [] },
    { bearerToken: [] },
    ...(jobToken ? [{ jobToken: [] }] : []),
    ...(anonymous ? [{}] : []),
  ];
}

/** Schemas of responses by name, shared by the operations that return the same attributes. */
function createSchemas() {
  const names = new Map<Fields, string>();
  const schemas: Record<string, JsonSchema> = { ...document.components.schemas };
  return {
    schemas,
    /** @param titles names for the schema, of which the first free one is used */
    ref(fields: Fields, titles: readonly string[]): JsonSchema {
      const name = names.get(fields) ?? titles.map(pascal).find((one) => !(one in schemas)) ?? '';
      names.set(fields, name);
      schemas[name] ??= objectSchema(fields, output);
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}

/** The template of a path: `/projects/{id}/jobs`. */
const templateOf = ({ path }: Endpoint): string => path.replace(/:([a-z_]+)/g, '{$1}');

function pathParameters({ path, slots, scope }: Endpoint) {
  return [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => {
    const field = slots[name] ?? scope?.id;
    const schema = field ? fieldSchema(field, input) : { type: 'string' };
    const { description, ...type } = schema;
    return { name, in: 'path', required: true, description, schema: type };
  });
}

/** Arrays are sent as `name[]=v`, hashes as `name[key]=v` (section 4.0). */
function queryParameter(name: string, field: Field) {
  const { description, deprecated, ...schema } = fieldSchema(field, input);
  const isList = field.kind === 'list';
  const isHash = !isList && ['hash', 'object'].includes(field.kind);
  return {
    name: isList ? `${name}[]` : name,
    in: 'query',
    required: isRequiredByApi(field) || undefined,
    description,
    deprecated,
    style: isList ? 'form' : isHash ? 'deepObject' : undefined,
    explode: isList || isHash || undefined,
    schema,
  };
}

function fieldsAt(endpoint: Endpoint, place: 'query' | 'body'): [string, Field][] {
  return Object.entries(endpoint.takes).filter(([, field]) => placeOf(endpoint, field) === place);
}

/** Of parameters that are alternatives, one is required. */
function alternatives(fields: readonly (readonly [string, Field])[]): JsonSchema {
  const sets = fields.flatMap(([name, { orElse }]) => (orElse ? [[name, ...orElse].sort()] : []));
  const [names, ...others] = [...new Map(sets.map((set) => [set.join(), set])).values()];
  if (!names) return {};
  const anyOf = (all: readonly string[]) => ({ anyOf: all.map((name) => ({ required: [name] })) });
  return others.length === 0 ? anyOf(names) : { allOf: [names, ...others].map(anyOf) };
}

function requestBody(endpoint: Endpoint) {
  const fields = fieldsAt(endpoint, 'body');
  if (fields.length === 0) return {};
  const schema = (some: readonly (readonly [string, Field])[]) => ({
    schema: { ...objectSchema(Object.fromEntries(some), input), ...alternatives(some) },
  });
  const others = fields.filter(([, { kind }]) => kind !== 'file');
  const files = fields.filter(([, { kind }]) => kind === 'file');
  const needsFile = files.some(([, field]) => isRequiredByApi(field));
  const content = {
    'application/json': needsFile ? undefined : schema(others),
    'multipart/form-data': files.length > 0 ? schema(fields) : undefined,
  };
  return { requestBody: { required: fields.some(([, field]) => field.required) || undefined, content } };
}

/** The schema of a body that is passed on unchanged. A body in JSON is a document. */
const rawSchema = (type: string): JsonSchema => ({ type: /[/+]json$/.test(type) ? 'object' : 'string' });

function contentOf(returns: Returns, ref: (fields: Fields) => JsonSchema) {
  switch (returns.kind) {
    case 'list': {
      if (returns.file !== undefined) return { content: { [returns.file]: { schema: { type: 'string' } } } };
      const one = ref(returns.fields);
      const rows = { type: 'array', items: one };
      return { content: { 'application/json': { schema: returns.orOne ? { anyOf: [rows, one] } : rows } } };
    }
    case 'object':
      return { content: { 'application/json': { schema: ref(returns.fields) } } };
    case 'raw': {
      // A stored file has the type of its content.
      const type = returns.type === 'application/octet-stream' ? '*/*' : returns.type;
      return { content: { [type]: { schema: rawSchema(returns.type) } } };
    }
    case 'headers':
      return {
        headers: Object.fromEntries(
          Object.entries(returns.fields).map(([name, field]) => {
            const { description, ...schema } = fieldSchema(field, output);
            const header = `X-Service-${pascal(name).replace(/(?<=[a-z])(?=[A-Z])/g, '-')}`;
            return [header, { description: description ?? name, schema }];
          }),
        ),
      };
    case 'nothing':
      return {};
  }
}

const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The statuses of errors (section 7). */
const errors = Object.fromEntries(
  (
    [
      [[400, 405, 409, 412, 414, 422], 'Rejected'],
      [[401], 'Unauthorized'],
      [[403], 'Forbidden'],
      [[404], 'NotFound'],
      [[429], 'RateLimited'],
      [[500, 503], 'ServerError'],
    ] as const
  ).flatMap(([statuses, name]) => statuses.map((status) => [status, error(name)])),
);

/**
 * The statuses of a success (section 7). The specification does not show which of them a single write returns. They are listed
 * one by one, as are those of errors: generators of clients know neither `2XX` nor how to tell `default` from a success.
 */
const successes: Readonly<Record<Endpoint['method'], readonly number[]>> = {
  GET: [200],
  HEAD: [200],
  POST: [200, 201],
  PUT: [200, 202],
  PATCH: [200],
  DELETE: [200, 202, 204],
};

function responses(endpoint: Endpoint, ref: (fields: Fields) => JsonSchema) {
  const { returns, method, background } = endpoint;
  const isRead = method === 'GET' || method === 'HEAD';
  const isPaged = returns.kind === 'list' && !returns.unpaged;
  const described = {
    description: returns.kind === 'nothing' ? 'Success' : 'Success, with the result',
    headers: isPaged ? pageHeaders : undefined,
    ...contentOf(returns, ref),
  };
  return {
    ...Object.fromEntries(successes[method].map((status) => [status, described])),
    ...(isRead && background ? { 202: { description: 'Accepted: the result is not ready yet' } } : {}),
    ...errors,
  };
}

/** Unique operation ids: `jobsList`, `badgesListGroup`, `licenseGetById`. */
function operationIds(areas: readonly ApiArea[]): ReadonlyMap<Endpoint, string> {
  const all = areas.flatMap(({ name, endpoints }) =>
    endpoints.map((endpoint) => ({ endpoint, base: `${name} ${commandName(endpoint)}` })),
  );
  const ids = new Map<string, Endpoint>();
  for (const { endpoint, base } of all) {
    const { scope, slots } = endpoint;
    const isSeveral = all.filter((one) => one.base === base).length > 1;
    const scoped = isSeveral && scope ? `${base} ${scope.name}` : base;
    const id = [scoped, `${scoped} by ${Object.keys(slots).join(' ')}`]
      .map(camel)
      .find((one) => !ids.has(one));
    if (id === undefined) throw new Error(`no unique operation id for ${endpoint.method} ${endpoint.path}`);
    ids.set(id, endpoint);
  }
  return new Map([...ids].map(([id, endpoint]) => [endpoint, id]));
}

export function openApi(all: readonly ApiArea[]) {
  const areas = all.map((area) => ({ ...area, endpoints: area.endpoints.filter((one) => !one.unspecified) }));
  const ids = operationIds(areas);
  const { schemas, ref } = createSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { name, endpoints } of areas) {
    for (const endpoint of endpoints) {
      const { method, summary, doc, deprecated, noun, access } = endpoint;
      const id = ids.get(endpoint) ?? '';
      const query = fieldsAt(endpoint, 'query').map((parameter) => queryParameter(...parameter));
      const description = [doc, deprecated === undefined ? undefined : `Deprecated: ${deprecated}`]
        .filter((text) => text !== undefined)
        .join('\n\n');
      const path = templateOf(endpoint);
      const operation = {
        operationId: id,
        tags: [name],
        summary,
        description: description || undefined,
        deprecated: deprecated === undefined ? undefined : true,
        parameters: [...pathParameters(endpoint), ...query],
        ...requestBody(endpoint),
        responses: responses(endpoint, (fields) =>
          ref(fields, [noun ?? `${name} ${commandName(endpoint)}`, id]),
        ),
        security: securityOf(access),
      };
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    }
  }
  const { components, ...facts } = document;
  return {
    ...facts,
    tags: areas.map(({ name, summary }) => ({ name, description: summary })),
    security: securityOf({}),
    paths,
    components: { ...components, schemas },
  };
}
