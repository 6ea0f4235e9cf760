/** `svc sandbox`: manage the built-in service. */
import { isFromSignal, usage } from '../../../errors.ts';
import type { OptionsOf } from '../../../spec/flag.ts';
import { objectResult, sayNote, stopped } from '../../../spec/result.ts';
import { shellQuote } from '../../../support/shell.ts';
import { pause } from '../../../support/waiting/pause.ts';
import { sharedFlags, wordsOf } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import { isForReaders } from '../../call/output-options.ts';
import { print } from '../../call/print.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { runChild } from '../../terminal/child.ts';
import { confirmChange } from '../../terminal/log.ts';
import { canPrompt, confirmAction } from '../../terminal/prompt.ts';
import { type Builtin, command, connection, printing } from '../define.ts';
import { controlCommands } from './control.ts';
import { type Running, readAllRunning, readRunning, startDetached, stopRunning } from './running.ts';
import {
  contentFlags,
  type DataOption,
  dataFlag,
  type Found,
  findRunning,
  folderFlag,
  folderOf,
  lockWait,
  noneRunning,
  openSandbox,
  openServing,
  readContent,
  sendControl,
  urlInUse,
  warnOfDamage,
} from './serving.ts';

const startFlags = {
  port: { kind: 'int', min: 0, max: 65_535, doc: 'Port to listen on (default: a free port)' },
  detach: { doc: 'Run in the background' },
  ...dataFlag,
  memory: { doc: 'Keep the state in memory only' },
  ...contentFlags,
  'copy-of': {
    kind: 'text',
    placeholder: 'id|path',
    doc: 'Project of the service whose settings a new state gets, with placeholders for secrets',
  },
  ...connection,
  ...printing,
} as const;

/** The flags that a sandbox in the background gets too, besides those that may be repeated. */
const detachedFlags = Object.entries(startFlags).filter(
  ([name, flag]) => name !== 'detach' && !(name in printing) && !('repeats' in flag),
);

/** Milliseconds, 12 days. A timer of Node waits at most 24 days. */
const longPause = 2 ** 30;

const connectionDetails = ({ url, tokens, job_token, ids, version, pid, data }: Found) => ({
  running: true,
  base_url: url,
  api_url: `${url}/api/v4`,
  ...{ tokens, job_token, ids, version, pid, data },
});

/** A command that uses the sandbox. `--sandbox` uses the one of the usual folder. */
function firstUse(options: DataOption, { ids }: Running): string {
  const [before, flag] =
    options.data === undefined
      ? ['', ' --sandbox']
      : [`eval "$(svc sandbox env${folderFlag(options)})" && `, ''];
  return `${before}svc${flag} jobs list --project ${shellQuote(ids.project_path)}`;
}

/** @throws Failure `usage` for a copy with other content */
async function readCopied(session: Session, line: CommandLine<OptionsOf<typeof startFlags>>) {
  const { copyOf, seedFile, scale } = line.options;
  if (copyOf === undefined) return {};
  if (seedFile !== undefined || scale !== undefined)
    throw usage('--copy-of cannot be used with --seed-file or --scale');
  return (await import('./copy-of.ts')).readCopyOf(session, line, copyOf);
}

const start = command({
  name: 'start',
  summary: 'Start a sandbox and print its URL and tokens',
  doc: 'Listens on 127.0.0.1 only, until Ctrl-C, or with --detach until svc sandbox stop. The tokens are public, and every user of this machine can use them: do not store secrets in the sandbox.',
  flags: startFlags,
  examples: {
    'Start in the background, for other clients': 'sandbox start --detach',
    'Start with a fresh state that is not saved': 'sandbox start --memory --port 4010',
    'Try changes in a copy of the settings of a project': 'sandbox start --copy-of acme/rocket --port 4010',
    'Test large lists: 3,000 projects, and 100,000 jobs of acme/rocket':
      'sandbox start --memory --scale projects=3000,jobs=100000',
  },
  // The session checks the output flags before the sandbox starts.
  run: (line, context) =>
    withSession(line.options, context, async (session) => {
      const { options, repeated } = line;
      const { memory = false, port } = options;
      if (memory && options.data !== undefined) throw usage('--memory and --data cannot be used together');
      const content = { ...(await readContent(line, context)), ...(await readCopied(session, line)) };
      const folder = folderOf(options, context);
      const other = memory ? undefined : await readRunning(folder, 'kept');
      const stop = `svc sandbox stop${folderFlag(options)}`;
      if (other) throw usage(`a sandbox is already running at ${other.url}`, `to stop it: ${stop}`);
      const printStarted = (running: Running, toStop: string) => {
        const note = { how: 'done', text: `Started a sandbox at ${running.url}` } as const;
        const notes = [note, sayNote(`  To stop it: ${toStop}`)];
        return print(session, objectResult(connectionDetails(running), undefined, { notes }));
      };
      if (options.detach !== true) {
        await (await import('../../../sandbox/index.ts')).preload();
        const serving = { port, ...content, announceIn: folder };
        const { running, close } = await openServing(context, memory ? null : folder, serving);
        try {
          await printStarted(running, 'Ctrl-C');
          while (true) await pause(longPause, context.signal);
        } catch (error) {
          if (!isFromSignal(error)) throw error;
          return print(session, stopped(error, `Stopped the sandbox at ${running.url}`));
        } finally {
          await close();
        }
      }
      // Errors in the content are those of a sandbox in the foreground.
      if (options.seedFile !== undefined || options.copyOf !== undefined)
        await (await openSandbox(context, null, content)).close();
      const flags = repeated.flatMap(([flag, value]) => [`--${flag}`, value]);
      const running = await startDetached(folder, [...wordsOf(options, detachedFlags), ...flags], context);
      if (running.damage !== undefined) warnOfDamage(context, running.damage);
      if (!isForReaders(session)) return printStarted(running, stop);
      const { url, tokens, ids } = running;
      const next_step = firstUse(options, running);
      const details = { url, admin_token: tokens['admin'], project: ids.project_path, next_step };
      return print(session, objectResult(details));
    }),
});

const stop = command({
  name: 'stop',
  summary: 'Stop the sandbox, and those in memory',
  doc: 'Stops the sandbox with its state in the folder, and those started with --memory.',
  flags: { ...dataFlag, ...sharedFlags('quiet') },
  examples: { 'Stop the sandbox': 'sandbox stop' },
  async run({ options }, context) {
    const folder = folderOf(options, context);
    const all = await readAllRunning(folder);
    const inUse = await urlInUse(options, context);
    if (inUse !== undefined && all.every(({ url }) => url !== inUse))
      throw usage(
        `SVC_BASE_URL names the sandbox at ${inUse}, which is not one of ${folder}`,
        'a sandbox of svc sandbox exec ends with its command; for one in a folder, use --data <dir>',
      );
    if (all.length === 0) throw noneRunning(options, context);
    for (const running of all) {
      await stopRunning(folder, running);
      const kept = running.data === null ? '' : '. Its state is saved';
      confirmChange(context, options, `Stopped the sandbox at ${running.url}${kept}`);
    }
    return 0;
  },
});

const status = command({
  name: 'status',
  summary: 'Show the base URL, the tokens and the seeded ids of the running sandbox',
  flags: { ...dataFlag, ...printing },
  examples: { 'Print the details for another client': 'sandbox status --json' },
  async execute({ options }, { context }) {
    const data = folderOf(options, context);
    const found = await findRunning(options, context);
    const all = await readAllRunning(data);
    const running = all.find(({ url }) => url === found?.url) ?? found;
    return objectResult(running ? connectionDetails(running) : { running: false, data });
  },
});

const reset = command({
  name: 'reset',
  summary: 'Delete the state and start again from the seed data',
  flags: { ...dataFlag, ...sharedFlags('yes', 'no-input', 'quiet') },
  examples: { 'Reset without a prompt': 'sandbox reset --yes' },
  async run({ options }, context) {
    const folder = folderOf(options, context);
    const running = await readRunning(folder, 'kept');
    if (running)
      throw usage(
        `a sandbox with this state is running at ${running.url}`,
        `to stop it: svc sandbox stop${folderFlag(options)}`,
      );
    const inUse = await urlInUse(options, context);
    if (inUse !== undefined) {
      await confirmAction(context, options, `reset the sandbox at ${inUse}`);
      await sendControl(options, context, ['POST', '/reset']);
      return confirmChange(context, options, 'Reset the sandbox to its first content');
    }
    await confirmAction(context, options, `delete the sandbox state in ${folder}`);
    await (await import('../../../sandbox/index.ts')).deleteState(folder, lockWait);
    return confirmChange(context, options, 'Deleted the state of the sandbox');
  },
});

const exec = command({
  name: 'exec',
  args: '-- <command> [arguments]',
  summary: 'Run a command with a fresh sandbox',
  doc: 'Sets SVC_BASE_URL, SVC_TOKEN and SVC_JOB_TOKEN for the command, and exits with its exit code. The state is not saved, unless --data names a folder.',
  flags: { ...dataFlag, ...contentFlags },
  examples: {
    'Run the tests of a program that uses this API': 'sandbox exec -- npm test',
    'Use another client; single quotes leave the variables to the inner shell': `sandbox exec -- sh -c 'curl -H "PRIVATE-TOKEN: $SVC_TOKEN" $SVC_BASE_URL/api/v4/version'`,
  },
  async run(line, context) {
    const { options, tail } = line;
    const [program, ...args] = tail;
    if (!program) throw usage('no command given', 'use svc sandbox exec -- <command> [arguments]');
    const folder = options.data === undefined ? null : folderOf(options, context);
    const content = await readContent(line, context);
    const { sandbox, running, close } = await openServing(context, folder, content);
    try {
      const values = { ...variables(running), SVC_TOKEN: sandbox.addToken('root') };
      // A shell looks the same inside and outside.
      if (args.length === 0 && canPrompt(context, {})) {
        const end = folder === null ? 'its state is lost' : 'its state is saved';
        const use = `svc jobs list --project ${running.ids.project_path}`;
        context.stderr.write(`In a sandbox at ${running.url}: try ${use}. When ${program} ends, ${end}.\n`);
      }
      return await runChild(program, args, { ...context.env, ...values }, context);
    } finally {
      await close();
    }
  },
});

const variables = ({ url, tokens, job_token }: Found): Readonly<Record<string, string>> => ({
  SVC_BASE_URL: url,
  ...(tokens['admin'] ? { SVC_TOKEN: tokens['admin'] } : {}),
  ...(job_token ? { SVC_JOB_TOKEN: job_token } : {}),
});

const environment = command({
  name: 'env',
  summary: 'Print shell lines that select the running sandbox',
  doc: 'Sets SVC_BASE_URL, SVC_TOKEN and SVC_JOB_TOKEN, which svc and the programs that it starts read.',
  flags: dataFlag,
  examples: { 'Print the lines; to set the variables: eval "$(svc sandbox env)"': 'sandbox env' },
  async run({ options }, context) {
    const running = await findRunning(options, context);
    if (!running) throw noneRunning(options, context);
    for (const [name, value] of Object.entries(variables(running)))
      context.stdout.write(`export ${name}=${shellQuote(value)}\n`);
    return 0;
  },
});

export default {
  commands: [start, stop, status, reset, exec, ...controlCommands, environment],
} satisfies Builtin;
