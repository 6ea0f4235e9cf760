/** `svc doctor`: diagnose problems that keep commands from working. */
import { Writable } from 'node:stream';
import { Failure } from '../../../errors.ts';
import { Measure } from '../../../output/table/width.ts';
import { wrapWords } from '../../../output/table/wrap.ts';
import { isClosedPipe } from '../../../support/errno.ts';
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
import { localFindings, sessionFindings } from './checks.ts';
import { type Finding, fromFailure } from './finding.ts';

/** Findings are not wrapped to fewer columns. */
const minRoom = 16;

/** Seconds. */
const defaultTimeout = 5;

/** Print, and report output that cannot be written: the process does so only for commands that return 0. */
async function print(...args: Parameters<typeof printFindings>): Promise<void> {
  const { stdout } = args[3];
  let failure: unknown;
  const onError = (error: unknown): void => {
    failure = error;
  };
  stdout.on('error', onError);
  try {
    await printFindings(...args);
    // The next turn of the event loop reports a full disk.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    stdout.off('error', onError);
  }
  if (failure !== undefined && !isClosedPipe(failure)) throw failure;
}

async function printFindings(
  findings: readonly Finding[],
  session: Session | undefined,
  options: Options,
  context: Context,
): Promise<void> {
  const rows = findings.map(({ kind: _, facts = null, ...row }) => ({ ...row, facts }));
  if (session && !isForReaders(session)) return printRows({ ...session, context }, rows);
  // Without valid settings, the profile does not select the format.
  if (!session && (options.json === true || (options.output ?? context.env['SVC_OUTPUT']) === 'json')) {
    context.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  const { color } = createTerminal(options, context);
  const { clean } = createCleaner(context.env);
  const { painter } = await import('../../../output/table/paint.ts');
  const paint = await painter(color);
  const width = Math.max(...findings.map(({ check }) => check.length));
  const { isTTY, columns = 0 } = context.stdout;
  const measure = new Measure();
  for (const { check, status, message, remedy } of findings) {
    const text = clean(`${message}${remedy === null ? '' : `; ${remedy}`}`);
    const margin = width + 8;
    const lines =
      isTTY && columns - margin >= minRoom ? wrapWords(text, columns - margin, measure, 'keep') : [text];
    const head = `${paint.cell('state', status)}${' '.repeat(6 - status.length)}${check.padEnd(width)}  `;
    context.stdout.write(`${head}${lines.join(`\n${' '.repeat(margin)}`)}\n`);
  }
}

async function run(options: Options, context: Context): Promise<ExitCode> {
  // The findings contain the warnings of the session.
  const quiet = { ...context, stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) };
  const findings = await localFindings(context);
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
    if (findings.every(({ status }) => status !== 'fail')) findings.push(fromFailure('settings', error));
    await print(findings, undefined, options, context);
  }
  const code = codeOf(findings);
  const { stdout, leave } = context;
  // A pending DNS lookup would keep the process alive.
  if (leave && findings.some(({ check, status }) => check === 'DNS' && status === 'fail'))
    stdout.write('', () => leave(code));
  return code;
}

function codeOf(findings: readonly Finding[]): ExitCode {
  const first = findings.find(({ status }) => status === 'fail');
  return first ? exitCodes[first.kind ?? 'usage'] : 0;
}

const {
  verbose: _verbose,
  trace: _trace,
  har: _har,
  retries: _retries,
  'max-wait': _maxWait,
  timeout,
  ...connectionFlags
} = connection;

const doctor = command({
  name: 'doctor',
  args: '',
  summary: 'Diagnose settings, network and token',
  doc: 'Shows how svc is installed, its version and runtime, its folders, and whether completion and the manual are installed. Then checks the profile file, the settings in effect, DNS, the connection and its certificate, the clock, the token and the API. With -o json, facts has the values of a message. Each check takes at most a few seconds. The exit code is 0 if no check fails, otherwise that of the first failure: 2 for settings, 3 for the network, 4 for the token, 8 for responses that are not those of the API.',
  flags: {
    ...printing,
    ...connectionFlags,
    timeout: { ...timeout, doc: `Time to wait for each check (default: ${defaultTimeout})` },
    ...sharedFlags('sandbox'),
  },
  examples: [
    { does: 'Run all checks', run: 'doctor --sandbox' },
    { does: 'Print problems only, for a script', run: `doctor --sandbox --jq '.[]|select(.status!="ok")'` },
  ],
  run: ({ options }, context) => run(options, context),
});

export default { commands: [doctor] } satisfies Builtin;
