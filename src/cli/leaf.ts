/** One command as the command line sees it: one to three calls of the API that share a name. */

import type { Leaf } from '../docs/model.ts';
import { type Argument, argumentsOf, flagFields } from '../spec/arguments.ts';
import type { Answer, Endpoint } from '../spec/endpoint.ts';
import type { Field, Fields } from '../spec/field.ts';
import { kebab, placeOf } from '../spec/request.ts';
import { type GlobalFlag, globalFlags, type When } from './flags.ts';

export type { Leaf };

const reads = (kind: Answer['kind']) => kind === 'list' || kind === 'object' || kind === 'headers';

const has: Record<When, (leaf: Leaf, endpoint: Endpoint) => boolean> = {
  list: (_, { returns }) => returns.kind === 'list' && !('unpaged' in returns),
  keyset: (_, { keyset }) => keyset !== undefined,
  data: (_, { returns }) => reads(returns.kind),
  raw: (_, { returns }) => returns.kind === 'raw',
  download: (leaf, { returns }) => returns.kind === 'raw' || isExport(leaf),
  table: (_, { returns }) => returns.kind === 'list',
  body: (_, endpoint) =>
    endpoint.method !== 'GET' &&
    endpoint.method !== 'HEAD' &&
    Object.values(endpoint.takes).some((field) => placeOf(endpoint, field) === 'body'),
  write: (_, { method }) => method !== 'GET' && method !== 'HEAD',
  confirm: (_, { confirm }) => confirm !== undefined,
  severe: (_, { confirm }) => confirm === 'name',
  watch: (_, { method, returns }) => method === 'GET' && reads(returns.kind),
  wait: (leaf) => waits.has(`${leaf.area} ${leaf.name}`),
  export: isExport,
};

/** Makes a document that can be downloaded later. */
function isExport({ area, name }: Leaf): boolean {
  return area === 'dependency-exports' && name === 'create';
}

/** Commands whose outcome comes later: `builtin/waiting.ts` knows how to tell. */
const waits = new Set([
  'dependency-exports create',
  'migrations create',
  'migrations get',
  'license refresh',
]);

/** The flags of `svc` itself that a command has. A parameter of the API by the same name (an epic's `color`) goes before one. */
export function flagsOf(leaf: Leaf): GlobalFlag[] {
  const fields = new Set(Object.keys(flagFieldsOfLeaf(leaf)).map(kebab));
  return globalFlags
    .filter(({ name }) => !fields.has(name))
    .filter(({ when }) => when === undefined || leaf.endpoints.some((endpoint) => has[when](leaf, endpoint)));
}

/** The arguments of a command: those of its richest variant, optional where another variant has none. */
export function argumentsOfLeaf(leaf: Leaf): Argument[] {
  const all = leaf.endpoints.map(argumentsOf);
  const most = all.reduce((a, b) => (b.length > a.length ? b : a), [] as Argument[]);
  return most.map((argument, at) => ({
    ...argument,
    required: argument.required && all.every((some) => some.length > at),
  }));
}

/** The parameters that are flags, by name: of every variant, as the first that has one tells it. */
export function flagFieldsOfLeaf(leaf: Leaf): Record<string, Field> {
  const fields: Record<string, Field> = {};
  for (const [name, field] of leaf.endpoints.flatMap((one) => Object.entries(flagFields(one))))
    fields[name] ??= field;
  return fields;
}

export function hasFile(fields: Fields): boolean {
  return Object.values(fields).some((field) => field.kind === 'file');
}
