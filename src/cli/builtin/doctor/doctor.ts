/** `svc doctor`: what could keep a command from working, one line each, with what to do about it. */
import { Writable } from 'node:stream';
import type { Kind } from '../../../errors.ts';
import { Failure } from '../../../errors.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { printRows } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { openSession } from '../../session/session.ts';
import { loadSettings } from '../../session/settings.ts';
import { createTerminal } from '../../terminal/terminal.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { examine, localFindings } from './checks.ts';
import { type Finding, fromFailure } from './finding.ts';

/** Seconds for each look at the network, unless `--timeout` says otherwise. */
const patience = '5';

async function print(
  findings: readonly Finding[],
  session: Session | undefined,
  options: Options,
  context: Context,
): Promise<void> {
  const rows = findings.map(({ kind: _, ...row }) => row);
  const asRows = options.jq !== undefined || options.fields !== undefined;
  if (session && (asRows || session.settings.output.value !== 'table'))
    return printRows({ ...session, context }, rows);
  // Where the settings are what is broken, only the flag is left to go by.
  if (!session && options.json === true) {
    context.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  const { color, clean } = createTerminal(options, context);
  const { painter } = await import('../../../output/table/paint.ts');
  const paint = await painter(color);
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, message, remedy } of findings) {
    const text = `${check.padEnd(width)}  ${message}${remedy === null ? '' : `; ${remedy}`}`;
    context.stdout.write(`${paint.status(status)}${' '.repeat(6 - status.length)}${clean(text)}\n`);
  }
}

async function run(options: Options, context: Context): Promise<ExitCode> {
  // What the session would warn of is among the findings.
  const quiet = { ...context, stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) };
  const findings = await localFindings(context);
  let session: Session | undefined;
  try {
    const { timeout } = loadSettings(options, quiet);
    const bounds = timeout.source === 'default' ? { timeout: patience } : {};
    session = await openSession({ ...options, ...bounds, retries: '0' }, quiet);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A broken profile file was told of already.
    if (findings.every(({ status }) => status !== 'fail')) findings.push(fromFailure('settings', error));
  }
  try {
    if (session) findings.push(...(await examine(session)));
    context.signal.throwIfAborted();
    await print(findings, session, options, context);
  } finally {
    await session?.close();
  }
  const code = codeOf(findings);
  const { stdout, leave } = context;
  // A name that is still being looked up would keep the process.
  if (leave && findings.some(({ check, status }) => check === 'DNS' && status === 'fail'))
    stdout.write('', () => leave(code));
  return code;
}

function codeOf(findings: readonly Finding[]): ExitCode {
  const first = findings.find(({ status }) => status === 'fail');
  return first ? exitCodes[first.kind ?? ('usage' satisfies Kind)] : 0;
}

const {
  verbose: _verbose,
  trace: _trace,
  retries: _retries,
  'max-wait': _maxWait,
  timeout,
  ...connectionFlags
} = connection;

const doctor = command({
  name: 'doctor',
  args: '',
  summary: 'Find out what keeps svc from working, and what helps',
  doc: 'Looks at Node, the profile file, the settings in force, DNS, the connection and its certificate, the clock, the token and the API. Each check takes a few seconds at most. The exit code is 0 where nothing failed, else that of the first failure: 2 for settings, 3 for the network, 4 for the token.',
  flags: {
    ...printing,
    ...connectionFlags,
    timeout: { ...timeout, doc: `Time to wait for each check (default: ${patience})` },
    ...sharedFlags('sandbox'),
  },
  examples: [
    { does: 'Everything, one line each', run: 'doctor --sandbox' },
    { does: 'What is not well, for a script', run: `doctor --sandbox --jq '.[]|select(.status!="ok")'` },
  ],
  run: ({ options }, context) => run(options, context),
});

export default { commands: [doctor] } satisfies Builtin;
