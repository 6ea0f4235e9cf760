/** The flags of the program: one table that describes them and types the options. */
import { settingTable } from '../../config/setting-table.ts';
import type { Endpoint, Returns } from '../../spec/endpoint.ts';
import type { Fields } from '../../spec/field.ts';
import {
  type FlagSpec,
  type FlagSpecs,
  intFlag,
  momentFlag,
  newFile,
  type OptionsOf,
  type ProgramFlag,
} from '../../spec/flag.ts';
import { placeOf } from '../../spec/request.ts';
import { isReadMethod } from '../../support/http-method.ts';

const printsData = (kind: Returns['kind']) => kind === 'list' || kind === 'object' || kind === 'headers';

const hasMarkdown = (fields: Fields) =>
  Object.values(fields).some((field) => field.kind === 'text' && field.markdown);

/** Whether commands with an endpoint accept a flag, by the condition of the flag. */
const conditions = {
  list: ({ returns }: Endpoint) => returns.kind === 'list' && !('unpaged' in returns),
  period: ({ period }: Endpoint) => period !== undefined,
  data: ({ returns }: Endpoint) => printsData(returns.kind),
  raw: ({ returns }: Endpoint) => returns.kind === 'raw' || 'file' in returns,
  source: ({ method, returns }: Endpoint) =>
    'file' in returns || (method === 'GET' && returns.kind === 'object' && hasMarkdown(returns.fields)),
  download: (endpoint: Endpoint) => conditions.raw(endpoint) || conditions.export(endpoint),
  table: ({ returns }: Endpoint) => returns.kind === 'list',
  body: (endpoint: Endpoint) =>
    conditions.write(endpoint) &&
    Object.values(endpoint.takes).some((field) => placeOf(endpoint, field) === 'body'),
  upload: ({ takes }: Endpoint) => Object.values(takes).some(({ kind }) => kind === 'file'),
  write: ({ method }: Endpoint) => !isReadMethod(method),
  confirm: ({ confirm }: Endpoint) => confirm !== undefined,
  severe: ({ confirm }: Endpoint) => confirm === 'name',
  watch: ({ method, returns }: Endpoint) =>
    method === 'GET' && printsData(returns.kind) && !('file' in returns),
  web: ({ returns }: Endpoint) => returns.kind === 'object' && 'web_url' in returns.fields,
  wait: ({ background }: Endpoint) => background !== undefined,
  export: ({ background }: Endpoint) => background === 'document',
};

type Spec = FlagSpec & {
  /** All commands accept a flag without a condition. */
  readonly when?: keyof typeof conditions;
  /** Selects the service or the credential. Commands in hints repeat it. */
  readonly selectsServer?: true;
  /** In `svc each`: applies to one target, or is refused. Other flags apply to all targets, and may precede `--`. */
  readonly each?: 'target' | 'never';
};

const sharing =
  <const T extends Partial<Spec>>(shared: T) =>
  <const F extends Readonly<Record<string, Spec>>>(flags: F) => {
    const all = Object.entries(flags).map(([name, flag]) => [name, { ...flag, ...shared }]);
    return Object.fromEntries(all) as { readonly [N in keyof F]: F[N] & T };
  };

const text = <const M extends object>(doc: string, more: M) => ({ kind: 'text' as const, doc, ...more });
const path = { placeholder: 'path', suggest: 'path' } as const;
const seconds = { kind: 'number', unit: 'seconds' } as const;
const setting = <const N extends 'timeout' | 'retries' | 'maxWait'>(name: N, doc: string) => ({
  ...settingTable[name].range,
  default: settingTable[name].fallback,
  doc,
});

/** Every flag of the program, in the order of the help pages. */
export const programFlags = {
  ...sharing({ group: 'body', each: 'target' })({
    data: text('Request body as JSON; other flags override its members', {
      placeholder: 'json|@file|-',
      long: true,
      when: 'body',
    }),
    filename: text('File name to send; required for a file read from standard input', {
      placeholder: 'name',
      when: 'upload',
      common: true,
    }),
  }),
  ...sharing({ group: 'pagination', each: 'target', when: 'list' })({
    limit: intFlag('Maximum number of results, across pages; 0 for all', {
      short: 'L',
      min: 0,
      common: true,
    }),
    all: { common: true, doc: 'Fetch all results' },
    parallel: intFlag('With --all or --limit: pages to request at once', { default: 1, min: 1, max: 32 }),
  }),
  ...sharing({ group: 'pagination', each: 'target', when: 'period', common: true })({
    since: momentFlag('Only results from this time on: 2h, 3d, 2026-11-01 or a time; implies --all'),
    until: momentFlag('Only results before this time; implies --all'),
  }),
  ...sharing({ group: 'output' })({
    output: text('Output format (default: table)', {
      short: 'o',
      placeholder: 'format',
      choices: settingTable.output.choices,
      common: true,
    }),
    json: { common: true, doc: 'Short for --output json' },
    csv: { doc: 'Short for --output csv' },
    raw: {
      each: 'target',
      when: 'source',
      common: true,
      doc: 'Print a file of the service unchanged, and Markdown as its source',
    },
    fields: text('Fields to print, in this order; "help" lists them', {
      placeholder: 'a,b.c',
      suggest: 'column',
      when: 'data',
      common: true,
    }),
    jq: text('Filter the result with a jq program', { placeholder: 'program', when: 'data', common: true }),
    'raw-strings': { short: 'r', when: 'data', doc: 'With --jq: print strings without quotes' },
    'sort-by': text('Sort by this field; -field for descending order', {
      placeholder: 'field',
      suggest: 'column',
      when: 'table',
    }),
    web: {
      each: 'never',
      when: 'web',
      common: true,
      doc: 'Print the URL of the web page, and open it in a browser',
    },
    'all-fields': { when: 'data', doc: 'Print every field, including empty ones' },
    'no-header': { when: 'data', doc: 'Omit the header of table, csv and tsv' },
    'csv-safe': { when: 'data', doc: 'Escape csv cells that a spreadsheet would run as formulas' },
    wrap: text('Wrap long text in this column of a table', { placeholder: 'column', when: 'table' }),
    time: text('Format of times in a table', { choices: ['iso', 'relative', 'local'], when: 'data' }),
    color: text('When to use color', { choices: ['auto', 'always', 'never'] }),
    'output-file': text('File to write; for a folder, the service provides the file name', {
      ...path,
      each: 'target',
      writes: true,
      when: 'raw',
      common: true,
    }),
    download: text('With --wait: file to save the finished document to', {
      ...path,
      each: 'target',
      writes: true,
      besides: true,
      when: 'export',
      common: true,
    }),
    force: { each: 'target', when: 'download', common: true, doc: 'Overwrite an existing file' },
    watch: {
      ...seconds,
      min: 1,
      max: 999_999,
      optional: true,
      each: 'never',
      when: 'watch',
      doc: 'Repeat at this interval (default: 5), on a terminal',
    },
  }),
  ...sharing({ group: 'connection', selectsServer: true })({
    profile: text('Profile to use', { placeholder: 'name', suggest: 'profile' }),
    'base-url': text('URL of the service, with or without /api/v4', { placeholder: 'url' }),
    'token-file': text('File that contains the access token', path),
    auth: text('Kind of token to send', { choices: settingTable.auth.choices }),
    sandbox: { doc: 'Use the sandbox instead of a server' },
    'ca-file': text('Additional certificates to trust (PEM)', path),
    insecure: { doc: 'Skip the certificate check of the service' },
  }),
  ...sharing({ group: 'connection' })({
    timeout: setting('timeout', 'Time to wait for response headers or for more data'),
    retries: setting('retries', 'Number of retries'),
    'max-wait': setting('maxWait', 'Longest wait before a retry'),
    'retry-unsafe': { when: 'write', doc: 'Also retry writes after a reset, a timeout or 500, 502, 504' },
    'captcha-response': text('Solution of the CAPTCHA that a spam check requires', {
      each: 'target',
      when: 'body',
    }),
    'spam-log-id': text('Spam log id from the response of the spam check', {
      each: 'target',
      placeholder: 'id',
      when: 'body',
    }),
    'read-only': { doc: 'Refuse every request but GET and HEAD' },
    verbose: { doc: 'Print one line per request' },
    trace: { doc: 'Print headers and bodies, secrets masked' },
    har: text('File to write the requests and responses to, as an HTTP Archive, secrets masked', newFile),
  }),
  ...sharing({ group: 'other' })({
    wait: {
      each: 'target',
      when: 'wait',
      common: true,
      doc: 'Wait until the operation ends; exit 9 if it failed',
    },
    'wait-timeout': {
      ...seconds,
      min: 0,
      max: 9_999_999,
      default: 600,
      each: 'target',
      when: 'wait',
      doc: 'Time to wait for the operation to end',
    },
    notify: { each: 'never', when: 'wait', doc: 'Ring the bell of the terminal and notify at the end' },
    'dry-run': { doc: 'Print the request as JSON; send no write' },
    curl: { doc: 'Print the request as a curl command; send no write' },
    'show-secrets': { doc: 'With --dry-run: print secrets unmasked' },
    yes: { short: 'y', when: 'confirm', common: true, doc: 'Skip the confirmation' },
    confirm: text('Skip the confirmation by repeating the name of the resource', {
      each: 'target',
      placeholder: 'name',
      when: 'severe',
      common: true,
    }),
    'no-input': { doc: 'Never prompt' },
    quiet: { short: 'q', doc: 'Print errors and warnings only on standard error' },
    help: { each: 'never', short: 'h', doc: 'Show this help' },
  }),
} as const;

export type Options = OptionsOf<typeof programFlags>;

/** Some flags of the program, for a command that is not an endpoint. */
export function sharedFlags<const N extends keyof typeof programFlags>(
  ...names: readonly N[]
): Pick<typeof programFlags, N> {
  return Object.fromEntries(names.map((name) => [name, programFlags[name]])) as Pick<typeof programFlags, N>;
}

export function listFlags(specs: FlagSpecs): ProgramFlag[] {
  return Object.entries(specs).map(([name, spec]) => ({ name, group: 'other', ...spec }));
}

/** The flags that a command declares itself are all common; shared ones as the table says. */
export function listOwnFlags(specs: FlagSpecs): ProgramFlag[] {
  const shared: FlagSpecs = programFlags;
  return listFlags(specs).map((flag) =>
    shared[flag.name] === specs[flag.name] ? flag : { ...flag, common: true },
  );
}

export const allFlags = Object.entries<Spec>(programFlags);

export const serverFlags = allFlags.filter(([, { selectsServer }]) => selectsServer);

/** The words that repeat these flags as they are given. */
export function wordsOf(options: object, flags: readonly (readonly [name: string, FlagSpec])[]): string[] {
  const given = options as Readonly<Record<string, unknown>>;
  return flags.flatMap(([name]) => {
    const value = given[optionName(name)];
    return value === undefined ? [] : value === true ? [`--${name}`] : [`--${name}`, String(value)];
  });
}

/** The option that a flag sets: `dryRun` for `dry-run`. */
export function optionName(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function flagsFor(endpoints: readonly Endpoint[]): ProgramFlag[] {
  const chosen = allFlags.filter(([, { when }]) => when === undefined || endpoints.some(conditions[when]));
  return listFlags(Object.fromEntries(chosen));
}
