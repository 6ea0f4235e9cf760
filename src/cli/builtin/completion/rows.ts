/** Completion values from the rows of a list command, such as `branches/list/name`. */
import { scopePath } from '../../../config/scope.ts';
import { fieldAt, kindAt, pathOfColumn } from '../../../spec/column.ts';
import { commandName } from '../../../spec/command.ts';
import { type Endpoint, returnedFields } from '../../../spec/endpoint.ts';
import { isSecret, keysOf } from '../../../spec/field.ts';
import { plan } from '../../../spec/request.ts';
import { collect } from '../../../support/bytes.ts';
import type { ColumnKind } from '../../../support/column.ts';
import { isRecord } from '../../../support/record.ts';
import { findArea } from '../../areas.ts';
import { maxPerPage, requestBase, toRequest } from '../../request/build.ts';
import type { Session } from '../../session/model.ts';
import type { Candidate } from './offers.ts';
import type { Typed } from './typed.ts';

/** A list request, and the attribute of its rows that is completed. */
export interface Rows {
  readonly endpoint: Endpoint;
  readonly slots: Readonly<Record<string, string>>;
  readonly attribute: string;
}

/**
 * Find the request for a source such as `branches/list/name`. Its project or group comes from the command line or the settings, and its
 * other slots are arguments with the same name.
 * @returns undefined if a value for a slot is missing
 */
export async function findRows(source: string, typed: Typed, session: Session): Promise<Rows | undefined> {
  const [area = '', list, attribute = ''] = source.split('/');
  const endpoints = (await findArea(area)?.load())?.default.endpoints ?? [];
  const isList = (one: Endpoint) =>
    commandName(one) === list && one.method === 'GET' && one.returns.kind === 'list';
  const found = scoped(endpoints.filter(isList), typed, session);
  if (!found) return undefined;
  const slots = { ...typedSlots(found.endpoint, typed), ...found.slots };
  const isComplete = Object.keys(found.endpoint.slots).every((slot) => slot in slots);
  return isComplete ? { endpoint: found.endpoint, slots, attribute } : undefined;
}

function scoped(endpoints: readonly Endpoint[], { values }: Typed, { settings }: Session) {
  for (const name of ['project', 'group'] as const) {
    const value = values.get(name) ?? settings[name]?.value;
    const endpoint = endpoints.find(({ scope }) => scope?.name === name);
    if (value !== undefined && endpoint && (name === 'group' || !values.has('group')))
      return {
        endpoint,
        slots: { id: scopePath(name, { value, from: `--${name}` }, settings.baseUrl?.value) },
      };
  }
  const endpoint = endpoints.find(({ scope }) => scope === undefined);
  return endpoint && { endpoint, slots: {} };
}

/** The arguments before the word that fill slots of the list: the `5` of `hooks resend 5`. */
function typedSlots(list: Endpoint, { command, args }: Typed): Record<string, string> {
  return Object.fromEntries(
    (command?.arguments ?? []).flatMap(({ field }, at) => {
      const value = args[at];
      return value !== undefined && field in list.slots ? [[field, value]] : [];
    }),
  );
}

/** Send the request once, without retries. @throws for any response but a list */
export async function fetchCandidates(session: Session, rows: Rows): Promise<Candidate[]> {
  const { endpoint, slots, attribute } = rows;
  const client = await session.client(endpoint.access);
  const planned = plan({ endpoint, slots, values: pageOf(endpoint) });
  const reply = await client.send(
    await toRequest(planned, await requestBase(session, endpoint), session.context),
  );
  if (reply.status !== 200) throw new Error(String(reply.status));
  const list: unknown = JSON.parse((await collect(reply.body)).toString('utf8'));
  if (!Array.isArray(list)) throw new Error('not a list');
  const describe = describerOf(endpoint, attribute);
  return list.filter(isRecord).flatMap((row) => {
    const value = textAt(row, attribute);
    return value === '' ? [] : [{ value, doc: describe(row) }];
  });
}

const pageOf = ({ takes }: Endpoint) => ('per_page' in takes ? { per_page: maxPerPage } : {});

type Row = Readonly<Record<string, unknown>>;

/** Return the text of an attribute such as `author.username`; empty for anything but text and numbers. */
function textAt(row: Row, path: string): string {
  let value: unknown = row;
  for (const name of path.split('.')) value = isRecord(value) ? value[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The columns that tell a person which row it is, by kind: the first text in this order names the row. */
const described: readonly (ColumnKind | undefined)[] = ['name', 'text', 'state', 'person'];
/** Attributes after the first in a description. */
const details = 3;
/** Characters of a description. */
const docLimit = 60;

/**
 * Return a function that describes a row by its columns: its name, then other texts in parentheses. For a value inside an object, these
 * are the attributes of that object.
 */
function describerOf(endpoint: Endpoint, attribute: string): (row: Row) => string {
  const fields = returnedFields(endpoint);
  const parent = attribute.slice(0, attribute.lastIndexOf('.') + 1);
  const columns =
    parent === ''
      ? endpoint.columns.map(pathOfColumn)
      : Object.keys(keysOf(fieldAt(fields, parent.slice(0, -1))) ?? {}).map((name) => parent + name);
  const rank = (path: string) => described.indexOf(kindAt(fields, path));
  const paths = columns
    .filter((path) => rank(path) >= 0 && !isSecret(fieldAt(fields, path)))
    .sort((one, other) => rank(one) - rank(other));
  return (row) => {
    const [head = '', ...others] = paths
      .map((path) => textAt(row, path))
      .filter((text) => text !== '' && text !== textAt(row, attribute));
    const text = [head, ...(others.length > 0 ? [`(${others.slice(0, details).join(', ')})`] : [])].join(' ');
    return [...text].length > docLimit ? `${[...text].slice(0, docLimit - 1).join('')}…` : text;
  };
}
