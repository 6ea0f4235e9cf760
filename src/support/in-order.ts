/**
 * Run a job for each item. Jobs that are running end before this returns, and all results are delivered, one at a time.
 * @param concurrency jobs that run at a time
 * @param ahead jobs that may start before the result of an earlier one is delivered; at least `concurrency`
 * @param isStopped whether no further job may start
 * @throws the first error of a job or of a delivery, after which no job is started
 */
export async function inOrder<T, R>(
  items: readonly T[],
  how: {
    readonly concurrency: number;
    readonly ahead: number;
    readonly run: (item: T) => Promise<R>;
    readonly deliver: (item: T, result: R) => Promise<void>;
    readonly isStopped: () => boolean;
  },
): Promise<void> {
  const { concurrency, ahead, run, deliver, isStopped } = how;
  const errors: unknown[] = [];
  const fail = (error: unknown): undefined => void errors.push(error);
  /** The deliveries of the jobs that were started, in order. */
  const deliveries: Promise<void>[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      await deliveries[at - ahead];
      if (errors.length > 0 || isStopped()) return;
      const item = items[at] as T;
      const job = run(item).then((result) => () => deliver(item, result), fail);
      const both = Promise.all([job, deliveries.at(-1)]);
      deliveries.push(both.then(([delivery]) => delivery?.()).catch(fail));
      await job;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await deliveries.at(-1);
  if (errors.length > 0) throw errors[0];
}

/** Map items with several at a time. @throws the first error, after which none is started */
export async function mapInOrder<T, R>(
  items: readonly T[],
  concurrency: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const deliver = async (_: T, result: R) => void results.push(result);
  await inOrder(items, { concurrency, ahead: items.length, run, deliver, isStopped: () => false });
  return results;
}
