/** `svc sandbox start`. */

import { features, spamModes, tiers } from '../../../api/features.ts';
import { usage } from '../../../errors.ts';
import type { Content } from '../../../sandbox/index.ts';
import { shellQuote } from '../../../support/shell.ts';
import type { Cancellation } from '../../../support/waiting/cancellation.ts';
import { type Options, wordsOf } from '../../argv/flags.ts';
import { isForReaders } from '../../call/output-options.ts';
import { printValue } from '../../call/print.ts';
import type { Context } from '../../context.ts';
import { withSession } from '../../session/session.ts';
import { confirmChange } from '../../terminal/log.ts';
import { command, printing } from '../define.ts';
import { type Running, readPersistent, removeRunning, startDetached, writeRunning } from './running.ts';
import {
  contentOf,
  dataFlag,
  featuresOff,
  folderOf,
  lockWait,
  openServing,
  runningOf,
  type SandboxOptions,
  warnOfDamage,
} from './serving.ts';

/** The flags of the content of a new state. */
export const seedFlags = {
  'seed-file': {
    kind: 'text',
    suggest: 'path',
    doc: 'YAML or JSON file of users, groups, projects and their settings for a new state',
  },
  scale: {
    kind: 'text',
    placeholder: 'kind=n,kind=n',
    doc: 'Generate rows in a new state: users, groups, projects, jobs, variables, badges, epics, hooks, snippets',
  },
  tier: {
    kind: 'text',
    doc: 'License of a new state (default: ultimate)',
    choices: tiers,
  },
  'without-feature': {
    kind: 'text',
    placeholder: 'name',
    repeats: true,
    doc: 'Feature flag that is off in a new state, from svc help sandbox (default: all are on)',
    choices: features.map(({ name }) => name),
  },
  spam: {
    kind: 'text',
    doc: 'Behavior of the spam check',
    choices: spamModes,
  },
} as const;
const startFlags = {
  port: { kind: 'int', min: 0, max: 65_535, doc: 'Port to listen on (default: a free port)' },
  detach: { doc: 'Run in the background' },
  ...dataFlag,
  memory: { doc: 'Keep the state in memory only' },
  ...seedFlags,
  ...printing,
} as const;
const { port, memory } = startFlags;

/** Return the connection details of a sandbox. */
export function connectionDetails(running: Running): Record<string, unknown> {
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

/** The flag that selects the sandbox in other commands; empty for the usual folder. */
const folderFlag = ({ data }: SandboxOptions): string =>
  data === undefined ? '' : ` --data ${shellQuote(data)}`;

/** A command that uses the sandbox. `--sandbox` uses the one of the usual folder. */
function firstUse(options: SandboxOptions, { ids }: Running): string {
  const [before, flag] =
    options.data === undefined
      ? ['', ' --sandbox']
      : [`eval "$(svc sandbox env${folderFlag(options)})" && `, ''];
  return `${before}svc${flag} jobs list --project ${shellQuote(ids.project_path)}`;
}

/** The four lines of a sandbox in the background. */
function nextSteps(options: SandboxOptions, running: Running): Record<string, unknown> {
  const { url, tokens, ids } = running;
  return {
    url,
    admin_token: tokens['admin'],
    project: ids.project_path,
    next_step: firstUse(options, running),
  };
}

/** Print an object as the options say. */
export function print(options: Options, context: Context, value: Record<string, unknown>): Promise<void> {
  return withSession(options, context, (session) => printValue(session, value));
}

/** Check the content of a sandbox in the background first, so that its errors are those of one in the foreground. */
async function checkContent(content: Content, context: Context): Promise<void> {
  const { openSandbox } = await import('../../../sandbox/index.ts');
  await (await openSandbox({ memory: true }, { now: context.now, ...content })).close();
}

export const start = command({
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
    const content = await contentOf(options, context);
    // Before the sandbox starts, because this checks the output flags.
    const forReaders = await withSession(options, context, async (session) => isForReaders(session));
    const folder = folderOf(options, context);
    const isPersistent = options.memory !== true;
    const other = isPersistent ? await readPersistent(folder) : undefined;
    if (other)
      throw usage(
        `a sandbox is already running at ${other.url}`,
        `to stop it: svc sandbox stop${folderFlag(options)}`,
      );
    if (options.detach === true) {
      if (options.seedFile !== undefined) await checkContent(content, context);
      const flags = [
        ...wordsOf(given, Object.entries({ port, memory, ...dataFlag, ...seedFlags })),
        ...repeated.flatMap(([flag, value]) => [`--${flag}`, value]),
      ];
      const running = await startDetached(folder, flags, context);
      if (running.damage !== undefined) warnOfDamage(context, running.damage);
      if (forReaders) {
        await print(options, context, nextSteps(options, running));
        return 0;
      }
      await print(options, context, connectionDetails(running));
      confirmChange(context, options, [
        `Started a sandbox at ${running.url}`,
        `To use it:   ${firstUse(options, running)}`,
        `To log in:   svc login --base-url ${running.url}`,
        `To stop it:  svc sandbox stop${folderFlag(options)}`,
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

function untilAborted(signal: Cancellation): Promise<void> {
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
