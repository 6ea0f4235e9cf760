/** The commands that show the requests and the connection of a running sandbox. */
import type { LoggedRequest } from '../../../sandbox/control/types.ts';
import { once } from '../../../support/bytes.ts';
import { shellQuote } from '../../../support/shell.ts';
import { pause } from '../../../support/waiting/pause.ts';
import { isForReaders } from '../../call/output-options.ts';
import { openOutput } from '../../call/print.ts';
import { withSession } from '../../session/session.ts';
import { confirmChange } from '../../terminal/log.ts';
import { command, printing } from '../define.ts';
import { noneRunning, runningControl } from './controlling.ts';
import { readRunning } from './running.ts';
import { dataFlag, folderOf } from './serving.ts';

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
  async run({ options }, context) {
    const { limit = 20 } = options;
    await withSession(options, context, async (session) => {
      const control = await runningControl(options, context);
      if (options.clear === true) {
        await control('DELETE', '/requests');
        confirmChange(context, options, 'Cleared the request log');
        return;
      }
      const output = await openOutput(session, { isLong: true });
      const page = (rows: readonly LoggedRequest[]) =>
        output.page(once(Buffer.from(JSON.stringify(isForReaders(session) ? rows.map(tableRow) : rows))));
      let rows = (await control('GET', `/requests?limit=${limit}`)) as LoggedRequest[];
      if (rows.length > 0 || options.follow !== true) await page(rows);
      let last = rows.at(-1)?.id ?? 0;
      while (options.follow === true) {
        await pause(followInterval, context.signal);
        rows = (await control('GET', `/requests?after=${last}&limit=0`)) as LoggedRequest[];
        if (rows.length > 0) await page(rows);
        last = rows.at(-1)?.id ?? last;
      }
      await output.endList();
    });
    return 0;
  },
});

const environment = command({
  name: 'env',
  args: '',
  summary: 'Print shell lines that select the running sandbox',
  doc: 'Sets SVC_BASE_URL, SVC_TOKEN and SVC_JOB_TOKEN, which svc and the programs that it starts read.',
  flags: { ...dataFlag },
  examples: [
    { does: 'Print the lines; to set the variables: eval "$(svc sandbox env)"', run: 'sandbox env' },
  ],
  async run({ options }, context) {
    const running = await readRunning(folderOf(options, context));
    if (!running) throw noneRunning(options, context);
    const { url, tokens, job_token } = running;
    const values = { SVC_BASE_URL: url, SVC_TOKEN: tokens['admin'], SVC_JOB_TOKEN: job_token };
    for (const [name, value] of Object.entries(values))
      if (value) context.stdout.write(`export ${name}=${shellQuote(value)}\n`);
    return 0;
  },
});

export const runningCommands = [requests, environment];
