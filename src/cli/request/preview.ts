/** What a destructive command affects, read from the service before it asks for confirmation. */
import { areas } from '../../api/index.ts';
import { Failure, isFromSignal } from '../../errors.ts';
import { expectJson } from '../../http/body/expect.ts';
import { Announced } from '../../http/policy/pages.ts';
import type { Reply, Request } from '../../http/transport.ts';
import { parseWhole, unparsable } from '../../output/json/values.ts';
import { columnsOf } from '../../spec/column.ts';
import { commandName } from '../../spec/command.ts';
import { type Affects, type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { fieldOf, isSecret } from '../../spec/field.ts';
import { guarded, masked } from '../../spec/mask.ts';
import { counted, plural } from '../../spec/names.ts';
import { type Call, plan } from '../../spec/request.ts';
import { collect } from '../../support/bytes.ts';
import { isRecord, scalarText } from '../../support/record.ts';
import type { Session } from '../session/model.ts';
import { requestBase, toRequest } from './build.ts';

type Row = Readonly<Record<string, unknown>>;

/** The part of a prompt that the service knows. */
export interface Preview {
  /** Attributes of the resource, by label. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Further lines: the affected resources, or the reason why they are unknown. */
  readonly lines: readonly string[];
}

/**
 * Read what a call affects. A failure to read it is part of the result, because the user can still confirm.
 * @param area the name of the area of the call
 * @throws Failure `interrupted` or `terminated`
 */
export async function previewOf(session: Session, call: Call, area: string): Promise<Preview> {
  const entry = areas.find(({ name }) => name === area);
  const endpoints = entry ? (await entry.load()).default.endpoints : [];
  try {
    if (call.endpoint.affects) return await affectedRows(session, call, call.endpoint.affects, endpoints);
    const list = listOf(call.endpoint, endpoints);
    const get = getterOf(call.endpoint, endpoints);
    const row = get ? await readObject(session, call, get) : list && (await findRow(session, call, list));
    const described = list ?? get;
    return { facts: row && described ? factsOf(row, described, call) : [], lines: [] };
  } catch (error) {
    if (!(error instanceof Failure) || isFromSignal(error)) throw error;
    return { facts: [], lines: [`Cannot show details: ${error.message}`] };
  }
}

/** Find the call that shows the resource: the same path, or for an action such as `cancel`, the path before it. */
function getterOf({ path, method }: Endpoint, endpoints: readonly Endpoint[]): Endpoint | undefined {
  const wanted = method === 'POST' ? parentOf(path) : path;
  const isGetter = ({ returns, takes }: Endpoint) =>
    returns.kind === 'object' && !Object.values(takes).some(({ required }) => required);
  return endpoints.find((one) => one.method === 'GET' && one.path === wanted && isGetter(one));
}

/** Find the list that contains the resource. */
function listOf({ path, slots }: Endpoint, endpoints: readonly Endpoint[]): Endpoint | undefined {
  const wanted = path.endsWith(`:${Object.keys(slots).at(-1)}`) ? parentOf(path) : undefined;
  return endpoints.find((one) => one.method === 'GET' && one.path === wanted && one.returns.kind === 'list');
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

async function requestFor(session: Session, call: Call): Promise<Request> {
  const base = await requestBase(session, call.endpoint);
  return toRequest(plan(call), { ...base, extra: [] }, session.context);
}

async function readObject(session: Session, call: Call, endpoint: Endpoint): Promise<Row> {
  const values = Object.fromEntries(
    Object.entries(call.values).filter(([name]) => fieldOf(endpoint.takes, name)),
  );
  const request = await requestFor(session, { ...call, endpoint, values });
  const client = await session.client(endpoint.access);
  const reply = await client.send(request);
  if (reply.status >= 300) throw await client.failure(request, reply);
  const value = await parsed(reply);
  return isRecord(value) ? value : {};
}

async function parsed(reply: Reply): Promise<unknown> {
  const { url, status } = reply;
  const bytes = await collect(expectJson(reply));
  try {
    return await parseWhole(bytes.toString('utf8'));
  } catch (cause) {
    throw unparsable(cause, { method: 'GET', url, status });
  }
}

/** The most pages of a list that are read for a prompt. */
const maxPages = 10;

async function* rowsOf(
  session: Session,
  call: Call,
  list: Endpoint,
  announced = new Announced(),
): AsyncGenerator<Row> {
  const values = { ...(list.takes['per_page'] ? { per_page: 100 } : {}) };
  const request = await requestFor(session, { endpoint: list, slots: call.slots, values });
  const client = await session.client(list.access);
  for await (const reply of client.pages(request, { maxPages })) {
    announced.onPage(reply);
    const page = await parsed(reply);
    for (const row of Array.isArray(page) ? page : []) if (isRecord(row)) yield row;
  }
}

async function findRow(session: Session, call: Call, list: Endpoint): Promise<Row | undefined> {
  const slot = Object.keys(call.endpoint.slots).at(-1) ?? '';
  const fields = returnedFields(list);
  const id = fieldOf(fields, slot) ? slot : 'id';
  for await (const row of rowsOf(session, call, list))
    if (scalarText(row[id]) === call.slots[slot]) return row;
  return undefined;
}

/** The most attributes that a prompt shows. */
const maxFacts = 6;

/** The attributes in the columns of a list that have a value, except secrets and what the command line says. */
function factsOf(row: Row, described: Endpoint, call: Call): Preview['facts'] {
  const fields = returnedFields(described);
  const known = new Set(Object.values(call.slots));
  return columnsOf(described.columns, fields)
    .flatMap(({ path, label }): Preview['facts'] => {
      const value = path.split('.').reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), row);
      const text = textOf(masked(guarded(fieldOf(fields, path), value)));
      return text === '' || known.has(text) || isSecret(fieldOf(fields, path))
        ? []
        : [[label.toLowerCase(), text]];
    })
    .slice(0, maxFacts);
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return (scalarText(value) ?? '').replace(/\s+/g, ' ');
}

/** The most resources that a prompt names. */
const maxNames = 20;

async function affectedRows(
  session: Session,
  call: Call,
  { command, where, noun }: Affects,
  endpoints: readonly Endpoint[],
): Promise<Preview> {
  const list = endpoints.find((one) => commandName(one) === command && one.scope === call.endpoint.scope);
  if (!list) return { facts: [], lines: [] };
  const [identity] = columnsOf(list.columns, returnedFields(list));
  const names: string[] = [];
  let rows = 0;
  const announced = new Announced();
  for await (const row of rowsOf(session, call, list, announced)) {
    rows += 1;
    if (Object.entries(where).every(([name, value]) => row[name] === value))
      names.push(textOf(row[identity?.path ?? 'id']));
  }
  const isComplete = rows < maxPages * 100 && announced.shortage(rows) === undefined;
  const among = isComplete ? '' : ` among the first ${rows}`;
  const more = names.length - maxNames;
  return {
    facts: [],
    lines: [
      names.length === 0 ? `No ${plural(noun)} found${among}` : `${counted(names.length, noun)}${among}:`,
      ...names.slice(0, maxNames).map((name) => `  ${name}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ],
  };
}
