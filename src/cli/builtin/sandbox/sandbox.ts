/** `svc sandbox`: manage the built-in service. */
import { usage } from '../../../errors.ts';
import { sharedFlags } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { runChild } from '../../terminal/child.ts';
import { confirmChange } from '../../terminal/log.ts';
import { confirmAction } from '../../terminal/prompt.ts';
import { type Builtin, command, printing } from '../define.ts';
import { controlCommands } from './control.ts';
import { noneRunning } from './controlling.ts';
import { runningCommands } from './requests.ts';
import { readAllRunning, readPersistent, readRunning, stopRunning } from './running.ts';
import {
  contentOf,
  dataFlag,
  featuresOff,
  folderOf,
  lockWait,
  openServing,
  type SandboxOptions,
} from './serving.ts';
import { connectionDetails, print, seedFlags, start } from './start.ts';

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
