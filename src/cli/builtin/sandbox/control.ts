/** `svc sandbox faults|clock|snapshot|emit|requests`: requests to the control interface. */
import { Failure, type Kind, usage } from '../../../errors.ts';
import type { ClockTime, Emitted, Fault, LoggedRequest, Snapshot } from '../../../sandbox/control/types.ts';
import type { Declaration } from '../../../spec/command.ts';
import { choice, text } from '../../../spec/field.ts';
import type { FlagSpecs } from '../../../spec/flag.ts';
import { counted } from '../../../spec/names.ts';
import { once } from '../../../support/bytes.ts';
import { pause } from '../../../support/waiting/pause.ts';
import { type Options, optionName, sharedFlags } from '../../argv/flags.ts';
import { isForReaders } from '../../call/output-options.ts';
import { openOutput } from '../../call/print.ts';
import { confirmChange } from '../../terminal/log.ts';
import { type BuiltinCommand, command, type Data, printData, printing } from '../define.ts';
import { type Control, withControl } from './control-interface.ts';
import { type DataOption, dataFlag } from './serving.ts';

const effectFlags = {
  status: { kind: 'int', doc: 'Status of the response, 400 to 599' },
  'retry-after': { kind: 'number', unit: 'seconds', doc: 'Retry-After header of the response' },
  latency: { kind: 'number', placeholder: 'ms', doc: 'Time to wait before the request runs' },
  cut: {
    kind: 'text',
    choices: ['headers', 'body'],
    doc: 'Close the connection before the headers or in the body',
  },
  times: { kind: 'int', doc: 'Number of requests that fail (default: all)' },
  probability: { kind: 'number', placeholder: 'p', doc: 'Share of the requests that fail, such as 0.1' },
  seed: { kind: 'int', doc: 'Number that makes --probability repeatable' },
} as const;

/** A request of a command such as `svc sandbox clock`. `R` is its response. The service checks its values. */
interface Action<R> {
  /** The argument and the required flags in the usage line, if there are any. */
  readonly usage?: string;
  /** @param effect the members of a fault that flags set */
  readonly request: (value: string, effect: Effect) => readonly [...Parameters<Control>];
  /** Confirms a change. Its response is printed only in a format that the user chose, otherwise always. */
  readonly done?: (value: string, response: R) => string;
}

type Effect = Readonly<Record<string, unknown>>;

/** The first action is the default if its argument is optional. `of` describes the other argument. */
interface ActionCommand<R> extends Declaration {
  /** Without the list of actions. */
  readonly doc: string;
  readonly flags?: FlagSpecs;
  readonly actions: Readonly<Record<string, Action<R>>>;
  /** Printed for an empty list. */
  readonly none?: string;
  /** The hints for errors of the service, by kind. */
  readonly hints?: Readonly<Partial<Record<Kind, string>>>;
  readonly view?: (response: R) => Data;
}

/** Declare a command whose first argument is the name of an action. */
function actionCommand<R>(draft: ActionCommand<R>): BuiltinCommand {
  const { actions, of, flags = {}, doc, none, hints = {}, view, ...others } = draft;
  const names = Object.keys(actions);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const what = draft.args.startsWith('[') ? `What to do; ${names[0]} by default` : 'What to do';
  return command({
    ...others,
    doc: `The actions are ${list}. ${doc}`,
    of: { action: choice(names, what), ...of },
    flags: { ...flags, ...dataFlag, ...printing },
    async run({ words: [name = names[0] ?? '', ...values], options: given }, context) {
      const options: Options & DataOption = given;
      const own = `svc sandbox ${draft.name}`;
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (!action)
        throw usage(`${JSON.stringify(name)} is not an action of ${own}`, `actions: ${names.join(', ')}`);
      const { usage: argument, request, done } = action;
      const [value = ''] = values;
      const isComplete = values.length === (argument === undefined ? 0 : 1);
      if (!isComplete || values.includes(''))
        throw usage(
          isComplete ? 'the argument is empty' : 'wrong number of arguments',
          `use ${[own, name, argument].join(' ').trim()}`,
        );
      const effect = Object.fromEntries(
        Object.keys(flags).flatMap((flag) => {
          const set: unknown = Reflect.get(given, optionName(flag));
          return set === undefined ? [] : [[flag.replaceAll('-', '_'), set]];
        }),
      );
      if (argument === undefined && Object.keys(effect).length > 0)
        throw usage(`${own} ${name} takes no fault`, `use ${own} add`);
      const call = request(value, effect);
      return printData(options, context, (session) =>
        withControl(options, context, call[0] === 'GET' ? 'read' : 'write', async (control) => {
          const response = await control(...call).catch((error: unknown) => {
            const hint = error instanceof Failure ? hints[error.kind] : undefined;
            throw error instanceof Failure && hint !== undefined ? error.withHints(hint) : error;
          });
          if (Array.isArray(response) && response.length === 0 && none !== undefined) session.notes.say(none);
          if (done) confirmChange(context, options, done(value, response as R));
          if (response === undefined || (done && isForReaders(session))) return undefined;
          return view ? view(response as R) : (response as Data);
        }),
      );
    },
  });
}

const clock = actionCommand<ClockTime>({
  name: 'clock',
  args: '[action] [time]',
  of: { time: text('Time in ISO 8601 for set, duration such as 8d or 1h30m for advance') },
  summary: 'Show or change the time of the sandbox',
  doc: 'Times of new rows, licenses, expiry dates and the retention of event logs follow the clock. It continues to run from the time that you set.',
  examples: [
    { does: 'Show the time', run: 'sandbox clock' },
    { does: 'Let eight days pass', run: 'sandbox clock advance 8d' },
    { does: 'Set the time', run: 'sandbox clock set 2030-01-31T12:00:00Z' },
  ],
  actions: {
    show: { request: () => ['GET', '/clock'] },
    set: { usage: '<ISO time>', request: (now) => ['PUT', '/clock', { now }] },
    advance: { usage: '<duration>', request: (advance) => ['PUT', '/clock', { advance }] },
  },
  view: ({ now, offset }) => ({ now, offset_seconds: Math.round(offset / 1_000) }),
});

const snapshotPath = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

const snapshot = actionCommand<Snapshot>({
  name: 'snapshot',
  args: '<action> [name]',
  of: { name: text('Name of the snapshot') },
  summary: 'Save and restore the whole state of the sandbox',
  doc: 'A snapshot contains the tables, uploaded files, git repositories, faults and the clock. Loading it replaces the state. The snapshots of a sandbox in memory end with it.',
  examples: [
    { does: 'Save the state', run: 'sandbox snapshot save clean' },
    { does: 'Restore it', run: 'sandbox snapshot load clean' },
    { does: 'List snapshots', run: 'sandbox snapshot list' },
  ],
  actions: {
    save: {
      usage: '<name>',
      request: (name) => ['PUT', snapshotPath(name)],
      done: (name) => `Saved snapshot ${name}`,
    },
    load: {
      usage: '<name>',
      request: (name) => ['POST', `${snapshotPath(name)}/load`],
      done: (name) => `Loaded snapshot ${name}`,
    },
    list: { request: () => ['GET', '/snapshots'] },
    delete: {
      usage: '<name>',
      request: (name) => ['DELETE', snapshotPath(name)],
      done: (name) => `Deleted snapshot ${name}`,
    },
  },
  hints: { not_found: 'list them with: svc sandbox snapshot list' },
  none: 'No snapshots. Save one with: svc sandbox snapshot save <name>',
});

const faults = actionCommand<Fault>({
  name: 'faults',
  args: '<action> [match]',
  of: { match: text('Method and path of the requests: "POST /projects/*/variables"') },
  summary: 'Let requests to the sandbox fail',
  doc: 'In the path, * is one segment and ** is any number of segments. A request with --status does not run. A request with --cut runs, and its connection is closed early.',
  flags: effectFlags,
  examples: [
    {
      does: 'Throttle the next two requests that create a variable',
      run: "sandbox faults add 'POST /projects/*/variables' --status 429 --retry-after 1 --times 2",
    },
    {
      does: 'Let a tenth of all requests fail, always the same ones',
      run: "sandbox faults add '/**' --status 503 --probability 0.1 --seed 7",
    },
    { does: 'List the faults', run: 'sandbox faults list' },
    { does: 'Remove all faults', run: 'sandbox faults clear' },
  ],
  actions: {
    add: {
      usage: "'<METHOD> <path>' --status <n>",
      request: (match, effect) => ['POST', '/faults', { match, ...effect }],
      done(_, { match, ...effect }) {
        const texts = Object.entries(effect).map(([name, value]) => `${name.replace('_', ' ')} ${value}`);
        return `Added a fault: ${[match, ...texts].join(', ')}`;
      },
    },
    list: { request: () => ['GET', '/faults'] },
    clear: { request: () => ['DELETE', '/faults'], done: () => 'Removed all faults' },
  },
  hints: { usage: "for example: svc sandbox faults add 'GET /projects/*/jobs' --status 503" },
  none: 'No faults. Add one with: svc sandbox faults add',
});

// --- commands of a running sandbox

const emit = command({
  name: 'emit',
  args: '<event>',
  of: { event: text('Name of the event, such as pipeline or member', { suggest: 'event' }) },
  summary: 'Send a sample of a webhook event to the hooks of a project',
  doc: 'The names of the events are those of svc hooks trigger. The hooks of the groups of the project get the event if they subscribe to it.',
  flags: {
    project: {
      short: 'p',
      kind: 'text',
      placeholder: 'project',
      suggest: 'project',
      doc: 'ID or full path of the project',
    },
    ...dataFlag,
    ...sharedFlags('quiet'),
  },
  examples: [
    { does: 'Send a pipeline event', run: 'sandbox emit pipeline -p acme/rocket' },
    { does: 'Send a member event', run: 'sandbox emit member -p acme/rocket' },
  ],
  async run({ words, options }, context) {
    const project = options.project ?? context.env['SVC_PROJECT'];
    if (project === undefined)
      throw usage('--project is missing', [
        'for example: svc sandbox emit pipeline --project acme/rocket',
        'or set SVC_PROJECT',
      ]);
    const sent = await withControl(options, context, 'none', (control) =>
      control('POST', '/emit', { event: words[0], project }),
    );
    const { event, hooks, ...of } = sent as Emitted;
    const count = hooks === 0 ? 'no enabled hook subscribes to it' : counted(hooks, 'hook');
    confirmChange(context, options, `Sent event ${event} of ${of.project} (${count})`);
    return 0;
  },
});

/** A request as a row that fits on a line. */
const tableRow = ({ at, method, path, query, status, duration, caller, fault }: LoggedRequest) => ({
  at,
  method,
  status,
  ms: Math.round(duration),
  caller,
  path: `${path}${query}`,
  fault,
});

/** Milliseconds between two requests for new entries. */
const followInterval = 250;

const requests = command({
  name: 'requests',
  args: '',
  summary: 'List the last requests that the sandbox received',
  doc: 'The running sandbox keeps the last 1,000 requests. Secrets are masked.',
  flags: {
    limit: {
      short: 'L',
      kind: 'int',
      min: 0,
      doc: 'Number of the newest requests to print; 0 for all (default: 20)',
    },
    follow: { short: 'f', doc: 'Also print new requests, until Ctrl-C' },
    clear: { doc: 'Remove all requests from the log' },
    ...dataFlag,
    ...printing,
  },
  examples: [
    { does: 'List the last requests', run: 'sandbox requests' },
    { does: 'Follow the requests as JSON, one per line', run: 'sandbox requests --follow -o ndjson' },
  ],
  run: ({ options }, context) =>
    printData(options, context, (session) =>
      withControl(options, context, 'none', async (control) => {
        const { limit = 20, follow = false } = options;
        if (options.clear === true) {
          await control('DELETE', '/requests');
          confirmChange(context, options, 'Cleared the request log');
          return undefined;
        }
        const view = (rows: readonly LoggedRequest[]) => (isForReaders(session) ? rows.map(tableRow) : rows);
        const log = async (query: string) => (await control('GET', `/requests?${query}`)) as LoggedRequest[];
        let rows = await log(`limit=${limit}`);
        if (!follow) return view(rows);
        const output = await openOutput(session, {});
        for (let last = 0; ; rows = await log(`after=${last}&limit=0`)) {
          if (rows.length > 0) await output.page(once(Buffer.from(JSON.stringify(view(rows)))));
          last = rows.at(-1)?.id ?? last;
          await pause(followInterval, context.signal);
        }
      }),
    ),
});

export const controlCommands = [faults, clock, snapshot, emit, requests];
