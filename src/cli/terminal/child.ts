/** Run another program with the streams of this one. */
import type { spawn as Spawn } from 'node:child_process';
import { Failure, usage } from '../../errors.ts';
import { errnoText } from '../../support/errno.ts';
import { platform as current } from '../../support/system/platform.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';

/** Milliseconds to wait for the end of a program after a signal: less than `main.ts` waits for svc. */
const patience = 300;

/** Run a command. @returns its exit code, or 128 plus the number of the signal, as in shells */
export async function runChild(
  command: string,
  args: readonly string[],
  env: Context['env'],
  context: Context,
  platform: NodeJS.Platform = current,
): Promise<ExitCode> {
  const { constants } = process.getBuiltinModule('node:os');
  const spawn = await spawnerFor(platform);
  const child = spawn(command, args, {
    env,
    cwd: context.cwd,
    stdio: context.isCaptured ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  child.stdout?.pipe(context.stdout, { end: false });
  child.stderr?.pipe(context.stderr, { end: false });
  const { signal } = context;
  let giveUp = (_: unknown) => {};
  const forward = () => {
    child.kill(
      signal.reason instanceof Failure && signal.reason.kind === 'terminated' ? 'SIGTERM' : 'SIGINT',
    );
    // A program that ignores the signal, or its child, keeps the pipes open.
    if (context.isCaptured) setTimeout(() => giveUp(signal.reason), patience).unref();
  };
  signal.addEventListener('abort', forward, { once: true });
  if (signal.aborted) forward();
  try {
    return await new Promise((done, fail) => {
      giveUp = fail;
      child.on('error', (error: NodeJS.ErrnoException) =>
        fail(
          usage(`cannot run ${command}: ${error.code === 'ENOENT' ? 'command not found' : errnoText(error)}`),
        ),
      );
      child.on('close', (code, by) => done(code ?? 128 + (by ? constants.signals[by] : 0)));
    });
  } finally {
    signal.removeEventListener('abort', forward);
  }
}

/** On Windows, many programs are scripts such as npm.cmd, which Node does not find or start by itself. */
async function spawnerFor(platform: NodeJS.Platform): Promise<typeof Spawn> {
  if (platform === 'win32') return (await import('cross-spawn')).default.spawn as typeof Spawn;
  return process.getBuiltinModule('node:child_process').spawn;
}
