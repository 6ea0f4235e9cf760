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
  readonly #last = new Map<string, Promise<void>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(task);
    this.#last.set(key, result.then(nothing, nothing));
    return result;
  }
}
