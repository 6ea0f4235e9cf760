/** Commands in hints, which repeat flags of the command line. */
import { commandLine } from '../../../support/shell.ts';
import type { Options } from '../../argv/flags.ts';
import type { Session } from '../../session/model.ts';

/** The flags that select the service and the credential. */
export function connectionFlags({ sandbox, insecure, ...options }: Options): string[] {
  const values = {
    '--profile': options.profile,
    '--base-url': options.baseUrl,
    '--token-file': options.tokenFile,
    '--auth': options.auth,
    '--ca-file': options.caFile,
  };
  return [
    ...Object.entries(values).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
    ...(sandbox === true ? ['--sandbox'] : []),
    ...(insecure === true ? ['--insecure'] : []),
  ];
}

/** The command that prints this page and those after it. A sandbox for one command has another port the next time. */
export function readAgain(session: Session, url: string): string {
  const { options } = session;
  const root = session.root();
  const target = options.sandbox === true && url.startsWith(`${root}/`) ? url.slice(root.length) : url;
  return commandLine(['svc', 'api', 'GET', target, '--all', ...connectionFlags(options)]);
}
