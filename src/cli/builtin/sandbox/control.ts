/** The commands that change a sandbox: clock, snapshots and webhook events. */
import { Failure, usage } from '../../../errors.ts';
import type { ClockTime, Emitted, Snapshot } from '../../../sandbox/control/types.ts';
import { choice, text } from '../../../spec/field.ts';
import { suggest } from '../../../support/suggest.ts';
import { sharedFlags } from '../../argv/flags.ts';
import { isForReaders } from '../../call/output-options.ts';
import { printRows, printValue } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import { withSession } from '../../session/session.ts';
import { confirmChange } from '../../terminal/log.ts';
import { command, printing } from '../define.ts';
import { actionOf } from './actions.ts';
import { runningControl, withControl } from './controlling.ts';
import { faults } from './faults.ts';
import { dataFlag } from './serving.ts';

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
    if (name === '' && action !== 'list') throw usage('the name of a snapshot cannot be empty');
    const path = `/snapshots/${encodeURIComponent(name)}`;
    await withSession(options, context, (session) =>
      withControl(options, context, async (control) => {
        if (action === 'list') {
          const rows = (await control('GET', '/snapshots')) as Snapshot[];
          if (rows.length === 0)
            session.notes.say('No snapshots. Save one with: svc sandbox snapshot save <name>');
          return printRows(session, rows);
        }
        let saved: Snapshot | undefined;
        try {
          if (action === 'save') saved = (await control('PUT', path)) as Snapshot;
          else if (action === 'load') await control('POST', `${path}/load`);
          else await control('DELETE', path);
        } catch (error) {
          if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
          const known = ((await control('GET', '/snapshots')) as Snapshot[]).map((one) => one.name);
          throw error.withHints(
            ...suggest(name, known),
            known.length === 0 ? 'there are no snapshots' : `snapshots: ${known.join(', ')}`,
          );
        }
        const done = { save: 'Saved', load: 'Loaded', delete: 'Deleted' }[action];
        confirmChange(context, options, `${done} snapshot ${name}`);
        if (saved && !isForReaders(session)) await printValue(session, { ...saved });
      }),
    );
    return 0;
  },
});

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
  async run({ words, options }, context: Context) {
    const project = options.project ?? context.env['SVC_PROJECT'];
    if (project === undefined)
      throw usage('--project is missing', [
        'for example: svc sandbox emit pipeline --project acme/rocket',
        'or set SVC_PROJECT',
      ]);
    await (await import('../../../tasks/hooks/trigger.ts')).flagOfEvent(words[0] ?? '');
    const control = await runningControl(options, context);
    const { event, hooks, ...of } = (await control('POST', '/emit', { event: words[0], project })) as Emitted;
    const count =
      hooks === 0 ? 'no enabled hook subscribes to it' : hooks === 1 ? '1 hook' : `${hooks} hooks`;
    confirmChange(context, options, `Sent event ${event} of ${of.project} (${count})`);
    return 0;
  },
});

export const controlCommands = [faults, clock, snapshot, emit];
