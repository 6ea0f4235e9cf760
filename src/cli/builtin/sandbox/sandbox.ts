/** `svc sandbox`: start, stop, reset the service inside `svc`, or run a command beside it. */
import { Failure, usage } from '../../../errors.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { printValue } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { withSession } from '../../session/session.ts';
import { noteFor } from '../../terminal/log.ts';
import { confirmAction } from '../../terminal/prompt.ts';
import { type Builtin, command, printing } from '../define.ts';
import {
  type Running,
  readAllRunning,
  readKeeping,
  readRunning,
  removeRunning,
  startDetached,
  stopRunning,
  writeRunning,
} from './running.ts';
import { folderOf, openServing, type SandboxOptions, warnOfDamage } from './serving.ts';

const dataFlag = { data: { value: 'dir', doc: 'Folder to keep the state in' } } as const;
const seedFlags = {
  seed: { value: 'file', doc: 'JSON that is merged over the seeded tables of a new state' },
  spam: {
    value: 'how',
    doc: 'What the spam check of the sandbox does',
    choices: ['off', 'reject', 'captcha'],
  },
} as const;
const startFlags = {
  port: { value: 'n', doc: 'Port to listen on (default: a free one)' },
  detach: { doc: 'Run in the background' },
  ...dataFlag,
  memory: { doc: 'Keep the state in memory only' },
  ...seedFlags,
  ...printing,
} as const;

/** What a user, or another client, needs to be pointed at it. */
function described(running: Running): Record<string, unknown> {
  const { url, tokens, job_token, ids, version, pid, data } = running;
  return {
    running: true,
    base_url: url,
    api_url: `${url}/api/v4`,
    tokens,
    job_token,
    ids,
    version,
    pid,
    data,
  };
}

function print(options: Options, context: Context, value: Record<string, unknown>): Promise<void> {
  return withSession(options, context, (session) => printValue(session, value));
}

/** Milliseconds to wait for a command that uses the same folder; another sandbox that stays is not waited for. */
const startWait = 2_000;

const start = command({
  name: 'start',
  args: '',
  summary: 'Start a sandbox on the loopback, and print how to reach it',
  doc: 'It listens on 127.0.0.1 only and runs until Ctrl-C, or with --detach until svc sandbox stop. Its tokens are documented and open to every user of this machine: keep nothing in it that is secret.',
  flags: startFlags,
  examples: [
    { does: 'In the background, for other clients', run: 'sandbox start --detach' },
    { does: 'Fresh, and gone when it ends', run: 'sandbox start --memory --port 4010' },
  ],
  async run({ options }, context) {
    if (options.memory === true && options.data !== undefined)
      throw usage('--memory and --data exclude each other');
    const folder = folderOf(options, context);
    const isKept = options.memory !== true;
    const other = isKept ? await readKeeping(folder) : undefined;
    if (other) throw usage(`a sandbox is running already at ${other.url}`, 'svc sandbox stop ends it');
    if (options.detach === true) {
      const running = await startDetached(folder, options, context);
      if (running.damage !== undefined) warnOfDamage(context, running.damage);
      await print(options, context, described(running));
      noteFor(context, options, 'it runs until svc sandbox stop; svc --sandbox <area> <command> uses it');
      noteFor(context, options, `to log in: svc auth login --base-url ${running.url}`);
      return 0;
    }
    const { sandbox, url, close, damage } = await openServing(options, context, !isKept, startWait);
    const running: Running = {
      ...sandbox.info(),
      url,
      pid: process.pid,
      data: isKept ? folder : null,
      started: context.now(),
      ...(damage === undefined ? {} : { damage }),
    };
    try {
      await (await import('../../../sandbox/index.ts')).preload();
      await writeRunning(folder, running);
      await print(options, context, described(running));
      noteFor(context, options, 'it runs until Ctrl-C');
      await untilAborted(context.signal);
    } finally {
      await removeRunning(folder, running);
      await close();
    }
    throw context.signal.reason;
  },
});

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    // A promise alone does not keep a process alive.
    const alive = setInterval(() => {}, 1 << 30);
    const end = () => {
      clearInterval(alive);
      done();
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}

async function exec(options: SandboxOptions, tail: readonly string[], context: Context): Promise<ExitCode> {
  const [command, ...args] = tail;
  if (command === undefined) throw usage('no command was given', 'svc sandbox exec -- <command> [arguments]');
  const { sandbox, url, close } = await openServing(options, context, options.data === undefined);
  try {
    const info = sandbox.info();
    const env = {
      ...context.env,
      SVC_BASE_URL: url,
      SVC_TOKEN: sandbox.addToken('root'),
      ...(info.job_token ? { SVC_JOB_TOKEN: info.job_token } : {}),
    };
    return await runChild(command, args, env, context);
  } finally {
    await close();
  }
}

/** Run a command to its end. @returns its exit code, or 128 and the signal's number as shells do */
async function runChild(
  command: string,
  args: readonly string[],
  env: Context['env'],
  context: Context,
): Promise<ExitCode> {
  const [{ spawn }, { constants }] = [
    process.getBuiltinModule('node:child_process'),
    process.getBuiltinModule('node:os'),
  ];
  const child = spawn(command, args, { env, cwd: context.cwd, stdio: 'inherit' });
  const forward = () =>
    child.kill((context.signal.reason as Failure).kind === 'terminated' ? 'SIGTERM' : 'SIGINT');
  context.signal.addEventListener('abort', forward, { once: true });
  return new Promise((done, fail) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      fail(usage(`can't run ${command}: ${error.code === 'ENOENT' ? 'no such command' : error.message}`)),
    );
    child.on('close', (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

async function reset(options: SandboxOptions, context: Context): Promise<ExitCode> {
  const folder = folderOf(options, context);
  const running = await readKeeping(folder);
  if (running) throw usage(`a sandbox is running over it at ${running.url}`, 'svc sandbox stop ends it');
  await confirmAction(context, options, `forget the sandbox's state in ${folder}`);
  await (await import('../../../sandbox/index.ts')).deleteState(folder, startWait);
  noteFor(context, options, 'the sandbox is as it was seeded');
  return 0;
}

export default {
  commands: [
    start,
    command({
      name: 'stop',
      args: '',
      summary: 'Stop every sandbox that runs in the background',
      doc: 'Stops the sandbox that keeps its state in the folder, and those started with --memory.',
      flags: { ...dataFlag, ...sharedFlags('quiet') },
      examples: [{ does: 'The one over the usual state', run: 'sandbox stop' }],
      async run({ options }, context) {
        const folder = folderOf(options, context);
        const all = await readAllRunning(folder);
        if (all.length === 0)
          throw new Failure('not_found', `no sandbox is running over ${folder}`, {
            hint: ['svc sandbox start --detach starts one', 'one with a folder of its own: --data <dir>'],
          });
        for (const running of all) {
          await stopRunning(folder, running);
          const kept = running.data === null ? '' : '; its state is kept';
          noteFor(context, options, `the sandbox at ${running.url} has ended${kept}`);
        }
        return 0;
      },
    }),
    command({
      name: 'status',
      args: '',
      summary: 'Show whether one runs: its base URL, a token for each role, known ids',
      flags: { ...dataFlag, ...printing },
      examples: [{ does: 'For another client', run: 'sandbox status --json' }],
      async run({ options }, context) {
        const folder = folderOf(options, context);
        const running = await readRunning(folder);
        await print(options, context, running ? described(running) : { running: false, data: folder });
        return 0;
      },
    }),
    command({
      name: 'reset',
      args: '',
      summary: 'Forget the state: the next command finds the world as it was seeded',
      flags: { ...dataFlag, ...sharedFlags('yes', 'no-input') },
      examples: [{ does: 'Without being asked', run: 'sandbox reset --yes' }],
      run: ({ options }, context) => reset(options, context),
    }),
    command({
      name: 'exec',
      args: '-- <command> [arguments]',
      summary: 'Run a command with a fresh sandbox, and end with its exit code',
      doc: 'The command finds SVC_BASE_URL, SVC_TOKEN and SVC_JOB_TOKEN set. The sandbox lives in memory and ends with the command, unless --data names a folder.',
      flags: { ...dataFlag, ...seedFlags },
      examples: [
        { does: 'The tests of a program that calls this API', run: 'sandbox exec -- npm test' },
        {
          does: 'Another client: single quotes, since the shell inside knows the variables',
          run: `sandbox exec -- sh -c 'curl -H "PRIVATE-TOKEN: $SVC_TOKEN" $SVC_BASE_URL/api/v4/version'`,
        },
      ],
      run: ({ options, tail }, context) => exec(options, tail, context),
    }),
  ],
} satisfies Builtin;
