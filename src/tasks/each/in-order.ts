/** Run several jobs at a time, and deliver their results in order. */

export interface InOrderOptions<T, R> {
  /** Jobs that run at a time. */
  readonly concurrency: number;
  /** Jobs that may start before the result of an earlier one is delivered. */
  readonly ahead: number;
  readonly run: (item: T) => Promise<R>;
  /** Called for one result at a time. */
  readonly deliver: (item: T, result: R) => Promise<void>;
  /** Whether no further job may start. */
  readonly isStopped: () => boolean;
}

/**
 * Run a job for each item. Jobs that are running end before this returns, and all results are delivered.
 * @throws the first error of a job or of a delivery, after which no job is started
 */
export async function inOrder<T, R>(items: readonly T[], options: InOrderOptions<T, R>): Promise<void> {
  const { concurrency, ahead, run, deliver, isStopped } = options;
  const results = new Map<number, R>();
  let started = 0;
  let delivered = 0;
  let errors: unknown[] = [];
  let waiting: (() => void)[] = [];
  const wake = () => {
    const all = waiting;
    waiting = [];
    for (const resume of all) resume();
  };
  let delivering = false;
  const take = async (at: number) => {
    const result = results.get(at) as R;
    results.delete(at);
    await deliver(items[at] as T, result);
  };
  const deliverReady = async () => {
    if (delivering) return;
    delivering = true;
    try {
      while (results.has(delivered)) {
        await take(delivered);
        delivered += 1;
        wake();
      }
    } finally {
      delivering = false;
    }
  };
  const worker = async () => {
    while (started < items.length && errors.length === 0 && !isStopped()) {
      if (started - delivered >= ahead) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        continue;
      }
      const at = started;
      started += 1;
      try {
        results.set(at, await run(items[at] as T));
        await deliverReady();
      } catch (error) {
        errors = [...errors, error];
        wake();
      }
    }
    wake();
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  // After a stop, results that follow a gap are delivered too.
  const rest = [...results.keys()].sort((a, b) => a - b);
  for (const at of rest) await take(at);
  if (errors.length > 0) throw errors[0];
}
