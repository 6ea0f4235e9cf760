/** One command as the command line sees it: one to three calls of the API that share a name. */

import type { Leaf } from '../../docs/model.ts';
import { type Argument, argumentsOf, flagFields } from '../../spec/arguments.ts';
import type { Answer, Endpoint } from '../../spec/endpoint.ts';
import type { Field, Fields } from '../../spec/field.ts';
import { kebab, placeOf } from '../../spec/request.ts';
import { type GlobalFlag, globalFlags, type When } from './flags.ts';

export type { Leaf };

const reads = (kind: Answer['kind']) => kind === 'list' || kind === 'object' || kind === 'headers';

const has: Record<When, (endpoint: Endpoint) => boolean> = {
  list: ({ returns }) => returns.kind === 'list' && !('unpaged' in returns),
  keyset: ({ keyset }) => keyset !== undefined,
  data: ({ returns }) => reads(returns.kind),
  raw: ({ returns }) => returns.kind === 'raw',
  download: ({ returns, later }) => returns.kind === 'raw' || later === 'document',
  table: ({ returns }) => returns.kind === 'list',
  body: (endpoint) =>
    endpoint.method !== 'GET' &&
    endpoint.method !== 'HEAD' &&
    Object.values(endpoint.takes).some((field) => placeOf(endpoint, field) === 'body'),
  write: ({ method }) => method !== 'GET' && method !== 'HEAD',
  confirm: ({ confirm }) => confirm !== undefined,
  severe: ({ confirm }) => confirm === 'name',
  watch: ({ method, returns }) => method === 'GET' && reads(returns.kind),
  wait: ({ later }) => later !== undefined,
  export: ({ later }) => later === 'document',
};

/** The flags of `svc` itself that a command has. A parameter of the API by the same name (an epic's `color`) goes before one. */
export function flagsOf(leaf: Leaf): GlobalFlag[] {
  const fields = new Set(Object.keys(flagFieldsOfLeaf(leaf)).map(kebab));
  return globalFlags
    .filter(({ name }) => !fields.has(name))
    .filter(({ when }) => when === undefined || leaf.endpoints.some(has[when]));
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
