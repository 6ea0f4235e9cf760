/** A strict mock of a service, made from its OpenAPI document: it accepts only requests that the document describes. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Request as SvcRequest } from '../../src/http/transport.ts';
import { collect } from '../../src/support/bytes.ts';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly style?: string;
  readonly schema: Json;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Json }>>;
  };
  readonly responses: Readonly<Record<string, Json>>;
  readonly security: readonly Json[];
}

export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly securitySchemes: Readonly<Record<string, { readonly name?: string }>>;
  };
}

/** Texts of a query, a path or a form are read as the type that the schema expects. */
const texts = (addFormats as unknown as (ajv: Ajv2020) => Ajv2020)(
  new Ajv2020({ strict: false, coerceTypes: 'array', allErrors: true }),
);
const jsonAjv = (addFormats as unknown as (ajv: Ajv2020) => Ajv2020)(
  new Ajv2020({ strict: false, allErrors: true }),
);

/** To compile a schema takes longer than many validations. */
const compiled = new Map<Json, ValidateFunction>();

function problems(ajv: Ajv2020, schema: Json, value: unknown, what: string, whole = () => schema): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(boxed(whole()));
  compiled.set(schema, validate);
  // Coercion replaces the members of an object.
  return validate({ value: structuredClone(value) }) ? [] : [`${what}: ${ajv.errorsText(validate.errors)}`];
}

const boxed = (schema: Json): Json => ({ type: 'object', properties: { value: schema } });

/** Remove the root of the API, and match the rest with the templates; literal segments take precedence. */
function findOperation(document: OpenApi, { method, url }: SvcRequest) {
  const [path = ''] = url.replace(/^.*?\/api\/v4/, '').split('?', 1);
  const segments = path.split('/');
  const matches = Object.entries(document.paths).flatMap(([template, item]) => {
    const operation = item[method.toLowerCase()];
    const parts = template.split('/');
    if (!operation || parts.length !== segments.length) return [];
    const values: Record<string, string> = {};
    for (const [at, part] of parts.entries()) {
      const segment = segments[at] ?? '';
      if (part.startsWith('{')) values[part.slice(1, -1)] = decodeURIComponent(segment);
      else if (part !== segment) return [];
    }
    return [{ template, operation, values }];
  });
  return matches.sort((a, b) => Object.keys(a.values).length - Object.keys(b.values).length)[0];
}

function queryProblems(operation: Operation, url: string): string[] {
  const pairs = [...new URL(url).searchParams];
  const known = operation.parameters.filter((one) => one.in === 'query');
  const found: string[] = [];
  const used = new Set<string>();
  for (const { name, style, required, schema } of known) {
    const own = pairs.filter(
      ([key]) => key === name || (style === 'deepObject' && key.startsWith(`${name}[`)),
    );
    for (const [key] of own) used.add(key);
    if (own.length === 0) {
      if (required) found.push(`query ${name} is missing`);
      continue;
    }
    const values = own.map(([, value]) => value);
    const hash: Record<string, unknown> = {};
    if (style === 'deepObject')
      for (const [key, value] of own) {
        const inner = /\[([^\]]*)\](\[\])?/.exec(key);
        const member = inner?.[1] ?? '';
        hash[member] = inner?.[2] ? [...((hash[member] as string[] | undefined) ?? []), value] : value;
      }
    const value = style === 'deepObject' ? hash : schema['type'] === 'array' ? values : values[0];
    if (schema['type'] !== 'array' && style !== 'deepObject' && values.length > 1)
      found.push(`query ${name} is repeated`);
    found.push(...problems(texts, schema, value, `query ${name}`));
  }
  return [...found, ...pairs.filter(([key]) => !used.has(key)).map(([key]) => `unknown query ${key}`)];
}

async function bodyProblems({ requestBody }: Operation, { body, headers }: SvcRequest): Promise<string[]> {
  if (!body) return requestBody?.required ? ['the body is missing'] : [];
  if (!requestBody) return ['a body is not allowed'];
  const bytes = Buffer.from('bytes' in body ? body.bytes : await collect(body.open()));
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const [media = ''] = type.split(';', 1);
  const content = requestBody.content[media];
  if (!content) return [`the content type ${media} is not allowed`];
  if (media === 'application/json')
    return problems(jsonAjv, content.schema, JSON.parse(bytes.toString('utf8')), 'body');
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const value: Record<string, unknown> = {};
  for (const [name, part] of form) value[name] = typeof part === 'string' ? part : part.name;
  return problems(texts, content.schema, value, 'form');
}

function securityProblems(document: OpenApi, { security }: Operation, { headers }: SvcRequest): string[] {
  const sent = new Set(headers.map(([name]) => name.toLowerCase()));
  const isMet = security.some((way) =>
    Object.keys(way).every((name) =>
      sent.has((document.components.securitySchemes[name]?.name ?? 'authorization').toLowerCase()),
    ),
  );
  return isMet ? [] : ['no token that the operation accepts'];
}

export interface Checked {
  /** Undefined if the document does not have the path and method. */
  readonly template?: string;
  readonly operation?: Operation;
  readonly problems: readonly string[];
}

/** Check a request as the mock would. */
export async function checkRequest(document: OpenApi, request: SvcRequest): Promise<Checked> {
  const match = findOperation(document, request);
  if (!match) return { problems: ['unknown operation'] };
  const { template, operation, values } = match;
  const path = operation.parameters
    .filter((one) => one.in === 'path')
    .flatMap(({ name, schema }) => problems(texts, schema, values[name], `path ${name}`));
  return {
    template,
    operation,
    problems: [
      ...path,
      ...queryProblems(operation, request.url),
      ...(await bodyProblems(operation, request)),
      ...securityProblems(document, operation, request),
    ],
  };
}

/** Check the body of a response. */
export function responseProblems(document: OpenApi, schema: object, body: unknown): string[] {
  return problems(jsonAjv, schema as Json, body, 'response', () => resolved(document, schema) as Json);
}

/** Replace references to components by their schemas. */
function resolved(document: OpenApi, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolved(document, one));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) {
    const name = String(schema.$ref).replace('#/components/schemas/', '');
    return resolved(document, document.components.schemas[name]);
  }
  return Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, resolved(document, one)]));
}
