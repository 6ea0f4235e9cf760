/**
 * The part of AbortSignal that tells a command to end. An AbortSignal takes a millisecond of each start, so that one is created only for
 * functions that require it.
 */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: Error | undefined;
  /** @throws the reason, once aborted */
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A cancellation that its owner aborts. Each listener is called once. */
export class Cancel implements Cancellation {
  aborted = false;
  reason: Error | undefined;
  readonly #listeners = new Set<() => void>();

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/** The AbortSignal of a cancellation, for functions of Node and packages. */
export function abortSignal(cancellation: Cancellation): AbortSignal {
  if (cancellation instanceof AbortSignal) return cancellation;
  const controller = new AbortController();
  const abort = () => controller.abort(cancellation.reason);
  if (cancellation.aborted) abort();
  else cancellation.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
