import type { Readable, Writable } from 'node:stream';
import type { Env } from '../config/paths.ts';
import type { Transport, TransportOptions } from '../http/transport.ts';

export type Sink = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
export type Source = Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };

export interface Context {
  readonly env: Env;
  readonly cwd: string;
  /** The words of argv that start `svc`, before its own arguments. */
  readonly program: readonly string[];
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** `stdout` and `stderr` are not those of the process, so that other programs cannot inherit them. */
  readonly isCaptured?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds since the process started. Without it, no time limit counts from there. */
  readonly elapsed?: () => number;
  /** Aborted by SIGINT, SIGTERM, SIGHUP and SIGQUIT, with a Failure as its reason. */
  readonly signal: AbortSignal;
  /** Call `act`, which returns whether svc ends too, for each signal while another program runs. @returns a function that ends this */
  readonly onSignal?: (act: (signal: NodeJS.Signals) => boolean) => (() => void) | undefined;
  readonly random: () => number;
  /** Replaces waiting, in tests. Rejects with the reason of `signal` when it is aborted. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** End the process now. A pending DNS lookup would keep it for seconds. */
  readonly leave?: (code: number) => void;
  /** Call `act` when the reader of `stdout` closes the pipe, instead of ending the process. */
  readonly onReaderGone?: (act: () => void) => void;
  /** Call `before` when the process is about to be suspended (Ctrl-Z) and `after`, perhaps twice, when it continues. */
  readonly onSuspend?: (before: () => void, after: () => void) => { suspend(): void; end(): void };
  readonly transport?: ((origin: string, options: TransportOptions) => Transport) | undefined;
}
