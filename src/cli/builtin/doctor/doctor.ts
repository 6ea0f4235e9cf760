/** `svc doctor`: diagnose problems that keep commands from working. */
import { Writable } from 'node:stream';
import { Failure } from '../../../errors.ts';
import { writeAll } from '../../../output/sink.ts';
import { painter } from '../../../output/table/paint.ts';
import { Measure } from '../../../output/table/width.ts';
import { wrapWords } from '../../../output/table/wrap.ts';
import { once } from '../../../support/bytes.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { isForReaders } from '../../call/output-options.ts';
import { printRows } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { loadSettings } from '../../session/settings.ts';
import { createCleaner } from '../../terminal/clean.ts';
import { createTerminal } from '../../terminal/terminal.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { sessionFindings } from './checks.ts';
import { type Finding, fromFailure } from './finding.ts';
import { localFindings } from './program.ts';

/** Findings are not wrapped to fewer columns. */
const minRoom = 16;

/** Seconds. */
const defaultTimeout = 5;

/** Print the findings. @param session undefined if the settings are invalid */
async function print(
  findings: readonly Finding[],
  session: Session | undefined,
  options: Options,
  context: Context,
): Promise<void> {
  const rows = findings.map(({ kind: _, ...row }) => row);
  if (session && !isForReaders(session)) return void (await printRows({ ...session, context }, rows));
  const { stdout, env } = context;
  const write = (text: string) => writeAll(once(Buffer.from(text)), stdout);
  // Without valid settings, the profile does not select the format.
  if (!session && (options.json === true || (options.output ?? env['SVC_OUTPUT']) === 'json'))
    return write(`${JSON.stringify(rows)}\n`);
  const { clean } = createCleaner(env);
  const paint = await painter(createTerminal(options, context).color);
  const width = Math.max(...rows.map(({ check }) => check.length));
  const margin = width + 8;
  const room = stdout.isTTY ? (stdout.columns ?? 0) - margin : 0;
  const lines = rows.map(({ check, status, message, remedy }) => {
    const text = clean(remedy === null ? message : `${message}; ${remedy}`);
    const wrapped = room >= minRoom ? wrapWords(text, room, new Measure(), 'keep') : [text];
    const head = `${paint.cell('state', status)}${' '.repeat(6 - status.length)}${check.padEnd(width)}  `;
    return `${head}${wrapped.join(`\n${' '.repeat(margin)}`)}\n`;
  });
  return write(lines.join(''));
}

async function diagnose(options: Options, context: Context): Promise<ExitCode> {
  // The findings contain the warnings of the session.
  const quiet = { ...context, stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) };
  const findings = await localFindings(context);
  const isFailed = ({ status }: Finding) => status === 'fail';
  let isOpen = false;
  try {
    const { timeout } = loadSettings(options, quiet);
    const bounds = timeout.source === 'default' ? { timeout: defaultTimeout } : {};
    await withSession({ ...options, ...bounds, retries: 0 }, quiet, async (session) => {
      isOpen = true;
      findings.push(...(await sessionFindings(session)));
      context.signal.throwIfAborted();
      await print(findings, session, options, context);
    });
  } catch (error) {
    if (isOpen || !(error instanceof Failure)) throw error;
    // A broken profile file is among the findings already.
    if (!findings.some(isFailed)) findings.push(fromFailure('settings', error));
    await print(findings, undefined, options, context);
  }
  const first = findings.find(isFailed);
  const code = first ? exitCodes[first.kind ?? 'usage'] : 0;
  const { stdout, leave } = context;
  // A pending DNS lookup would keep the process alive.
  if (leave && findings.some((one) => one.check === 'DNS' && isFailed(one)))
    stdout.write('', () => leave(code));
  return code;
}

const { timeout } = connection;

const doctor = command({
  name: 'doctor',
  args: '',
  summary: 'Diagnose settings, network and token',
  doc: 'Shows how svc is installed, its version and runtime, its folders, and whether completion and the manual are installed. Then checks the profile file, the settings in effect, DNS, the connection and its certificate, the clock, the token and the API. With -o json, facts has the values of a message. Each check takes at most a few seconds. The exit code is 0 if no check fails, otherwise that of the first failure: 2 for settings, 3 for the network, 4 for the token, 8 for responses that are not those of the API.',
  flags: {
    ...printing,
    ...sharedFlags('profile', 'base-url', 'token-file', 'auth', 'ca-file', 'insecure', 'read-only'),
    timeout: { ...timeout, doc: `Time to wait for each check (default: ${defaultTimeout})` },
    ...sharedFlags('sandbox'),
  },
  examples: [
    { does: 'Run all checks', run: 'doctor --sandbox' },
    { does: 'Print problems only, for a script', run: `doctor --sandbox --jq '.[]|select(.status!="ok")'` },
  ],
  run: ({ options }, context) => diagnose(options, context),
});

export default { commands: [doctor] } satisfies Builtin;
