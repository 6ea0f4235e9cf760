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

const commandsWith: Readonly<Record<When, string>> = {
  list: 'return a list in pages, such as svc jobs list',
  data: 'print data, such as svc jobs list',
  file: 'get a file, such as svc license usage',
  web: 'show an object with a web page, such as svc branches get',
  raw: 'return the content of a file, such as svc files raw',
  download: 'save a file, such as svc files raw',
  table: 'return a list, such as svc jobs list',
  body: 'send a request body, such as svc variables create',
  upload: 'upload a file, such as svc uploads create',
  write: 'change something, such as svc variables create',
  confirm: 'ask for confirmation, such as svc variables delete',
  severe: 'ask for the name of the resource, such as svc branches delete-merged',
  watch: 'read data, such as svc jobs list',
  wait: 'start or show a background task, such as svc migrations create',
  export: 'create a document, such as svc dependency-exports create',
};

/** The flags of the program that a command with these endpoints accepts. */
export function flagsFor(endpoints: readonly Endpoint[]): ProgramFlag[] {
  const chosen = allFlags.filter(([, { when }]) => when === undefined || endpoints.some(conditions[when]));
  return listFlags(Object.fromEntries(chosen));
}

/** The error for a flag that other commands accept; undefined for any other flag. @param typed as typed: `--all`, `-L` */
export function flagElsewhere(typed: string, path: string): [message: string, hint: string] | undefined {
  const found = allFlags.find(([name, { short }]) => [`--${name}`, `-${short}`].includes(typed));
  const [name, when] = [found?.[0], found?.[1].when];
  return (
    when && [`${path} does not accept --${name}`, `--${name} is for commands that ${commandsWith[when]}`]
  );
}
