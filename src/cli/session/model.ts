import type { Credential } from '../../config/credentials.ts';
import type { Client } from '../../http/client.ts';
import type { Access } from '../../spec/endpoint.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';
import type { Notes } from '../terminal/log.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Settings } from './settings.ts';

/** What a command uses of its environment. What is costly is a function that computes its result once. */
export interface Session {
  readonly context: Context;
  readonly options: Options;
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly notes: Notes;
  /** Parameters that were typed unseen: a terminal does not show them in the answer either. */
  readonly unseen: string[];
  /** The API's root. @throws Failure `usage` where no base URL is set */
  root(): string;
  /** The token for this call; undefined where there is none. */
  credential(access: Access): Promise<Credential | undefined>;
  client(access: Access): Promise<Client>;
  /** Keep these texts out of all that is told, should the service echo them. Before `client`. */
  conceal(secrets: readonly string[]): void;
  close(): Promise<void>;
}
