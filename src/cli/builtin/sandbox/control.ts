/** `svc sandbox faults|clock|snapshot|emit|requests`: requests to the control interface, which checks their values. */
import { scopePath } from '../../../config/scope.ts';
import { isFromSignal, usage } from '../../../errors.ts';
import type { ClockTime, Emitted, Fault, LoggedRequest } from '../../../sandbox/control/types.ts';
import { choice, text } from '../../../spec/field.ts';
import { type FlagSpecs, intFlag, numberFlag, textFlag } from '../../../spec/flag.ts';
import { counted } from '../../../spec/names.ts';
import { done, type Ending, objectResult, type Result, rowsResult, sayNote } from '../../../spec/result.ts';
import { once } from '../../../support/bytes.ts';
import { pause } from '../../../support/waiting/pause.ts';
import { optionName } from '../../argv/flags.ts';
import { isForReaders } from '../../call/output-options.ts';
import { checkReadOnly } from '../../session/connection.ts';
import { type BuiltinCommand, type BuiltinDeclaration, command, printing, scopeFlags } from '../define.ts';
import { type Control, dataFlag, noneRunning, runningControl, sendControl } from './serving.ts';

interface Action {
  /** The argument in the usage line; without it, the action takes none. */
  readonly argument?: string;
  /** @param members of a fault that flags set */
  readonly request: (value: string, members: object) => readonly [...Parameters<Control>];
  /** Confirms a change. Its response is printed only in a format that the user chose, otherwise always. */
  readonly done?: (value: string, response: unknown) => string;
}

interface ActionCommand extends BuiltinDeclaration {
  readonly name: string;
  /** Without the list of actions. */
  readonly doc: string;
  readonly flags?: FlagSpecs;
  /** The first is the default if the argument is optional. */
  readonly actions: Readonly<Record<string, Action>>;
  readonly none?: string;
  readonly view?: (response: unknown) => unknown;
}

/** Declare a command whose first argument is the name of an action. `of` describes the other argument. */
function actionCommand({
  actions,
  of,
  flags = {},
  doc,
  none,
  view = (one) => one,
  ...draft
}: ActionCommand): BuiltinCommand {
  const names = Object.keys(actions);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const title = draft.args?.startsWith('[') ? `What to do; ${names[0]} by default` : 'What to do';
  return command({
    ...draft,
    doc: `The actions are ${list}. ${doc}`,
    of: { action: choice(names, title), ...of },
    flags: { ...flags, ...dataFlag, ...printing },
    async execute({ words: [name = names[0] ?? '', ...values], options }, session): Promise<Result> {
      const own = `svc sandbox ${draft.name}`;
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action)
        throw usage(`${JSON.stringify(name)} is not an action of ${own}`, `actions: ${names.join(', ')}`);
      const { argument, request, done: sentence } = action;
      const [value = ''] = values;
      const isWrong = argument === undefined ? values.length > 0 : value === '';
      const wanted = argument === undefined ? 'takes no argument' : 'requires an argument';
      if (isWrong) throw usage(`${own} ${name} ${wanted}`, `use ${[own, name, argument].join(' ').trim()}`);
      const members = Object.entries(flags).flatMap(([flag]) => {
        const set: unknown = Reflect.get(options, optionName(flag));
        return set === undefined ? [] : [[flag.replaceAll('-', '_'), set]];
      });
      if (argument === undefined && members.length > 0)
        throw usage(`${own} ${name} takes no fault`, `use ${own} add`);
      const sent = request(value, Object.fromEntries(members));
      checkReadOnly(session, sent[0]);
      const response = view(await sendControl(options, session.context, sent));
      const notes = sentence ? [{ how: 'done', text: sentence(value, response) } as const] : [];
      if (response === undefined || (sentence && isForReaders(session))) return done({ notes });
      if (!Array.isArray(response)) return objectResult(response, undefined, { notes });
      return rowsResult(response, undefined, {
        notes: response.length === 0 && none !== undefined ? [sayNote(none)] : notes,
      });
    },
  });
}

const clock = actionCommand({
  name: 'clock',
  args: '[action] [time]',
  of: { time: text('Time in ISO 8601 for set, duration such as 8d or 1h30m for advance') },
  summary: 'Show or change the time of the sandbox',
  doc: 'Times of new rows, licenses, expiry dates and the retention of event logs follow the clock. It continues to run from the time that you set.',
  examples: {
    'Show the time': 'sandbox clock',
    'Let eight days pass': 'sandbox clock advance 8d',
    'Set the time': 'sandbox clock set 2030-01-31T12:00:00Z',
  },
  actions: {
    show: { request: () => ['GET', '/clock'] },
    set: { argument: '<ISO time>', request: (now) => ['PUT', '/clock', { now }] },
    advance: { argument: '<duration>', request: (advance) => ['PUT', '/clock', { advance }] },
  },
  view(response) {
    const { now, offset } = response as ClockTime;
    return { now, offset_seconds: Math.round(offset / 1_000) };
  },
});

const snapshotPath = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

const snapshot = actionCommand({
  name: 'snapshot',
  args: '<action> [name]',
  of: { name: text('Name of the snapshot') },
  summary: 'Save and restore the whole state of the sandbox',
  doc: 'A snapshot contains the tables, uploaded files, git repositories, faults and the clock. Loading it replaces the state. The snapshots of a sandbox in memory end with it.',
  examples: {
    'Save the state': 'sandbox snapshot save clean',
    'Restore it': 'sandbox snapshot load clean',
    'List snapshots': 'sandbox snapshot list',
  },
  actions: {
    save: {
      argument: '<name>',
      request: (name) => ['PUT', snapshotPath(name)],
      done: (name) => `Saved snapshot ${name}`,
    },
    load: {
      argument: '<name>',
      request: (name) => ['POST', `${snapshotPath(name)}/load`],
      done: (name) => `Loaded snapshot ${name}`,
    },
    list: { request: () => ['GET', '/snapshots'] },
    delete: {
      argument: '<name>',
      request: (name) => ['DELETE', snapshotPath(name)],
      done: (name) => `Deleted snapshot ${name}`,
    },
  },
  none: 'No snapshots. Save one with: svc sandbox snapshot save <name>',
});

const faults = actionCommand({
  name: 'faults',
  args: '<action> [match]',
  of: { match: text('Method and path of the requests: "POST /projects/*/variables"') },
  summary: 'Make requests to the sandbox fail',
  doc: 'In the path, * is one segment and ** is one or more segments. A request with --status does not run. A request with --cut runs, and its connection is closed early.',
  flags: {
    status: intFlag('Status of the response, 400 to 599'),
    'retry-after': intFlag('Retry-After header of the response', { unit: 'seconds' }),
    latency: numberFlag('Time to wait before the request runs', { placeholder: 'ms' }),
    cut: textFlag('Close the connection before the headers or in the body', { choices: ['headers', 'body'] }),
    times: intFlag('Number of requests that fail (default: all)'),
    probability: numberFlag('Share of the requests that fail, such as 0.1', { placeholder: 'p' }),
    seed: intFlag('Number that makes --probability repeatable'),
  },
  examples: {
    'Throttle the next two requests that create a variable':
      "sandbox faults add 'POST /projects/*/variables' --status 429 --retry-after 1 --times 2",
    'Let a tenth of all requests fail, always the same ones':
      "sandbox faults add '/**' --status 503 --probability 0.1 --seed 7",
    'List the faults': 'sandbox faults list',
    'Remove all faults': 'sandbox faults clear',
  },
  actions: {
    add: {
      argument: "'<METHOD> <path>' --status <n>",
      request: (match, members) => ['POST', '/faults', { match, ...members }],
      done(_, response) {
        const { match, ...members } = response as Fault;
        const texts = Object.entries(members).map(([name, value]) => `${name.replace('_', ' ')} ${value}`);
        return `Added a fault: ${[match, ...texts].join(', ')}`;
      },
    },
    list: { request: () => ['GET', '/faults'] },
    clear: { request: () => ['DELETE', '/faults'], done: () => 'Removed all faults' },
  },
  none: 'No faults. Add one with: svc sandbox faults add',
});

const emit = command({
  name: 'emit',
  args: '<event>',
  of: { event: text('Name of the event, such as pipeline or member', { suggest: 'event' }) },
  summary: 'Send a sample of a webhook event to the hooks of a project',
  doc: 'The names of the events are those of svc hooks trigger. The hooks of the groups of the project get the event if they subscribe to it.',
  flags: {
    project: { ...scopeFlags.project, placeholder: 'project', doc: 'ID or full path of the project' },
    ...dataFlag,
    quiet: printing.quiet,
  },
  examples: {
    'Send a pipeline event': 'sandbox emit pipeline -p acme/rocket',
    'Send a member event': 'sandbox emit member -p acme/rocket',
  },
  async execute({ words: [event], options }, session) {
    const { context } = session;
    checkReadOnly(session, 'POST');
    const from = options.project === undefined ? 'SVC_PROJECT' : '--project';
    const value = options.project ?? context.env['SVC_PROJECT'];
    if (value === undefined)
      throw usage('--project is missing', 'for example: svc sandbox emit pipeline --project acme/rocket');
    const project = scopePath('project', { value, from }, undefined);
    const request = ['POST', '/emit', { event, project }] as const;
    const { hooks, ...sent } = (await sendControl(options, context, request)) as Emitted;
    const count = hooks === 0 ? 'no enabled hook subscribes to it' : counted(hooks, 'hook');
    const sentence = `Sent event ${sent.event} of ${sent.project} (${count})`;
    return done({ notes: [{ how: 'done', text: sentence }] });
  },
});

const tableRow = ({ at, method, path, query, status, duration, caller, fault }: LoggedRequest) => {
  return { at, method, status, ms: Math.round(duration), caller, path: `${path}${query}`, fault };
};

/** Milliseconds between two requests for new entries. */
const followInterval = 250;

const requests = command({
  name: 'requests',
  summary: 'List the last requests that the sandbox received',
  doc: 'The running sandbox keeps the last 1,000 requests. Secrets are masked.',
  flags: {
    limit: intFlag('Number of the newest requests to print; 0 for all', { short: 'L', default: 20, min: 0 }),
    follow: { short: 'f', doc: 'Also print new requests, until Ctrl-C' },
    clear: { doc: 'Remove all requests from the log' },
    ...dataFlag,
    ...printing,
  },
  examples: {
    'List the last requests': 'sandbox requests',
    'Follow the requests as JSON, one per line': 'sandbox requests --follow -o ndjson',
  },
  async execute({ options }, session) {
    const { limit = 20, follow = false, clear } = options;
    const { context } = session;
    const control = await runningControl(options, context);
    if (!control) throw noneRunning(options, context);
    if (clear === true) {
      await control('DELETE', '/requests');
      return done({ notes: [{ how: 'done', text: 'Cleared the request log' }] });
    }
    const read = async (query: string) => (await control('GET', `/requests?${query}`)) as LoggedRequest[];
    const view = (rows: readonly LoggedRequest[]) => (isForReaders(session) ? rows.map(tableRow) : rows);
    let rows = await read(`limit=${limit}`);
    if (!follow)
      return rowsResult(view(rows), undefined, {
        notes: rows.length === 0 ? [sayNote('No requests.')] : [],
      });
    let ending: Ending = 0;
    async function* pages() {
      try {
        for (let last = 0; ; rows = await read(`after=${last}&limit=0`)) {
          if (rows.length > 0) yield once(Buffer.from(JSON.stringify(view(rows))));
          last = rows.at(-1)?.id ?? last;
          await pause(followInterval, context.signal);
        }
      } catch (error) {
        if (!isFromSignal(error)) throw error;
        ending = error.kind;
      }
    }
    return {
      kind: 'rows',
      pages: pages(),
      get ending() {
        return ending;
      },
    };
  },
});

export const controlCommands = [faults, clock, snapshot, emit, requests];
