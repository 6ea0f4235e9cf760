import type { GlobalFlag as Described } from '../../docs/model.ts';
import { formats } from '../../output/formats.ts';

/** A flag that belongs to `svc`, not to the API: the one place where each is described. */
export interface GlobalFlag extends Described {
  /** Commands that have it; all of them where left out. */
  readonly when?: When;
  /** May be given more than once; only built-in commands have such flags. */
  readonly repeats?: true;
}

/** Which commands have a flag: decided in `leaf.ts`. */
export type When =
  | 'list'
  | 'keyset'
  | 'data'
  | 'raw'
  | 'table'
  | 'body'
  | 'write'
  | 'confirm'
  | 'severe'
  | 'watch'
  | 'wait'
  | 'export'
  | 'download';

export const globalFlags: readonly GlobalFlag[] = [
  {
    name: 'data',
    value: 'json|@file|-',
    group: 'needs',
    when: 'body',
    doc: 'The whole request body as JSON; a flag beside it wins',
  },
  {
    name: 'limit',
    value: 'n',
    group: 'lists',
    when: 'list',
    doc: 'Follow the pages until n rows; 0 is --all',
  },
  { name: 'all', group: 'lists', when: 'list', doc: 'Follow the pages to the end' },
  {
    name: 'output',
    short: 'o',
    value: 'format',
    choices: formats,
    group: 'output',
    doc: 'How to print the answer (default: table)',
  },
  { name: 'json', group: 'output', doc: 'Short for --output json' },
  { name: 'csv', group: 'output', doc: 'Short for --output csv' },
  {
    name: 'fields',
    value: 'a,b.c',
    group: 'output',
    when: 'data',
    doc: 'Columns or keys to print, in this order; "help" lists them',
  },
  { name: 'jq', value: 'program', group: 'output', when: 'data', doc: 'Run a jq program over the result' },
  {
    name: 'raw-strings',
    short: 'r',
    group: 'output',
    when: 'data',
    doc: 'With --jq: print strings without quotes',
  },
  { name: 'no-header', group: 'output', when: 'data', doc: 'No header in table, csv and tsv' },
  { name: 'csv-safe', group: 'output', when: 'data', doc: 'Defuse csv cells that a spreadsheet would run' },
  {
    name: 'wrap',
    value: 'column',
    group: 'output',
    when: 'table',
    doc: 'Let long texts of this column go on in further lines of a table',
  },
  {
    name: 'time',
    value: 'how',
    choices: ['iso', 'relative', 'local'],
    group: 'output',
    when: 'data',
    doc: 'How a table shows times',
  },
  {
    name: 'color',
    value: 'when',
    choices: ['auto', 'always', 'never'],
    group: 'output',
    doc: 'Whether to color',
  },
  {
    name: 'output-file',
    value: 'path',
    group: 'output',
    when: 'raw',
    doc: 'Write the answer here; a folder takes the name that the service gives',
  },
  {
    name: 'download',
    value: 'path',
    group: 'output',
    when: 'export',
    doc: 'With --wait: save the document here once it is ready',
  },
  { name: 'force', group: 'output', when: 'download', doc: 'Overwrite the file if it is there' },
  {
    name: 'watch',
    value: '[seconds]',
    group: 'output',
    when: 'watch',
    doc: 'Repeat every so many seconds (default: 5), on a terminal',
  },
  { name: 'wait', group: 'other', when: 'wait', doc: 'Wait until it has ended; exit 9 where it failed' },
  {
    name: 'wait-timeout',
    value: 'seconds',
    group: 'other',
    when: 'wait',
    doc: 'Give up waiting after this (default: 600)',
  },
  { name: 'profile', value: 'name', group: 'connection', doc: 'Use this profile' },
  { name: 'base-url', value: 'url', group: 'connection', doc: 'The service, with or without /api/v4' },
  { name: 'token-file', value: 'path', group: 'connection', doc: 'Read the access token from a file' },
  {
    name: 'auth',
    value: 'kind',
    choices: ['access', 'job', 'bearer'],
    group: 'connection',
    doc: 'Which token to send, and how',
  },
  { name: 'sandbox', group: 'connection', doc: 'Answer this command from the sandbox inside svc' },
  { name: 'ca-file', value: 'path', group: 'connection', doc: 'Trust these certificates too (PEM)' },
  { name: 'insecure', group: 'connection', doc: 'Do not check the certificate of the service' },
  {
    name: 'timeout',
    value: 'seconds',
    group: 'connection',
    doc: 'Longest wait for headers and in each silence (default: 30)',
  },
  { name: 'retries', value: 'n', group: 'connection', doc: 'How often to try again (default: 5)' },
  {
    name: 'max-wait',
    value: 'seconds',
    group: 'connection',
    doc: 'Longest single wait before a retry (default: 60)',
  },
  {
    name: 'retry-unsafe',
    group: 'connection',
    when: 'write',
    doc: 'Also repeat writes after a reset, a timeout or 500, 502, 504',
  },
  {
    name: 'captcha-response',
    value: 'text',
    group: 'connection',
    when: 'body',
    doc: 'Answer to the CAPTCHA that a spam check asked for',
  },
  {
    name: 'spam-log-id',
    value: 'id',
    group: 'connection',
    when: 'body',
    doc: 'Number that the spam check gave',
  },
  { name: 'verbose', group: 'connection', doc: 'Say each request in a line' },
  { name: 'trace', group: 'connection', doc: 'Print headers and bodies, secrets masked' },
  { name: 'dry-run', group: 'other', doc: 'Send nothing; print the request as JSON' },
  { name: 'curl', group: 'other', doc: 'Send nothing; print the request as a curl command' },
  { name: 'show-secrets', group: 'other', doc: 'With --dry-run: print secrets in clear' },
  { name: 'yes', short: 'y', group: 'other', when: 'confirm', doc: 'Do it without asking' },
  {
    name: 'confirm',
    value: 'name',
    group: 'other',
    when: 'severe',
    doc: 'Do it without asking: the name of what is ended',
  },
  { name: 'no-input', group: 'other', doc: 'Never ask for anything' },
  { name: 'quiet', short: 'q', group: 'other', doc: 'No notes on standard error, only errors' },
  { name: 'help', short: 'h', group: 'other', doc: 'Show this help' },
];
