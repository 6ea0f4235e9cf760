export class Gate {
  readonly #running = new Set<Promise<unknown>>();
  #exclusive: Promise<unknown> | undefined;

  /** Run together with others, after an exclusive run that waits or runs. */
  async shared<T>(run: () => Promise<T>): Promise<T> {
    while (this.#exclusive) await this.#exclusive;
    const result = run();
    const ended = result.then(nothing, nothing);
    this.#running.add(ended);
    ended.then(() => this.#running.delete(ended));
    return result;
  }

  async exclusive<T>(run: () => Promise<T>): Promise<T> {
    while (this.#exclusive) await this.#exclusive;
    const result = Promise.all(this.#running).then(run);
    this.#exclusive = result.then(nothing, nothing).then(() => {
      this.#exclusive = undefined;
    });
    return result;
  }
}

const nothing = (): void => {};

/** Runs tasks of the same key one after another, in order. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const result = previous.then(task, task);
    const settled = result.catch(() => undefined);
    this.#last.set(key, settled);
    settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return result;
  }
}
