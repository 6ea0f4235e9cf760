/** The commands that change a sandbox: faults, clock, snapshots and webhook events. */
import { type Failure, usage } from '../../../errors.ts';
import type { ClockTime, Emitted, Fault, Snapshot } from '../../../sandbox/control/types.ts';
import { choice, text } from '../../../spec/field.ts';
import { sharedFlags } from '../../argv/flags.ts';
import { printRows, printValue } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import { withSession } from '../../session/session.ts';
import { confirmChange } from '../../terminal/log.ts';
import { command, printing } from '../define.ts';
import { runningControl, withControl } from './controlling.ts';
import { dataFlag } from './serving.ts';

/** Check an action, and the number of its arguments. @throws Failure `usage` */
function actionOf<A extends string>(
  area: string,
  words: readonly string[],
  actions: Readonly<Record<A, readonly [least: number, most: number, usage: string]>>,
): A {
  const [word = ''] = words;
  const names = Object.keys(actions) as A[];
  const name = names.find((one) => one === word);
  if (name === undefined)
    throw usage(
      `${JSON.stringify(word)} is not an action of svc sandbox ${area}`,
      `actions: ${names.join(', ')}`,
    );
  const [least, most, line] = actions[name];
  const count = words.length - 1;
  if (count < least || count > most) throw wrongArguments(`svc sandbox ${area} ${line}`);
  return name;
}

const wrongArguments = (line: string): Failure => usage('wrong number of arguments', `use ${line}`);

/** @throws Failure `usage` if the value is not a number */
function numberOf(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw usage(`--${flag} must be a number`);
  return number;
}

/** `429, Retry-After 1, 2 times` */
function describeFault(fault: Fault): string {
  const { status, retry_after, latency, cut, times, probability, seed } = fault;
  return [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(retry_after === undefined ? [] : [`Retry-After ${retry_after}`]),
    ...(latency === undefined ? [] : [`${latency} ms later`]),
    ...(cut === undefined ? [] : [`cut in the ${cut}`]),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(probability === undefined ? [] : [`probability ${probability} with seed ${seed}`]),
  ].join(', ');
}

const faults = command({
  name: 'faults',
  args: '<action> [match]',
  of: {
    action: choice(['add', 'list', 'clear'], 'What to do'),
    match: text('Method and path of the requests: "POST /projects/*/variables"'),
  },
  summary: 'Let requests to the sandbox fail',
  doc: 'The actions are add, list and clear. In the path, * is one segment and ** is any number of segments. A request with --status does not run. A request with --cut runs, and its connection is closed early.',
  flags: {
    status: { value: 'n', doc: 'Status of the response, 400 to 599' },
    'retry-after': { value: 'seconds', doc: 'Retry-After header of the response' },
    latency: { value: 'ms', doc: 'Time to wait before the request runs' },
    cut: {
      value: 'where',
      choices: ['headers', 'body'],
      doc: 'Close the connection before the headers or in the body',
    },
    times: { value: 'n', doc: 'Number of requests that fail (default: all)' },
    probability: { value: 'p', doc: 'Share of the requests that fail, such as 0.1' },
    seed: { value: 'n', doc: 'Number that makes --probability repeatable' },
    ...dataFlag,
    ...printing,
  },
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
  async run({ words, options }, context) {
    const action = actionOf('faults', words, {
      add: [1, 1, "add '<METHOD> <path>' --status <n>"],
      list: [0, 0, 'list'],
      clear: [0, 0, 'clear'],
    });
    const effect = {
      status: numberOf('status', options.status),
      retry_after: numberOf('retry-after', options.retryAfter),
      latency: numberOf('latency', options.latency),
      cut: options.cut,
      times: numberOf('times', options.times),
      probability: numberOf('probability', options.probability),
      seed: numberOf('seed', options.seed),
    };
    if (action !== 'add' && Object.values(effect).some((value) => value !== undefined))
      throw usage(`svc sandbox faults ${action} takes no fault`, 'use svc sandbox faults add');
    await withSession(options, context, (session) =>
      withControl(options, context, async (control) => {
        if (action === 'add') {
          const added = (await control('POST', '/faults', { match: words[1], ...effect })) as Fault;
          confirmChange(context, options, `Added a fault: ${added.match}, ${describeFault(added)}`);
        } else if (action === 'clear') {
          await control('DELETE', '/faults');
          confirmChange(context, options, 'Removed all faults');
        } else {
          const rows = (await control('GET', '/faults')) as Fault[];
          if (rows.length === 0) session.notes.say('No faults. Add one with: svc sandbox faults add');
          await printRows(session, rows);
        }
      }),
    );
    return 0;
  },
});

const clock = command({
  name: 'clock',
  args: '[action] [time]',
  of: {
    action: choice(['show', 'set', 'advance'], 'What to do; show by default'),
    time: text('Time in ISO 8601 for set, duration such as 8d or 1h30m for advance'),
  },
  summary: 'Show or change the time of the sandbox',
  doc: 'The actions are show, set and advance. Times of new rows, licenses, expiry dates and the retention of event logs follow the clock. It continues to run from the time that you set.',
  flags: { ...dataFlag, ...printing },
  examples: [
    { does: 'Show the time', run: 'sandbox clock' },
    { does: 'Let eight days pass', run: 'sandbox clock advance 8d' },
    { does: 'Set the time', run: 'sandbox clock set 2030-01-31T12:00:00Z' },
  ],
  async run({ words: typed, options }, context) {
    const words = typed.length === 0 ? ['show'] : typed;
    const action = actionOf('clock', words, {
      show: [0, 0, 'show'],
      set: [1, 1, 'set <ISO time>'],
      advance: [1, 1, 'advance <duration>'],
    });
    await withSession(options, context, (session) =>
      withControl(options, context, async (control) => {
        const [, value] = words;
        const change = action === 'set' ? { now: value } : { advance: value };
        const time = action === 'show' ? control('GET', '/clock') : control('PUT', '/clock', change);
        const { now, offset } = (await time) as ClockTime;
        await printValue(session, { now, offset_seconds: Math.round(offset / 1_000) });
      }),
    );
    return 0;
  },
});

const snapshot = command({
  name: 'snapshot',
  args: '<action> [name]',
  of: {
    action: choice(['save', 'load', 'list', 'delete'], 'What to do'),
    name: text('Name of the snapshot'),
  },
  summary: 'Save and restore the whole state of the sandbox',
  doc: 'The actions are save, load, list and delete. A snapshot contains the tables, uploaded files, git repositories, faults and the clock. Loading it replaces the state. The snapshots of a sandbox in memory end with it.',
  flags: { ...dataFlag, ...printing },
  examples: [
    { does: 'Save the state', run: 'sandbox snapshot save clean' },
    { does: 'Restore it', run: 'sandbox snapshot load clean' },
    { does: 'List snapshots', run: 'sandbox snapshot list' },
  ],
  async run({ words, options }, context) {
    const action = actionOf('snapshot', words, {
      save: [1, 1, 'save <name>'],
      load: [1, 1, 'load <name>'],
      list: [0, 0, 'list'],
      delete: [1, 1, 'delete <name>'],
    });
    const name = words[1] ?? '';
    const path = `/snapshots/${encodeURIComponent(name)}`;
    await withSession(options, context, (session) =>
      withControl(options, context, async (control) => {
        if (action === 'list') {
          const rows = (await control('GET', '/snapshots')) as Snapshot[];
          if (rows.length === 0)
            session.notes.say('No snapshots. Save one with: svc sandbox snapshot save <name>');
          return printRows(session, rows);
        }
        if (action === 'save') await control('PUT', path);
        else if (action === 'load') await control('POST', `${path}/load`);
        else await control('DELETE', path);
        const done = { save: 'Saved', load: 'Loaded', delete: 'Deleted' }[action];
        confirmChange(context, options, `${done} snapshot ${name}`);
      }),
    );
    return 0;
  },
});

const emit = command({
  name: 'emit',
  args: '<event>',
  of: { event: text('Name of the event, such as pipeline or member') },
  summary: 'Send a sample of a webhook event to the hooks of a project',
  doc: 'The names of the events are those of svc hooks trigger. The hooks of the groups of the project get the event if they subscribe to it.',
  flags: {
    project: { short: 'p', value: 'project', doc: 'ID or full path of the project' },
    ...dataFlag,
    ...sharedFlags('quiet'),
  },
  examples: [
    { does: 'Send a pipeline event', run: 'sandbox emit pipeline -p acme/rocket' },
    { does: 'Send a member event', run: 'sandbox emit member -p acme/rocket' },
  ],
  async run({ words, options }, context: Context) {
    const project = options.project ?? context.env['SVC_PROJECT'];
    if (project === undefined) throw usage('--project is missing');
    const control = await runningControl(options, context);
    const { event, hooks, ...of } = (await control('POST', '/emit', { event: words[0], project })) as Emitted;
    const count = hooks === 0 ? 'no hook subscribes to it' : hooks === 1 ? '1 hook' : `${hooks} hooks`;
    confirmChange(context, options, `Sent event ${event} of ${of.project} (${count})`);
    return 0;
  },
});

export const controlCommands = [faults, clock, snapshot, emit];
