/** `svc sandbox`: manage the built-in service. */
import { features } from '../../../api/features.ts';
import { usage } from '../../../errors.ts';
import type { Content } from '../../../sandbox/index.ts';
import { type Options, sharedFlags } from '../../argv/flags.ts';
import { printValue } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { withSession } from '../../session/session.ts';
import { runChild } from '../../terminal/child.ts';
import { confirmChange } from '../../terminal/log.ts';
import { confirmAction } from '../../terminal/prompt.ts';
import { type Builtin, command, printing } from '../define.ts';
import { controlCommands } from './control.ts';
import { noneRunning } from './controlling.ts';
import { runningCommands } from './requests.ts';
import {
  type Running,
  readAllRunning,
  readPersistent,
  readRunning,
  removeRunning,
  startDetached,
  stopRunning,
  writeRunning,
} from './running.ts';
import {
  contentOf,
  dataFlag,
  featuresOff,
  folderOf,
  isTable,
  lockWait,
  openServing,
  portOf,
  runningOf,
  type SandboxOptions,
  warnOfDamage,
} from './serving.ts';

const seedFlags = {
  seed: { value: 'file', doc: 'JSON file to merge into the tables of a new state' },
  'seed-file': {
    value: 'file',
    doc: 'YAML or JSON file of users, groups, projects and their settings for a new state',
  },
  scale: {
    value: 'kind=n,kind=n',
    doc: 'Generate rows in a new state: users, groups, projects, jobs, variables, badges, epics, hooks, snippets',
  },
  tier: {
    value: 'tier',
    doc: 'License of a new state (default: ultimate)',
    choices: ['free', 'premium', 'ultimate'],
  },
  'without-feature': {
    value: 'name',
    repeats: true,
    doc: 'Feature flag that is off in a new state, from svc help sandbox (default: all are on)',
    choices: features.map(({ name }) => name),
  },
  spam: {
    value: 'mode',
    doc: 'Behavior of the spam check',
    choices: ['off', 'reject', 'captcha'],
  },
} as const;
const startFlags = {
  port: { value: 'n', doc: 'Port to listen on (default: a free port)' },
  detach: { doc: 'Run in the background' },
  ...dataFlag,
  memory: { doc: 'Keep the state in memory only' },
  ...seedFlags,
  ...printing,
} as const;

/** Return the connection details of a sandbox. */
function connectionDetails(running: Running): Record<string, unknown> {
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

/** The four lines of a sandbox in the background. */
function nextSteps({ url, tokens, ids }: Running): Record<string, unknown> {
  return {
    url,
    admin_token: tokens['admin'],
    project: ids.project_path,
    next_step: `svc --sandbox jobs list --project ${ids.project_path}`,
  };
}

function print(options: Options, context: Context, value: Record<string, unknown>): Promise<void> {
  return withSession(options, context, (session) => printValue(session, value));
}

/** Check the content of a sandbox in the background first, so that its errors are those of one in the foreground. */
async function checkContent(content: Content, context: Context): Promise<void> {
  const { openSandbox } = await import('../../../sandbox/index.ts');
  await (await openSandbox({ memory: true }, { now: context.now, ...content })).close();
}

const start = command({
  name: 'start',
  args: '',
  summary: 'Start a sandbox and print its URL and tokens',
  doc: 'Listens on 127.0.0.1 only, until Ctrl-C, or with --detach until svc sandbox stop. The tokens are public, and every user of this machine can use them: do not store secrets in the sandbox.',
  flags: startFlags,
  examples: [
    { does: 'Start in the background, for other clients', run: 'sandbox start --detach' },
    { does: 'Start with a fresh state that is not saved', run: 'sandbox start --memory --port 4010' },
    {
      does: 'Test large lists: 3,000 projects, and 100,000 jobs of acme/rocket',
      run: 'sandbox start --memory --scale projects=3000,jobs=100000',
    },
  ],
  async run({ options: given, repeated }, context) {
    const options = { ...given, withoutFeatures: featuresOff(repeated) };
    if (options.memory === true && options.data !== undefined)
      throw usage('--memory and --data cannot be used together');
    portOf(options);
    const content = await contentOf(options, context);
    // Checks the output flags.
    await withSession(options, context, async () => {});
    const folder = folderOf(options, context);
    const isPersistent = options.memory !== true;
    const other = isPersistent ? await readPersistent(folder) : undefined;
    if (other) throw usage(`a sandbox is already running at ${other.url}`, 'to stop it: svc sandbox stop');
    if (options.detach === true) {
      if (options.seedFile !== undefined) await checkContent(content, context);
      const running = await startDetached(folder, options, context);
      if (running.damage !== undefined) warnOfDamage(context, running.damage);
      if (isTable(options)) {
        await print(options, context, nextSteps(running));
        return 0;
      }
      await print(options, context, connectionDetails(running));
      confirmChange(context, options, [
        `Started a sandbox at ${running.url}`,
        'To use it:   svc --sandbox jobs list --project acme/rocket',
        `To log in:   svc login --base-url ${running.url}`,
        'To stop it:  svc sandbox stop',
      ]);
      return 0;
    }
    const serving = await openServing(options, context, {
      memory: !isPersistent,
      content,
      lockTimeout: lockWait,
    });
    const { url, close } = serving;
    const running = runningOf(serving, isPersistent ? folder : null, context);
    try {
      await (await import('../../../sandbox/index.ts')).preload();
      await writeRunning(folder, running);
      await print(options, context, connectionDetails(running));
      confirmChange(context, options, [`Started a sandbox at ${url}`, 'To stop it: Ctrl-C']);
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
    // A pending promise does not keep a process alive.
    const keepAlive = setInterval(() => {}, 1 << 30);
    const end = () => {
      clearInterval(keepAlive);
      done();
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}

async function exec(options: SandboxOptions, tail: readonly string[], context: Context): Promise<ExitCode> {
  const [command, ...args] = tail;
  if (command === undefined) throw usage('no command given', 'use svc sandbox exec -- <command> [arguments]');
  const { sandbox, url, close } = await openServing(options, context, {
    memory: options.data === undefined,
    content: await contentOf(options, context),
  });
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

async function reset(options: SandboxOptions, context: Context): Promise<ExitCode> {
  const folder = folderOf(options, context);
  const running = await readPersistent(folder);
  if (running)
    throw usage(`a sandbox with this state is running at ${running.url}`, 'to stop it: svc sandbox stop');
  await confirmAction(context, options, `delete the sandbox state in ${folder}`);
  await (await import('../../../sandbox/index.ts')).deleteState(folder, lockWait);
  confirmChange(context, options, 'Reset the sandbox to its seed data');
  return 0;
}

export default {
  commands: [
    start,
    command({
      name: 'stop',
      args: '',
      summary: 'Stop all running sandboxes',
      doc: 'Stops the sandbox with its state in the folder, and those started with --memory.',
      flags: { ...dataFlag, ...sharedFlags('quiet') },
      examples: [{ does: 'Stop the sandbox', run: 'sandbox stop' }],
      async run({ options }, context) {
        const folder = folderOf(options, context);
        const all = await readAllRunning(folder);
        if (all.length === 0) throw noneRunning(options, context);
        for (const running of all) {
          await stopRunning(folder, running);
          const kept = running.data === null ? '' : '. Its state is saved';
          confirmChange(context, options, `Stopped the sandbox at ${running.url}${kept}`);
        }
        return 0;
      },
    }),
    command({
      name: 'status',
      args: '',
      summary: 'Show the base URL, the tokens and the seeded ids of the running sandbox',
      flags: { ...dataFlag, ...printing },
      examples: [{ does: 'Print the details for another client', run: 'sandbox status --json' }],
      async run({ options }, context) {
        const folder = folderOf(options, context);
        const running = await readRunning(folder);
        await print(
          options,
          context,
          running ? connectionDetails(running) : { running: false, data: folder },
        );
        return 0;
      },
    }),
    command({
      name: 'reset',
      args: '',
      summary: 'Delete the state and start again from the seed data',
      flags: { ...dataFlag, ...sharedFlags('yes', 'no-input', 'quiet') },
      examples: [{ does: 'Reset without a prompt', run: 'sandbox reset --yes' }],
      run: ({ options }, context) => reset(options, context),
    }),
    command({
      name: 'exec',
      args: '-- <command> [arguments]',
      summary: 'Run a command with a fresh sandbox',
      doc: 'Sets SVC_BASE_URL, SVC_TOKEN and SVC_JOB_TOKEN for the command, and exits with its exit code. The state is not saved, unless --data names a folder.',
      flags: { ...dataFlag, ...seedFlags },
      examples: [
        { does: 'Run the tests of a program that uses this API', run: 'sandbox exec -- npm test' },
        {
          does: 'Use another client; single quotes leave the variables to the inner shell',
          run: `sandbox exec -- sh -c 'curl -H "PRIVATE-TOKEN: $SVC_TOKEN" $SVC_BASE_URL/api/v4/version'`,
        },
      ],
      run: ({ options, repeated, tail }, context) =>
        exec({ ...options, withoutFeatures: featuresOff(repeated) }, tail, context),
    }),
    ...controlCommands,
    ...runningCommands,
  ],
} satisfies Builtin;
