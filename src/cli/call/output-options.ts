import { usage } from '../../errors.ts';
import type { OutputOptions, SortKey } from '../../output/model.ts';
import { columnsOf, kindAt, pathOfColumn } from '../../spec/column.ts';
import { type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { fieldOf } from '../../spec/field.ts';
import type { Column } from '../../support/column.ts';
import type { Options } from '../argv/flags.ts';
import type { Session } from '../session/model.ts';

/** Read the output options of a command line. @throws Failure `usage` for an empty name in `--fields` */
export function readOutputOptions({ options, settings, terminal, context, notes }: Session): OutputOptions {
  const { fields: typed, allFields, wrap } = options;
  const fields = typed?.split(',').map((path) => path.trim());
  if (fields?.includes('')) throw usage(`--fields contains an empty name: ${JSON.stringify(typed)}`);
  if (fields && allFields) throw usage('--fields and --all-fields cannot be used together');
  return {
    format: settings.output.value,
    fields,
    allFields,
    columns: [],
    header: options.noHeader !== true,
    source: options.raw === true,
    csvSafe: options.csvSafe === true,
    terminal: terminal.screen,
    color: terminal.color,
    wrap,
    time: options.time ?? (terminal.screen ? 'relative' : 'iso'),
    now: context.now,
    onLateKeys: (keys) => {
      const names = keys.map((key) => JSON.stringify(key)).join(', ');
      notes.warn(`later rows have keys that are not printed: ${names}`);
    },
  };
}

/** Whether a command prints the text or table of its own design: neither another format nor a part of the data was chosen. */
export function isForReaders({ options: { fields, jq }, settings }: Session): boolean {
  return settings.output.value === 'table' && fields === undefined && jq === undefined;
}

/** Read `--sort-by`: fields separated by commas, each with a leading `-` for descending order. @throws Failure `usage` for an empty name */
export function sortKeys({ sortBy }: Options): SortKey[] {
  if (sortBy === undefined) return [];
  return sortBy.split(',').map((typed) => {
    const path = typed.trim().replace(/^-/, '');
    if (path === '') throw usage(`--sort-by contains an empty name: ${JSON.stringify(sortBy)}`);
    return { path, descending: typed.trim().startsWith('-') };
  });
}

/** Find the column that `--wrap` names. @throws Failure `usage` if the table has no such column */
export function wrapColumn({ wrap, fields }: OutputOptions, columns: readonly Column[]): string | undefined {
  const known = fields ?? columns.map(({ path }) => path);
  if (wrap === undefined || known.length === 0) return wrap;
  const labels = new Map(columns.map(({ path, label }) => [path, label]));
  const typed = wrap.toLowerCase();
  // Users type a path, or the header that they see.
  const found =
    known.find((path) => path.toLowerCase() === typed) ??
    known.find((path) => labels.get(path)?.toLowerCase() === typed);
  if (found === undefined)
    throw usage(`--wrap: the table has no column ${JSON.stringify(wrap)}`, `columns: ${known.join(', ')}`);
  return found;
}

/** Check `--wrap` before a request is sent. @throws Failure `usage` */
export function checkWrap(session: Session, endpoint: Endpoint): void {
  if (session.options.wrap !== undefined) wrapColumn(readOutputOptions(session), describe(endpoint).columns);
}

/** Check every output option, before anything is sent. @throws Failure `usage`, or `internal` for a file that cannot be written */
export async function checkOutput(session: Session): Promise<void> {
  const { fields, sortBy, web, jq, rawStrings, outputFile, download } = session.options;
  const { value, from } = session.settings.output;
  readOutputOptions(session);
  sortKeys(session.options);
  for (const [flag, given] of Object.entries({ '--fields': fields, '--sort-by': sortBy }))
    if (value === 'raw' && given !== undefined)
      throw usage(`${flag} and ${from} raw cannot be used together`, 'raw prints the response unchanged');
  if (web === true) (await import('./web.ts')).checkWeb(session);
  if (jq !== undefined || rawStrings !== undefined)
    await (await import('./jq/engine.ts')).checkProgram(session);
  if (outputFile === undefined && download === undefined) return;
  const { prepareTarget } = await import('./transfer.ts');
  await prepareTarget(session, 'output-file');
  await prepareTarget(session, 'download');
}

/** Describe responses for a table, from the catalogue: columns, and kinds of all attributes. */
export function describe(endpoint: Pick<Endpoint, 'returns' | 'columns'>) {
  const fields = returnedFields(endpoint);
  const textAt = (key: string) => {
    const field = fieldOf(fields, key);
    return field?.kind === 'text' ? field : undefined;
  };
  return {
    columns: columnsOf(endpoint.columns, fields),
    kindOf: (path: string) => kindAt(fields, path),
    hiddenBy: (key: string) => textAt(key)?.hiddenBy,
    isBulky: (key: string) => fieldOf(fields, key)?.bulky === true,
    isMarkdown: (key: string) => textAt(key)?.markdown === true,
  };
}

/** Describe responses with a column for every attribute, those of the usual columns first. */
export function describeAll(endpoint: Endpoint) {
  const usual = endpoint.columns.map((column) => pathOfColumn(column).split('.', 1)[0] as string);
  const all = new Set([...usual, ...Object.keys(returnedFields(endpoint))]);
  return describe({ ...endpoint, columns: [...all] });
}
