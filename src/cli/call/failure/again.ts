/** Commands in hints, which repeat flags of the command line. */
import { commandLine } from '../../../support/shell.ts';
import { serverFlags, wordsOf } from '../../argv/flags.ts';
import type { Session } from '../../session/model.ts';

/** The command that prints this page and those after it. A sandbox for one command has another port the next time. */
export function readAgain(session: Session, url: string): string {
  const { options } = session;
  const root = session.root();
  const target = options.sandbox === true && url.startsWith(`${root}/`) ? url.slice(root.length) : url;
  return commandLine(['svc', 'api', 'GET', target, '--all', ...wordsOf(options, serverFlags)]);
}
