/** Run another program with the streams of this one. */
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { usage } from '../../errors.ts';
import { errnoText } from '../../support/errno.ts';
import { terminalGroups } from '../../support/process.ts';
import { platform as current } from '../../support/system/platform.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';

/** Milliseconds in which a second signal ends a program that ignores the first. */
const secondWithin = 5_000;
/** Milliseconds between signals that are one: `timeout` signals a process and then its group. */
const sameMoment = 10;
/** Milliseconds to wait for the output of other programs that keep the pipes of an interrupted one open. */
const drainTime = 300;

/** Run a command, also after a signal until it ends. @returns its exit code, or 128 plus the signal @throws Failure `usage` */
export async function runChild(
  command: string,
  args: readonly string[],
  env: Context['env'],
  context: Context,
  onSignal = context.onSignal,
): Promise<ExitCode> {
  // On Windows, many programs are scripts such as npm.cmd, which Node does not find or start by itself.
  const { default: spawn } = await import('cross-spawn');
  const { signal, isCaptured = false } = context;
  signal.throwIfAborted();
  const child = spawn(command, args, {
    env,
    cwd: context.cwd,
    stdio: isCaptured ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  child.stdout?.pipe(context.stdout, { end: false });
  child.stderr?.pipe(context.stderr, { end: false });
  let last = Number.NEGATIVE_INFINITY;
  const stop = onSignal?.((name) => {
    const isShared = isFromTerminal(name);
    const now = performance.now();
    if (now - last > sameMoment) {
      // The system and the shell both send SIGHUP when a terminal is closed.
      const isSecond = name !== 'SIGHUP' && now - last < secondWithin;
      if (isSecond || !isShared) child.kill(isSecond ? 'SIGKILL' : name);
      last = now;
    }
    return isCaptured || !isShared;
  });
  let settle = () => {};
  let draining: NodeJS.Timeout | undefined;
  try {
    return await new Promise((done, fail) => {
      const end = (code: number | null, by: NodeJS.Signals | null) =>
        isCaptured && by && signal.aborted
          ? fail(signal.reason)
          : done(code ?? 128 + (by ? constants.signals[by] : 0));
      settle = () => {
        const { exitCode, signalCode } = child;
        if (signal.aborted && (exitCode ?? signalCode) !== null)
          draining ??= setTimeout(end, drainTime, exitCode, signalCode);
      };
      child.on('error', (error: NodeJS.ErrnoException) =>
        fail(
          usage(`cannot run ${command}: ${error.code === 'ENOENT' ? 'command not found' : errnoText(error)}`),
        ),
      );
      child.on('close', end).on('exit', settle);
      signal.addEventListener('abort', settle);
    });
  } finally {
    signal.removeEventListener('abort', settle);
    // It would keep svc running, which after a while exits with the code of the signal.
    clearTimeout(draining);
    stop?.();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/** Run an editor or a pager. Ctrl-C is a key of such a program, which svc ignores. */
export function runEditor(command: string, args: readonly string[], context: Context): Promise<ExitCode> {
  const { env, onSignal } = context;
  return runChild(command, args, env, context, (act) =>
    onSignal?.((name) => !isFromTerminal(name) && act(name)),
  );
}
/** Whether a signal is one that a terminal sends to all programs in its foreground, and this process is in the foreground. */
function isFromTerminal(signal: NodeJS.Signals): boolean {
  if (current === 'win32') return true;
  if (signal !== 'SIGINT' && signal !== 'SIGQUIT') return false;
  const groups = terminalGroups();
  if (groups) return groups.own === groups.foreground;
  return [0, 1, 2].some((fd) => isatty(fd));
}
