/** Confirmation of destructive commands. The prompt shows what they affect, read from the service. */
import { areas } from '../../api/index.ts';
import { Failure, isFromSignal, usage } from '../../errors.ts';
import { Announced } from '../../http/policy/pages.ts';
import { columnsOf } from '../../spec/column.ts';
import { commandName } from '../../spec/command.ts';
import { type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { fieldOf, isSecret } from '../../spec/field.ts';
import { guarded, masked } from '../../spec/mask.ts';
import { counted, plural } from '../../spec/names.ts';
import type { Call, Values } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { isRecord, scalarText, valueAt } from '../../support/record.ts';
import { shellQuote } from '../../support/shell.ts';
import type { Session } from '../session/model.ts';
import { ask, askYesNo, canPrompt, needsConfirmation } from '../terminal/prompt.ts';
import { maxPerPage } from './build.ts';
import { fetchCall, listRows, readObject } from './response.ts';

type Fact = readonly [name: string, value: string];

const notSent = 'request not sent';

/** The slot that names the resource of a call. Without one, the call is about its whole project or group. */
export function namingSlot({ slots }: Pick<Endpoint, 'slots'>): string {
  return Object.keys(slots).at(-1) ?? 'id';
}

export function nameOf({ endpoint, slots }: Pick<Call, 'endpoint' | 'slots'>): string {
  return slots[namingSlot(endpoint)] ?? '';
}

/** Ask for the confirmation of a destructive command, unless a flag gives it. @throws Failure `usage` if it is denied */
export async function confirm(session: Session, call: Call, area: string): Promise<void> {
  const { options, context, terminal } = session;
  const isSevere = call.endpoint.confirm === 'name';
  const name = nameOf(call);
  if (isSevere && options.confirm !== undefined) {
    if (options.confirm === name) return;
    throw usage(`--confirm must be ${JSON.stringify(name)}, not ${JSON.stringify(options.confirm)}`, notSent);
  }
  if (options.yes === true) return;
  if (!canPrompt(context, options)) {
    const flag = isSevere ? `--confirm ${shellQuote(name)} or --yes` : '--yes';
    throw needsConfirmation(notSent, [summaryLine(session, call)], flag);
  }
  const lines = await summaryLines(session, call, area);
  context.stderr.write(lines.map((line) => `${terminal.clean(line)}\n`).join(''));
  const isConfirmed = isSevere
    ? (await ask(context, `Type ${name} to continue: `, { onEnd: '' })).trim() === name
    : await askYesNo(context, 'Continue?');
  if (!isConfirmed) throw usage('canceled; request not sent');
}

function subjectOf({ endpoint, slots, values }: Call): Fact[] {
  const given = { ...slots, ...(masked(values, endpoint.takes) as Values) };
  const names = [...Object.keys(endpoint.slots), ...Object.keys(values)];
  const scope: Fact[] = endpoint.scope ? [[endpoint.scope.name, slots['id'] ?? '']] : [];
  return [...names.map((name): Fact => [name, inWords(given[name])]), ...scope];
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  if (!isRecord(value)) return String(value);
  return inWords(Object.entries(value).map(([key, item]) => `${key}=${inWords(item)}`));
}

/** `host.example (profile work)` */
function hostOf({ settings, root }: Session): string {
  const { host } = new URL(root());
  if (settings.baseUrl?.from === '--sandbox') return `the sandbox (${host})`;
  const { profile, baseUrl } = settings;
  return `${host}${profile && baseUrl?.source === 'profile' ? ` (profile ${profile.value})` : ''}`;
}

/** `Delete a variable: KEY, project acme/rocket, on host (profile work)` */
function summaryLine(session: Session, call: Call): string {
  const { slots, summary } = call.endpoint;
  const subject = subjectOf(call).map(([name, value]) => (slots[name] ? value : `${name} ${value}`));
  return `${summary}: ${[...subject, `on ${hostOf(session)}`].join(', ')}`;
}

async function summaryLines(session: Session, call: Call, area: string): Promise<string[]> {
  const { slots, summary, lossWarning } = call.endpoint;
  const { facts: read, lines } = await previewOf(session, call, area);
  const args = Object.keys(slots).length;
  const subject = subjectOf(call);
  const facts: Fact[] = [...subject.slice(0, args), ...read, ...subject.slice(args), ['on', hostOf(session)]];
  const width = Math.max(...facts.map(([name]) => name.length)) + 1;
  const block = facts.map(([name, value]) => `  ${`${name.replaceAll('_', ' ')}:`.padEnd(width)} ${value}`);
  return [summary, ...block, ...lines, ...(lossWarning === undefined ? [] : [lossWarning])];
}

/** Read what a call affects. A failure is shown, because the user can still confirm. @throws Failure after a signal */
async function previewOf(session: Session, call: Call, area: string) {
  const { affects, path, method } = call.endpoint;
  const endpoints = (await areas.find(({ name }) => name === area)?.load())?.default.endpoints ?? [];
  const reading = (wanted: string, kind: 'list' | 'object') =>
    endpoints.find((one) => one.method === 'GET' && one.path === wanted && one.returns.kind === kind);
  const parent = path.slice(0, path.lastIndexOf('/'));
  // The resource of an action such as `cancel` is at the path before it.
  const object = reading(method === 'POST' ? parent : path, 'object');
  const get = object && Object.values(object.takes).some(({ required }) => required) ? undefined : object;
  const list = path.endsWith(`:${namingSlot(call.endpoint)}`) ? reading(parent, 'list') : undefined;
  const described = list ?? get;
  try {
    if (affects) return { facts: [], lines: await affectedLines(session, call, affects, endpoints) };
    if (!described) return { facts: [], lines: [] };
    const row = get ? await readRow(session, call, get) : await findRow(session, call, described);
    return { facts: row ? factsOf(row, described, call) : [], lines: [] };
  } catch (error) {
    if (!(error instanceof Failure) || isFromSignal(error)) throw error;
    return { facts: [], lines: [`Cannot show details: ${error.message}`] };
  }
}

async function readRow(session: Session, call: Call, endpoint: Endpoint): Promise<Row> {
  const values = Object.entries(call.values).filter(([name]) => fieldOf(endpoint.takes, name));
  const reply = await fetchCall(session, { ...call, endpoint, values: Object.fromEntries(values) });
  return (await readObject(reply)).value;
}

const maxPages = 10;

async function findRow(session: Session, call: Call, list: Endpoint): Promise<Row | undefined> {
  const slot = namingSlot(call.endpoint);
  const id = fieldOf(returnedFields(list), slot) ? slot : 'id';
  for await (const row of listRows(session, { ...call, endpoint: list, values: {} }, { maxPages }))
    if (scalarText(row[id]) === call.slots[slot]) return row;
  return undefined;
}

const maxFacts = 6;

/** The attributes in the columns of a list that have a value, except secrets and values of the command line. */
function factsOf(row: Row, described: Endpoint, call: Call): Fact[] {
  const fields = returnedFields(described);
  const known = new Set(Object.values(call.slots));
  return columnsOf(described.columns, fields)
    .flatMap(({ path, label }): Fact[] => {
      const field = fieldOf(fields, path);
      const text = cellText(masked(guarded(field, valueAt(row, path))));
      return text === '' || known.has(text) || isSecret(field) ? [] : [[label.toLowerCase(), text]];
    })
    .slice(0, maxFacts);
}

function cellText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return (scalarText(value) ?? '').replace(/\s+/g, ' ');
}

const maxNames = 20;

async function affectedLines(
  session: Session,
  { endpoint: { scope }, slots }: Call,
  { command, where, noun }: NonNullable<Endpoint['affects']>,
  endpoints: readonly Endpoint[],
): Promise<string[]> {
  const list = endpoints.find((one) => commandName(one) === command && one.scope === scope);
  if (!list) return [];
  const [identity] = columnsOf(list.columns, returnedFields(list));
  const names: string[] = [];
  let rows = 0;
  const announced = new Announced();
  const call = { endpoint: list, slots, values: {} };
  for await (const row of listRows(session, call, { maxPages, announced })) {
    rows += 1;
    if (Object.entries(where).every(([name, value]) => row[name] === value))
      names.push(cellText(row[identity?.path ?? 'id']));
  }
  const isComplete = rows < maxPages * maxPerPage && announced.shortage(rows) === undefined;
  const among = isComplete ? '' : ` among the first ${rows}`;
  const more = names.length - maxNames;
  return [
    names.length === 0 ? `No ${plural(noun)} found${among}` : `${counted(names.length, noun)}${among}:`,
    ...names.slice(0, maxNames).map((name) => `  ${name}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
