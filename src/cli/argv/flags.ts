/** The flags of the program: one table that describes them and types the options. */
import { authKinds, settingRanges } from '../../config/model.ts';
import { formats } from '../../output/formats.ts';
import type { FlagSpec, FlagSpecs, OptionsOf, ProgramFlag } from '../../spec/flag.ts';

/** The commands that accept a flag, by a property of their endpoints. */
export type When =
  | 'list'
  | 'data'
  | 'raw'
  | 'file'
  | 'download'
  | 'table'
  | 'body'
  | 'upload'
  | 'write'
  | 'confirm'
  | 'severe'
  | 'watch'
  | 'web'
  | 'wait'
  | 'export';

/** The declaration of a flag of the program. */
type Spec = FlagSpec & {
  /** All commands accept a flag without a condition. */
  readonly when?: When;
  /** Selects the service or the credential. Commands in hints repeat it. */
  readonly selectsServer?: true;
  /** In `svc each`: applies to one target, or is refused. Other flags apply to all targets, and may precede `--`. */
  readonly each?: 'target' | 'never';
};

/** Every flag of the program, in the order of the help pages. */
export const programFlags = {
  data: {
    each: 'target',
    kind: 'text',
    placeholder: 'json|@file|-',
    long: true,
    group: 'body',
    when: 'body',
    doc: 'Request body as JSON; other flags override its members',
  },
  filename: {
    each: 'target',
    kind: 'text',
    placeholder: 'name',
    group: 'body',
    when: 'upload',
    common: true,
    doc: 'File name to send for a file read from standard input',
  },
  limit: {
    each: 'target',
    short: 'L',
    kind: 'int',
    min: 0,
    group: 'pagination',
    when: 'list',
    common: true,
    doc: 'Maximum number of results, across pages; 0 for all',
  },
  all: { each: 'target', group: 'pagination', when: 'list', common: true, doc: 'Fetch all results' },
  parallel: {
    each: 'target',
    kind: 'int',
    min: 1,
    max: 32,
    group: 'pagination',
    when: 'list',
    doc: 'With --all or --limit: pages to request at once (default: 1)',
  },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'format',
    choices: formats,
    group: 'output',
    common: true,
    doc: 'Output format (default: table)',
  },
  json: { group: 'output', common: true, doc: 'Short for --output json' },
  csv: { group: 'output', doc: 'Short for --output csv' },
  raw: {
    each: 'target',
    group: 'output',
    when: 'file',
    common: true,
    doc: 'Print the file of the service unchanged',
  },
  fields: {
    kind: 'text',
    placeholder: 'a,b.c',
    suggest: 'column',
    group: 'output',
    when: 'data',
    common: true,
    doc: 'Fields to print, in this order; "help" lists them',
  },
  jq: {
    kind: 'text',
    placeholder: 'program',
    group: 'output',
    when: 'data',
    common: true,
    doc: 'Filter the result with a jq program',
  },
  'raw-strings': {
    short: 'r',
    group: 'output',
    when: 'data',
    doc: 'With --jq: print strings without quotes',
  },
  'sort-by': {
    kind: 'text',
    placeholder: 'field',
    suggest: 'column',
    group: 'output',
    when: 'table',
    doc: 'Sort by this field; -field for descending order',
  },
  web: {
    each: 'never',
    group: 'output',
    when: 'web',
    common: true,
    doc: 'Print the URL of the web page, and open it in a browser',
  },
  'all-fields': {
    group: 'output',
    when: 'data',
    doc: 'Print every field, including empty ones',
  },
  'no-header': { group: 'output', when: 'data', doc: 'Omit the header of table, csv and tsv' },
  'csv-safe': {
    group: 'output',
    when: 'data',
    doc: 'Escape csv cells that a spreadsheet would run as formulas',
  },
  wrap: {
    kind: 'text',
    placeholder: 'column',
    group: 'output',
    when: 'table',
    doc: 'Wrap long text in this column of a table',
  },
  time: {
    kind: 'text',
    choices: ['iso', 'relative', 'local'],
    group: 'output',
    when: 'data',
    doc: 'Format of times in a table',
  },
  color: { kind: 'text', choices: ['auto', 'always', 'never'], group: 'output', doc: 'When to use color' },
  'output-file': {
    each: 'target',
    kind: 'text',
    placeholder: 'path',
    suggest: 'path',
    writes: true,
    group: 'output',
    when: 'raw',
    common: true,
    doc: 'File to write; for a folder, the service provides the file name',
  },
  download: {
    each: 'target',
    kind: 'text',
    placeholder: 'path',
    suggest: 'path',
    writes: true,
    group: 'output',
    when: 'export',
    common: true,
    doc: 'With --wait: file to save the finished document to',
  },
  force: {
    each: 'target',
    group: 'output',
    when: 'download',
    common: true,
    doc: 'Overwrite an existing file',
  },
  watch: {
    each: 'never',
    kind: 'number',
    unit: 'seconds',
    min: 1,
    max: 999_999,
    optional: true,
    group: 'output',
    when: 'watch',
    doc: 'Repeat at this interval (default: 5), on a terminal',
  },
  wait: {
    each: 'target',
    group: 'other',
    when: 'wait',
    common: true,
    doc: 'Wait until the operation ends; exit 9 if it failed',
  },
  'wait-timeout': {
    each: 'target',
    kind: 'number',
    unit: 'seconds',
    min: 0,
    max: 9_999_999,
    group: 'other',
    when: 'wait',
    doc: 'Time to wait for the operation to end (default: 600)',
  },
  profile: {
    selectsServer: true,
    kind: 'text',
    placeholder: 'name',
    suggest: 'profile',
    group: 'connection',
    doc: 'Profile to use',
  },
  'base-url': {
    selectsServer: true,
    kind: 'text',
    placeholder: 'url',
    group: 'connection',
    doc: 'URL of the service, with or without /api/v4',
  },
  'token-file': {
    selectsServer: true,
    kind: 'text',
    placeholder: 'path',
    suggest: 'path',
    group: 'connection',
    doc: 'File that contains the access token',
  },
  auth: {
    selectsServer: true,
    kind: 'text',
    choices: authKinds,
    group: 'connection',
    doc: 'Kind of token to send',
  },
  sandbox: { selectsServer: true, group: 'connection', doc: 'Use the sandbox instead of a server' },
  'ca-file': {
    selectsServer: true,
    kind: 'text',
    placeholder: 'path',
    suggest: 'path',
    group: 'connection',
    doc: 'Additional certificates to trust (PEM)',
  },
  insecure: { selectsServer: true, group: 'connection', doc: 'Skip the certificate check of the service' },
  timeout: {
    ...settingRanges.timeout,
    group: 'connection',
    doc: 'Time to wait for response headers or for more data (default: 30)',
  },
  retries: { ...settingRanges.retries, group: 'connection', doc: 'Number of retries (default: 5)' },
  'max-wait': {
    ...settingRanges.max_wait,
    group: 'connection',
    doc: 'Longest wait before a retry (default: 60)',
  },
  'retry-unsafe': {
    group: 'connection',
    when: 'write',
    doc: 'Also retry writes after a reset, a timeout or 500, 502, 504',
  },
  'captcha-response': {
    each: 'target',
    kind: 'text',
    group: 'connection',
    when: 'body',
    doc: 'Solution of the CAPTCHA that a spam check requires',
  },
  'spam-log-id': {
    each: 'target',
    kind: 'text',
    placeholder: 'id',
    group: 'connection',
    when: 'body',
    doc: 'Spam log id from the response of the spam check',
  },
  'read-only': { group: 'connection', doc: 'Refuse every request but GET and HEAD' },
  verbose: { group: 'connection', doc: 'Print one line per request' },
  trace: { group: 'connection', doc: 'Print headers and bodies, secrets masked' },
  har: {
    kind: 'text',
    suggest: 'path',
    group: 'connection',
    doc: 'File to write the requests and responses to, as an HTTP Archive, secrets masked',
  },
  'dry-run': { group: 'other', doc: 'Print the request as JSON; send nothing' },
  curl: { group: 'other', doc: 'Print the request as a curl command; send nothing' },
  'show-secrets': { group: 'other', doc: 'With --dry-run: print secrets unmasked' },
  yes: { short: 'y', group: 'other', when: 'confirm', common: true, doc: 'Skip the confirmation' },
  confirm: {
    each: 'target',
    kind: 'text',
    placeholder: 'name',
    group: 'other',
    when: 'severe',
    common: true,
    doc: 'Skip the confirmation by repeating the name of the resource',
  },
  'no-input': { group: 'other', doc: 'Never prompt' },
  quiet: { short: 'q', group: 'other', doc: 'Print errors only on standard error' },
  help: { each: 'never', short: 'h', group: 'other', doc: 'Show this help' },
} as const satisfies Readonly<Record<string, Spec>>;

/** The options of the program. */
export type Options = OptionsOf<typeof programFlags>;

/** Some flags of the program, for a command that is not an endpoint. */
export function sharedFlags<const N extends keyof typeof programFlags>(
  ...names: readonly N[]
): Pick<typeof programFlags, N> {
  return Object.fromEntries(names.map((name) => [name, programFlags[name]])) as Pick<typeof programFlags, N>;
}

/** Flags as the command model lists them. */
export function listFlags(specs: FlagSpecs | Readonly<Record<string, Spec>>): ProgramFlag[] {
  return Object.entries<Spec>(specs).map(
    ([name, { when: _, selectsServer: __, each: ___, group = 'other', ...spec }]) => ({
      name,
      group,
      ...spec,
    }),
  );
}

/** The flags that a command declares itself are all common; shared ones as the table says. */
export function listOwnFlags(specs: FlagSpecs): ProgramFlag[] {
  const shared: FlagSpecs = programFlags;
  return listFlags(specs).map((flag) =>
    shared[flag.name] === specs[flag.name] ? flag : { ...flag, common: true },
  );
}

/** Every flag with its name. */
export const allFlags = Object.entries<Spec>(programFlags);

/** The flags that select the service and the credential. */
export const serverFlags = allFlags.filter(([, { selectsServer }]) => selectsServer);

/** The words that repeat these flags as they are given. */
export function wordsOf(options: object, flags: readonly (readonly [name: string, FlagSpec])[]): string[] {
  const given = options as Readonly<Record<string, unknown>>;
  return flags.flatMap(([name]) => {
    const value = given[optionName(name)];
    return value === undefined ? [] : value === true ? [`--${name}`] : [`--${name}`, String(value)];
  });
}

/** The flag of the program that a user typed, with the condition for the commands that accept it; undefined without a condition. */
export function conditionOf(typed: string): { readonly flag: string; readonly when: When } | undefined {
  const found = allFlags.find(
    ([name, { short }]) => typed === `--${name}` || (short && typed === `-${short}`),
  );
  return found?.[1].when && { flag: `--${found[0]}`, when: found[1].when };
}

/** The option that a flag sets: `dryRun` for `dry-run`. */
export function optionName(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
