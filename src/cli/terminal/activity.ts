/** What the progress indicator shows. */
import type { Event } from '../../http/client.ts';

/** Describe the work in progress, for example `120 of 280 jobs`. Called for each frame. */
export type Describe = () => string;

/** The progress indicator of a command. */
export interface Progress {
  /**
   * Show a description, if the work takes longer than half a second.
   * @param idle show it only if nothing else is shown
   * @returns a function that ends it
   */
  open(describe: Describe, idle?: 'idle'): () => void;
  /** Remove the indicator at the end of the command. */
  close(): void;
}

/** The progress indicator of a command whose standard error is not a terminal. */
export const noProgress: Progress = { open: () => () => {}, close() {} };

/**
 * Show that a command waits for a response, or for the time of a retry.
 * @param notify receives each event
 */
export function withProgress(
  notify: (event: Event) => void,
  progress: Progress,
  now: () => number,
): (event: Event) => void {
  if (progress === noProgress) return notify;
  // Of requests without a response, whose descriptions are all alike.
  const endWaiting: (() => void)[] = [];
  let endRetry = () => {};
  return (event) => {
    if (event.kind === 'request') {
      endRetry();
      const { host } = new URL(event.url);
      endWaiting.push(progress.open(() => `waiting for ${host}`, 'idle'));
    } else if (event.kind === 'response') endWaiting.pop()?.();
    else if (event.kind === 'wait') {
      endWaiting.pop()?.();
      const end = now() + event.ms;
      endRetry = progress.open(() => `retrying in ${Math.max(0, Math.ceil((end - now()) / 1000))}s`);
    }
    notify(event);
  };
}
