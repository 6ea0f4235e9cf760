/** `svc sandbox faults`. */
import { usage } from '../../../errors.ts';
import type { Fault } from '../../../sandbox/control/types.ts';
import { choice, text } from '../../../spec/field.ts';
import { shellQuote } from '../../../support/shell.ts';
import { isForReaders } from '../../call/output-options.ts';
import { printRows, printValue } from '../../call/print.ts';
import { withSession } from '../../session/session.ts';
import { confirmChange } from '../../terminal/log.ts';
import { command, printing } from '../define.ts';
import { actionOf } from './actions.ts';
import { withControl } from './controlling.ts';
import { dataFlag } from './serving.ts';

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

export const faults = command({
  name: 'faults',
  args: '<action> [match]',
  of: {
    action: choice(['add', 'list', 'clear'], 'What to do'),
    match: text('Method and path of the requests: "POST /projects/*/variables"'),
  },
  summary: 'Let requests to the sandbox fail',
  doc: 'The actions are add, list and clear. In the path, * is one segment and ** is any number of segments. A request with --status does not run. A request with --cut runs, and its connection is closed early.',
  flags: {
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
      status: options.status,
      retry_after: options.retryAfter,
      latency: options.latency,
      cut: options.cut,
      times: options.times,
      probability: options.probability,
      seed: options.seed,
    };
    const [, match] = words;
    const { status, latency, cut } = effect;
    if (action === 'add' && status === undefined && latency === undefined && cut === undefined)
      throw usage('a fault requires --status, --latency or --cut', [
        `for example: svc sandbox faults add ${shellQuote(String(match))} --status 503`,
      ]);
    if (action !== 'add' && Object.values(effect).some((value) => value !== undefined))
      throw usage(`svc sandbox faults ${action} takes no fault`, 'use svc sandbox faults add');
    await withSession(options, context, (session) =>
      withControl(options, context, async (control) => {
        if (action === 'add') {
          const added = (await control('POST', '/faults', { match, ...effect })) as Fault;
          const { servesMatch } = await import('../../../sandbox/index.ts');
          if (!(await servesMatch(added.match)))
            session.notes.warn(`no request of the API matches ${added.match}`);
          confirmChange(context, options, `Added a fault: ${added.match}, ${describeFault(added)}`);
          if (!isForReaders(session)) await printValue(session, { ...added });
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
