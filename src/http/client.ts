/** One client a command: policy over a carrier. STUB: the signatures that other rooms may rely on. */
import type { Header, Reply, Request, Transport } from './transport.ts';

/** What happens on the wire, for `--verbose`, `--trace` and the lines that announce a wait. Never holds a credential. */
export type Event =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: readonly Header[];
      readonly body?: Uint8Array;
    }
  | {
      readonly kind: 'reply';
      readonly method: string;
      readonly url: string;
      readonly status: number;
      readonly headers: readonly Header[];
      readonly ms: number;
    }
  | {
      readonly kind: 'wait';
      readonly ms: number;
      readonly reason: string;
      readonly attempt: number;
      readonly of: number;
    }
  | { readonly kind: 'moved'; readonly from: string; readonly to: string; readonly status: number };

export interface ClientOptions {
  /** The API's root. The credential goes to its origin and nowhere else. */
  readonly root: string;
  readonly credential?: Header;
  readonly userAgent: string;
  readonly retries: number;
  /** Milliseconds that one wait may last. */
  readonly maxWait: number;
  readonly retryUnsafe: boolean;
  readonly notify: (event: Event) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export interface Client {
  /** Send one request, with retries and redirects. Any final status is an answer, not an error. */
  send(request: Request): Promise<Reply>;
  /**
   * The pages of a list: the given request, then each `Link` with rel=next. The next page is asked for as soon as
   * its link is known. A status of 400 and more is thrown as a Failure.
   */
  pages(request: Request): AsyncIterable<Reply>;
  close(): Promise<void>;
}

export type CreateClient = (transport: Transport, options: ClientOptions) => Client;
