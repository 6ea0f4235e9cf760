/** Which flags of the program a command accepts. */
import { uploads } from '../../spec/command.ts';
import type { Endpoint, Returns } from '../../spec/endpoint.ts';
import type { ProgramFlag } from '../../spec/flag.ts';
import { placeOf } from '../../spec/request.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { allFlags, listFlags, type When } from './flags.ts';

const printsData = (kind: Returns['kind']) => kind === 'list' || kind === 'object' || kind === 'headers';

/** Whether commands with an endpoint accept a flag, by the condition of the flag. */
const conditions: Readonly<Record<When, (endpoint: Endpoint) => boolean>> = {
  list: ({ returns }) => returns.kind === 'list' && !('unpaged' in returns),
  period: ({ period }) => period !== undefined,
  data: ({ returns }) => printsData(returns.kind),
  raw: ({ returns }) => returns.kind === 'raw' || 'file' in returns,
  file: ({ returns }) => 'file' in returns,
  download: (endpoint) => conditions.raw(endpoint) || conditions.export(endpoint),
  table: ({ returns }) => returns.kind === 'list',
  body: (endpoint) =>
    conditions.write(endpoint) &&
    Object.values(endpoint.takes).some((field) => placeOf(endpoint, field) === 'body'),
  upload: (endpoint) => uploads({ endpoints: [endpoint] }),
  write: ({ method }) => !isReadMethod(method),
  confirm: ({ confirm }) => confirm !== undefined,
  severe: ({ confirm }) => confirm === 'name',
  watch: ({ method, returns }) => method === 'GET' && printsData(returns.kind) && !('file' in returns),
  web: ({ method, returns }) => method === 'GET' && returns.kind === 'object' && 'web_url' in returns.fields,
  wait: ({ background }) => background !== undefined,
  export: ({ background }) => background === 'document',
};

/** The flags of the program that a command with these endpoints accepts. */
export function flagsFor(endpoints: readonly Endpoint[]): ProgramFlag[] {
  const chosen = allFlags.filter(([, { when }]) => when === undefined || endpoints.some(conditions[when]));
  return listFlags(Object.fromEntries(chosen));
}
