/** The flags of the program that a command accepts, by properties of its endpoints. */
import { uploads } from '../../spec/command.ts';
import type { Endpoint, Returns } from '../../spec/endpoint.ts';
import type { ProgramFlag } from '../../spec/flag.ts';
import { placeOf } from '../../spec/request.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { allFlags, listFlags, type When } from './flags.ts';

const printsData = (kind: Returns['kind']) => kind === 'list' || kind === 'object' || kind === 'headers';

const conditions: Readonly<Record<When, (endpoint: Endpoint) => boolean>> = {
  list: ({ returns }: Endpoint) => returns.kind === 'list' && !('unpaged' in returns),
  data: ({ returns }: Endpoint) => printsData(returns.kind),
  raw: ({ returns }: Endpoint) => returns.kind === 'raw' || 'file' in returns,
  file: ({ returns }: Endpoint) => 'file' in returns,
  download: ({ returns, background }: Endpoint) =>
    returns.kind === 'raw' || 'file' in returns || background === 'document',
  table: ({ returns }: Endpoint) => returns.kind === 'list',
  body: (endpoint: Endpoint) =>
    !isReadMethod(endpoint.method) &&
    Object.values(endpoint.takes).some((field) => placeOf(endpoint, field) === 'body'),
  upload: (endpoint: Endpoint) => uploads({ endpoints: [endpoint] }),
  write: ({ method }: Endpoint) => !isReadMethod(method),
  confirm: ({ confirm }: Endpoint) => confirm !== undefined,
  severe: ({ confirm }: Endpoint) => confirm === 'name',
  watch: ({ method, returns }: Endpoint) =>
    method === 'GET' && printsData(returns.kind) && !('file' in returns),
  web: ({ method, returns }: Endpoint) =>
    method === 'GET' && returns.kind === 'object' && returns.fields['web_url'] !== undefined,
  wait: ({ background }: Endpoint) => background !== undefined,
  export: ({ background }: Endpoint) => background === 'document',
};

/** The flags of the program that a command with these endpoints accepts. */
export function flagsFor(endpoints: readonly Endpoint[]): ProgramFlag[] {
  const chosen = allFlags.filter(([, { when }]) => when === undefined || endpoints.some(conditions[when]));
  return listFlags(Object.fromEntries(chosen));
}
