/** `svc doctor`: diagnose problems that keep commands from working. */
import { Writable } from 'node:stream';
import { writeAll } from '../../../output/sink.ts';
import { painter } from '../../../output/table/paint.ts';
import { Measure } from '../../../output/table/width.ts';
import { wrapWords } from '../../../output/table/wrap.ts';
import { rowsResult } from '../../../spec/result.ts';
import { once } from '../../../support/bytes.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { isForReaders } from '../../call/output-options.ts';
import { print } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { loadSettings } from '../../session/settings.ts';
import { createCleaner } from '../../terminal/clean.ts';
import { createTerminal } from '../../terminal/terminal.ts';
import { command, connection, printing, server } from '../define.ts';
import { checkService } from './checks.ts';
import { checkProgram, type Finding, Findings } from './program.ts';

/** Findings are not wrapped to fewer columns. */
const minRoom = 16;
/** Seconds. */
const defaultTimeout = 5;

/** Print the findings. @param session undefined if the settings are invalid */
async function printFindings(
  rows: readonly Finding[],
  session: Session | undefined,
  options: Options,
  context: Context,
): Promise<void> {
  if (session && !isForReaders(session)) return void (await print({ ...session, context }, rowsResult(rows)));
  const { stdout, env } = context;
  // Without valid settings, the profile does not select the format.
  const isJson = !session && (options.json === true || (options.output ?? env['SVC_OUTPUT']) === 'json');
  const write = (text: string) => writeAll(once(Buffer.from(text)), stdout);
  if (isJson) return write(`${JSON.stringify(rows)}\n`);
  const { clean } = createCleaner(env);
  const paint = await painter(createTerminal(options, context).color);
  const width = Math.max(...rows.map(({ check }) => check.length));
  const room = stdout.isTTY ? (stdout.columns ?? 0) - width - 8 : 0;
  const lines = rows.map(({ check, status, message, remedy }) => {
    const text = clean(remedy === null ? message : `${message}; ${remedy}`);
    const mark = `${paint.cell('state', status)}${' '.repeat(6 - status.length)}`;
    const wrapped = room < minRoom ? [text] : wrapWords(text, room, new Measure(), 'keep');
    return `${mark}${check.padEnd(width)}  ${wrapped.join(`\n${' '.repeat(width + 8)}`)}\n`;
  });
  await write(lines.join(''));
}

async function diagnose(options: Options, context: Context): Promise<ExitCode> {
  const found = new Findings();
  // The findings contain the warnings of the session.
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const quiet: Context = Object.create(context, { stderr: { value: stderr } });
  let timeout: number | undefined;
  const isValid =
    (await checkProgram(found, context)) &&
    (await found.attempt('settings', () => {
      const { source } = loadSettings(options, quiet).timeout;
      if (source === 'default') timeout = defaultTimeout;
    }));
  if (!isValid) await printFindings(found.rows, undefined, options, context);
  else
    await withSession({ ...options, ...(timeout ? { timeout } : {}), retries: 0 }, quiet, async (session) => {
      await checkService(found, session);
      context.signal.throwIfAborted();
      await printFindings(found.rows, session, options, context);
    });
  const code = found.kind ? exitCodes[found.kind] : 0;
  const { stdout, leave } = context;
  // A pending DNS lookup would keep the process alive.
  if (leave && found.rows.at(-1)?.check === 'DNS') stdout.write('', () => leave(code));
  return code;
}

export const doctor = command({
  doc: 'Shows how svc is installed, its version and runtime, and its folders. Then checks the profile file, the settings in effect, DNS, the connection and its certificate, the clock, the token and the API. With -o json, facts has the values of a message. Each check takes at most a few seconds. The exit code is 0 if no check fails, otherwise that of the first failure: 2 for settings, 3 for the network, 4 for the token, 8 for responses that are not those of the API.',
  flags: {
    ...printing,
    ...server,
    ...sharedFlags('read-only'),
    timeout: { ...connection.timeout, doc: `Time to wait for each check (default: ${defaultTimeout})` },
    ...sharedFlags('sandbox'),
  },
  examples: {
    'Run all checks': 'doctor --sandbox',
    'Print problems only, for a script': `doctor --sandbox --jq '.[]|select(.status!="ok")'`,
  },
  run: ({ options }, context) => diagnose(options, context),
});
