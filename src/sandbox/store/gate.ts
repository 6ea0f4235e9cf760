/** Lets requests run at the same time, and some changes of the whole state alone. */
export class Gate {
  #running = 0;
  #exclusive: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  /** Run together with others, after an exclusive run that waits or runs. */
  async shared<T>(run: () => Promise<T>): Promise<T> {
    while (this.#exclusive) await this.#exclusive;
    this.#running++;
    try {
      return await run();
    } finally {
      this.#running--;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  async exclusive<T>(run: () => Promise<T>): Promise<T> {
    while (this.#exclusive) await this.#exclusive;
    let release = () => {};
    this.#exclusive = new Promise((resolve) => {
      release = resolve;
    });
    try {
      if (this.#running > 0)
        await new Promise<void>((resolve) => {
          this.#onIdle = resolve;
        });
      return await run();
    } finally {
      this.#onIdle = undefined;
      this.#exclusive = undefined;
      release();
    }
  }
}

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
