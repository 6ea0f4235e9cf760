/** Run another program with the terminal of this one. */
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';

/** Run a command. @returns its exit code, or 128 plus the number of the signal, as in shells */
export async function runChild(
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
    child.kill(
      context.signal.reason instanceof Failure && context.signal.reason.kind === 'terminated'
        ? 'SIGTERM'
        : 'SIGINT',
    );
  context.signal.addEventListener('abort', forward, { once: true });
  return new Promise((done, fail) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      fail(usage(`cannot run ${command}: ${error.code === 'ENOENT' ? 'command not found' : error.message}`)),
    );
    child.on('close', (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
