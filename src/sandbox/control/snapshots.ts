/** Snapshots of the whole state: rows with faults and clock, files and git repositories. The request log is not part of it. */
import type { Clock as Time } from '../core/behavior.ts';
import type { Images } from '../store/image.ts';
import type { Store } from '../store/store.ts';
import { ControlError } from './input.ts';
import type { Snapshot } from './types.ts';

type Alone = <T>(change: () => Promise<T>) => Promise<T>;

const unknown = (name: string): ControlError => new ControlError(`no snapshot has the name ${name}`, 404);

export class Snapshots {
  readonly #state: Time & { readonly images: Images };
  readonly #alone: Alone;
  readonly #fresh: () => Promise<Store>;

  /** @param alone runs a change while no request runs @param fresh returns the rows of a new state */
  constructor(state: Time & { readonly images: Images }, alone: Alone, fresh: () => Promise<Store>) {
    this.#state = state;
    this.#alone = alone;
    this.#fresh = fresh;
  }

  list = (): Promise<Snapshot[]> => this.#state.images.list();

  /** @throws ControlError 404 */
  async get(name: string): Promise<Snapshot> {
    const found = (await this.list()).find((snapshot) => snapshot.name === name);
    if (!found) throw unknown(name);
    return found;
  }

  /** Save the state, and replace a snapshot with the same name. @throws ControlError for an invalid name */
  async save(name: string): Promise<Snapshot> {
    if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
      throw new ControlError('a snapshot name has at most 64 letters, digits, ".", "_" and "-"');
    const saved = { name, created_at: this.#state.time() };
    await this.#alone(() => this.#state.images.save(saved));
    return saved;
  }

  /** Replace the state. @throws ControlError 404 */
  async load(name: string): Promise<void> {
    if (!(await this.#alone(() => this.#state.images.load(name)))) throw unknown(name);
  }

  /** @throws ControlError 404 */
  async delete(name: string): Promise<void> {
    if (!(await this.#alone(() => this.#state.images.delete(name)))) throw unknown(name);
  }

  /** Replace the state by a new one. */
  async reset(): Promise<void> {
    await this.#alone(async () => this.#state.images.replace(await this.#fresh()));
  }
}
