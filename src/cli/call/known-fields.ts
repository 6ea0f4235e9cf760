/** Checks the fields of `--fields` and `--sort-by` against the catalogue and the response. */
import { usage } from '../../errors.ts';
import { mayHave } from '../../output/fields.ts';
import type { OutputOptions } from '../../output/model.ts';
import { attributesOf, fieldAt } from '../../spec/column.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Fields, itemOf } from '../../spec/field.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { isRecord } from '../../support/record.ts';
import { didYouMean, suggest } from '../../support/suggest.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Session } from '../session/model.ts';
import { describe } from './output-options.ts';

interface NamedFields {
  readonly flag: string;
  readonly paths: readonly string[];
}

/**
 * Check that the object, or a row among the first ones, has the fields that the catalogue does not know.
 * @param isWrite an absent field is a warning, not an error
 */
export function fieldCheck(
  session: Session,
  endpoint: Endpoint | undefined,
  named: readonly NamedFields[],
  isWrite: boolean,
): OutputOptions['check'] {
  const endpoints = endpoint ? [endpoint] : [];
  const documented = documentedFields(endpoints);
  const paths = named.flatMap((one) => one.paths).filter((path) => !isDocumented(path, documented));
  if (paths.length === 0) return undefined;
  let isDone = false;
  return (values) => {
    const absent = isDone ? [] : paths.filter((path) => !values.some((value) => mayHave(value, path)));
    if (absent.length > 0 && (values.length > 0 || documented.length > 0)) {
      const failure = unknownFields(named, absent, endpoints, keysIn(values));
      // Exit code 2 would say that nothing was sent.
      if (!isWrite && (!endpoint || isReadMethod(endpoint.method))) throw failure;
      session.notes.warn(failure.message);
    }
    isDone = true;
  };
}

/** The keys of rows, and of the objects in them: `pipeline.id`. */
function keysIn(rows: readonly unknown[]): string[] {
  const keys = rows.filter(isRecord).flatMap((row) =>
    Object.entries(row).flatMap(([key, value]) => {
      return [key, ...(isRecord(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [])];
    }),
  );
  return [...new Set(keys)];
}

/** Check `--fields` of a write before it is sent. Afterwards, an error would look as if nothing had happened. */
export function checkFieldsOfWrite(endpoints: readonly Endpoint[], fields: string): void {
  const documented = documentedFields(endpoints);
  const paths = fields.split(',').map((path) => path.trim());
  const unknown = paths.filter((path) => path !== '' && !isDocumented(path, documented));
  if (documented.length > 0 && unknown.length > 0)
    throw unknownFields([{ flag: '--fields', paths }], unknown, endpoints);
}

function documentedFields(endpoints: readonly Endpoint[]): Fields[] {
  return endpoints.flatMap(({ returns }) => ('fields' in returns ? [returns.fields] : []));
}

function isDocumented(path: string, documented: readonly Fields[]): boolean {
  return documented.some((fields) => isKnown(path, fields));
}

/** Whether a field is documented, or is part of an object whose content is not documented. */
function isKnown(path: string, fields: Fields): boolean {
  if (fieldAt(fields, path)) return true;
  const outer = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
  const field = fieldAt(fields, outer);
  if (!field) return outer !== '' && isKnown(outer, fields);
  const item = itemOf(field);
  return (item.kind === 'object' || item.kind === 'hash') && !item.keys;
}

function unknownFields(
  named: readonly NamedFields[],
  unknown: readonly string[],
  endpoints: readonly Endpoint[],
  seen: readonly string[] = [],
) {
  const { flag = '' } = named.find(({ paths }) => paths.some((path) => unknown.includes(path))) ?? {};
  const known = documentedFields(endpoints).flatMap((fields) => attributesOf(fields).map(([path]) => path));
  // Users type the headers that they see in a table.
  const headers = new Map(
    endpoints.flatMap((one) => describe(one).columns.map(({ label, path }) => [label, path])),
  );
  const [first] = unknown.flatMap((path) => {
    const shown = headers.get(path.toUpperCase().replace(/[-_]/g, ' '));
    return shown === undefined ? suggest(path, [...new Set([...known, ...seen])]) : didYouMean([shown]);
  });
  const all = seen.filter((path) => !path.includes('.')).join(', ');
  const list = known.length > 0 ? 'use --fields help for a list' : all && `fields: ${all}`;
  const quoted = unknown.map((path) => JSON.stringify(path)).join(', ');
  return usage(
    `${flag}: unknown field${unknown.length === 1 ? '' : 's'} ${quoted}`,
    [first, list].flatMap((hint) => hint || []),
  );
}

export function printFields(endpoints: readonly Endpoint[], { stdout }: Context): ExitCode {
  const rows = documentedFields(endpoints).flatMap((fields) => attributesOf(fields));
  if (rows.length === 0)
    throw usage('the fields of this command are not documented', 'use -o json to see them');
  const known = new Map(rows);
  const width = Math.max(...[...known.keys()].map((path) => path.length));
  for (const [path, { kind, doc, deprecated }] of known) {
    const note = deprecated === undefined ? '' : ` (deprecated: ${deprecated})`;
    stdout.write(`${path.padEnd(width)}  ${kind.padEnd(8)}  ${doc}${note}\n`);
  }
  return 0;
}
