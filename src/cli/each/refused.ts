/** The commands that `svc each` does not run. */
import { pathOf } from '../../spec/command.ts';
import type { Found } from '../builtin/define.ts';

const same = 'it concerns svc on this machine, and would do the same for each target';
const login = 'it concerns the token, which is the same for all targets';

/** The reasons, by area or by command. */
export const refused: Readonly<Record<string, string>> = {
  login,
  whoami: login,
  auth: login,
  profiles: same,
  config: same,
  sandbox: same,
  doctor: same,
  completion: same,
  schema: same,
  version: same,
  help: same,
  man: same,
  mcp: 'it serves a client on standard input and output',
  each: 'it runs another command itself',
  'files edit': 'it opens an editor on the terminal, which the targets would share',
  'hooks listen': 'it waits for requests on a port, and has no target',
};

/** Flags without which a command never ends, so that further targets would wait for ever. */
const required: Readonly<Record<string, string>> = { 'hooks forward': 'once' };

/** The flag that a command requires in `svc each`. */
export const requiredFlag = ({ command }: Pick<Found, 'command'>): string | undefined =>
  required[pathOf(command)];
