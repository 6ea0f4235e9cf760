import type { Credential } from '../../config/credentials.ts';
import type { Client } from '../../http/client.ts';
import type { Limiter } from '../../http/policy/limiter.ts';
import type { Transport } from '../../http/transport.ts';
import type { Access } from '../../spec/endpoint.ts';
import type { Fields } from '../../spec/field.ts';
import type { PlanPart } from '../../tasks/engine/plan-text.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';
import type { Cleaner } from '../terminal/clean.ts';
import type { Notes } from '../terminal/log.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Settings, SettingsOptions } from './settings.ts';

/** The parts that send requests. Each is created when it is first used. */
export interface Connection {
  /** Return the root of the API. @throws Failure `usage` if no base URL is set */
  root(): string;
  credential(access: Access): Promise<Credential | undefined>;
  client(access: Access): Promise<Client>;
  /** Open a transport to the service, with read-only mode, audit log and `--har`. */
  open(): Promise<Transport>;
  /**
   * Open such a transport to another server: proxy, timeout and certificate authority are those of the session, the client certificate is
   * not, and only a flag can switch off the check of certificates.
   */
  openOutside(origin: string, signal?: AbortSignal): Promise<Transport>;
  close(): Promise<void>;
}

export interface Session extends Connection {
  readonly context: Context;
  readonly options: Options;
  readonly settings: Settings;
  readonly terminal: Terminal & Cleaner;
  readonly notes: Notes;
  readonly progress: Progress;
  /** If a list fails, print none of its results. By default, the results that arrived are printed. */
  readonly omitsIncomplete?: boolean;
  /** The command runs for several targets, each in a session like this one. */
  readonly isOneOfSeveral?: true;
  /** Collects the plans of tasks, which are printed together. */
  readonly plans?: PlanPart[];
  /** The command line is only checked, and nothing is sent. */
  readonly isCheck?: true;
  /** Mask these texts in all output, in case the service echoes them. */
  conceal(secrets: readonly string[]): void;
  /** Mask the secrets among these fields in traces and logs, besides those of the command. */
  concealFields(fields: Fields): void;
}

export interface SessionOptions extends SettingsOptions {
  readonly command?: string;
  /** The session sends requests of several commands at a time, within one rate limit. */
  readonly concurrent?: boolean;
  /** The session reads the same pages again, so it asks whether they have changed. */
  readonly polls?: boolean | undefined;
  readonly limiter?: Limiter;
  /** Settings in place of those of the command line. */
  readonly resolved?: Settings;
}
