/** The flags of the program: one table that describes them and types the options. */
import { settingTable } from '../../config/setting-table.ts';
import { formats } from '../../output/formats.ts';
import type { FlagGroup, FlagSpec, FlagSpecs, OptionsOf, ProgramFlag } from '../../spec/flag.ts';

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

function inGroup<const F extends Readonly<Record<string, Spec>>>(group: FlagGroup, flags: F) {
  const all = Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }]);
  return Object.fromEntries(all) as { readonly [N in keyof F]: F[N] & { readonly group: FlagGroup } };
}

/** Every flag of the program, in the order of the help pages. */
export const programFlags = {
  ...inGroup('body', {
    data: {
      each: 'target',
      kind: 'text',
      placeholder: 'json|@file|-',
      long: true,
      when: 'body',
      doc: 'Request body as JSON; other flags override its members',
    },
    filename: {
      each: 'target',
      kind: 'text',
      placeholder: 'name',
      when: 'upload',
      common: true,
      doc: 'File name to send for a file read from standard input',
    },
  }),
  ...inGroup('pagination', {
    limit: {
      each: 'target',
      short: 'L',
      kind: 'int',
      min: 0,
      when: 'list',
      common: true,
      doc: 'Maximum number of results, across pages; 0 for all',
    },
    all: { each: 'target', when: 'list', common: true, doc: 'Fetch all results' },
    parallel: {
      each: 'target',
      kind: 'int',
      min: 1,
      max: 32,
      when: 'list',
      doc: 'With --all or --limit: pages to request at once (default: 1)',
    },
  }),
  ...inGroup('output', {
    output: {
      short: 'o',
      kind: 'text',
      placeholder: 'format',
      choices: formats,
      common: true,
      doc: 'Output format (default: table)',
    },
    json: { common: true, doc: 'Short for --output json' },
    csv: { doc: 'Short for --output csv' },
    raw: { each: 'target', when: 'file', common: true, doc: 'Print the file of the service unchanged' },
    fields: {
      kind: 'text',
      placeholder: 'a,b.c',
      suggest: 'column',
      when: 'data',
      common: true,
      doc: 'Fields to print, in this order; "help" lists them',
    },
    jq: {
      kind: 'text',
      placeholder: 'program',
      when: 'data',
      common: true,
      doc: 'Filter the result with a jq program',
    },
    'raw-strings': { short: 'r', when: 'data', doc: 'With --jq: print strings without quotes' },
    'sort-by': {
      kind: 'text',
      placeholder: 'field',
      suggest: 'column',
      when: 'table',
      doc: 'Sort by this field; -field for descending order',
    },
    web: {
      each: 'never',
      when: 'web',
      common: true,
      doc: 'Print the URL of the web page, and open it in a browser',
    },
    'all-fields': { when: 'data', doc: 'Print every field, including empty ones' },
    'no-header': { when: 'data', doc: 'Omit the header of table, csv and tsv' },
    'csv-safe': { when: 'data', doc: 'Escape csv cells that a spreadsheet would run as formulas' },
    wrap: {
      kind: 'text',
      placeholder: 'column',
      when: 'table',
      doc: 'Wrap long text in this column of a table',
    },
    time: {
      kind: 'text',
      choices: ['iso', 'relative', 'local'],
      when: 'data',
      doc: 'Format of times in a table',
    },
    color: { kind: 'text', choices: ['auto', 'always', 'never'], doc: 'When to use color' },
    'output-file': {
      each: 'target',
      kind: 'text',
      placeholder: 'path',
      suggest: 'path',
      writes: true,
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
      when: 'export',
      common: true,
      doc: 'With --wait: file to save the finished document to',
    },
    force: { each: 'target', when: 'download', common: true, doc: 'Overwrite an existing file' },
    watch: {
      each: 'never',
      kind: 'number',
      unit: 'seconds',
      min: 1,
      max: 999_999,
      optional: true,
      when: 'watch',
      doc: 'Repeat at this interval (default: 5), on a terminal',
    },
  }),
  ...inGroup('connection', {
    profile: {
      selectsServer: true,
      kind: 'text',
      placeholder: 'name',
      suggest: 'profile',
      doc: 'Profile to use',
    },
    'base-url': {
      selectsServer: true,
      kind: 'text',
      placeholder: 'url',
      doc: 'URL of the service, with or without /api/v4',
    },
    'token-file': {
      selectsServer: true,
      kind: 'text',
      placeholder: 'path',
      suggest: 'path',
      doc: 'File that contains the access token',
    },
    auth: {
      selectsServer: true,
      kind: 'text',
      choices: settingTable.auth.choices,
      doc: 'Kind of token to send',
    },
    sandbox: { selectsServer: true, doc: 'Use the sandbox instead of a server' },
    'ca-file': {
      selectsServer: true,
      kind: 'text',
      placeholder: 'path',
      suggest: 'path',
      doc: 'Additional certificates to trust (PEM)',
    },
    insecure: { selectsServer: true, doc: 'Skip the certificate check of the service' },
    timeout: {
      ...settingTable.timeout.range,
      doc: 'Time to wait for response headers or for more data (default: 30)',
    },
    retries: { ...settingTable.retries.range, doc: 'Number of retries (default: 5)' },
    'max-wait': { ...settingTable.maxWait.range, doc: 'Longest wait before a retry (default: 60)' },
    'retry-unsafe': { when: 'write', doc: 'Also retry writes after a reset, a timeout or 500, 502, 504' },
    'captcha-response': {
      each: 'target',
      kind: 'text',
      when: 'body',
      doc: 'Solution of the CAPTCHA that a spam check requires',
    },
    'spam-log-id': {
      each: 'target',
      kind: 'text',
      placeholder: 'id',
      when: 'body',
      doc: 'Spam log id from the response of the spam check',
    },
    'read-only': { doc: 'Refuse every request but GET and HEAD' },
    verbose: { doc: 'Print one line per request' },
    trace: { doc: 'Print headers and bodies, secrets masked' },
    har: {
      kind: 'text',
      suggest: 'path',
      doc: 'File to write the requests and responses to, as an HTTP Archive, secrets masked',
    },
  }),
  ...inGroup('other', {
    wait: {
      each: 'target',
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
      when: 'wait',
      doc: 'Time to wait for the operation to end (default: 600)',
    },
    'dry-run': { doc: 'Print the request as JSON; send nothing' },
    curl: { doc: 'Print the request as a curl command; send nothing' },
    'show-secrets': { doc: 'With --dry-run: print secrets unmasked' },
    yes: { short: 'y', when: 'confirm', common: true, doc: 'Skip the confirmation' },
    confirm: {
      each: 'target',
      kind: 'text',
      placeholder: 'name',
      when: 'severe',
      common: true,
      doc: 'Skip the confirmation by repeating the name of the resource',
    },
    'no-input': { doc: 'Never prompt' },
    quiet: { short: 'q', doc: 'Print errors only on standard error' },
    help: { each: 'never', short: 'h', doc: 'Show this help' },
  }),
} as const;

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
