/** Work under the same key is done one after the other, in the order in which it came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => undefined);
    this.#last.set(key, settled);
    settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return turn;
  }
}
