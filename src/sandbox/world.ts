import { join } from 'node:path';
import type { SandboxEvent, Spam, World } from './core/behavior.ts';
import type { AnyRow, Project, Row } from './core/rows.ts';
import { iso } from './core/time.ts';
import type { MemoryFiles } from './git/memory.ts';
import type { Repository } from './git/repository.ts';
import type { Disk } from './store/disk.ts';
import type { Images } from './store/image.ts';
import { memoryFiles } from './store/memory-files.ts';
import { memoryImages } from './store/memory-images.ts';
import type { Files, Rows, Store } from './store/store.ts';

export interface WorldOptions {
  /** Undefined keeps everything in memory. */
  readonly disk: Disk | undefined;
  readonly store: Store;
  readonly now: () => number;
  readonly spam: Spam;
  readonly emit: (event: SandboxEvent) => void;
}

/** The state of one sandbox. */
export class SandboxWorld implements World {
  origin = 'http://sandbox.localhost';
  readonly store: Store;
  readonly files: Files;
  readonly spam: Spam;
  readonly now: () => number;
  readonly emit: (event: SandboxEvent) => void;
  readonly #dir: string | undefined;
  readonly #kept = new Map<string, unknown>();
  readonly #repositories = new Map<number, Promise<Repository>>();
  readonly #inMemory = new Map<number, MemoryFiles>();
  readonly images: Images;

  constructor({ disk, store, now, spam, emit }: WorldOptions) {
    this.store = store;
    const kept = new Map<string, Uint8Array>();
    this.files = disk?.files ?? memoryFiles(kept);
    this.spam = spam;
    this.now = now;
    this.emit = emit;
    this.#dir = disk?.dir;
    const forget = () => {
      this.#repositories.clear();
      this.#kept.clear();
    };
    const settle = async () => void (await Promise.allSettled(this.#repositories.values()));
    const state = { store, files: kept, repositories: this.#inMemory };
    this.images = disk?.images(forget) ?? memoryImages(state, settle, forget);
  }

  table<T extends Row = AnyRow>(name: string): Rows<T> {
    return this.store.table<T>(name);
  }

  time(): string {
    return iso(this.now());
  }

  cached<T>(name: string, make: () => T): T {
    if (!this.#kept.has(name)) this.#kept.set(name, make());
    return this.#kept.get(name) as T;
  }

  repository(projectId: number): Promise<Repository> {
    const known = this.#repositories.get(projectId);
    if (known) return known;
    const opened = this.#openRepository(projectId);
    this.#repositories.set(projectId, opened);
    // The next call retries after a failure.
    opened.catch(() => this.#repositories.delete(projectId));
    return opened;
  }

  async #openRepository(projectId: number): Promise<Repository> {
    const project = this.table<Project>('projects').get(projectId);
    if (!project) throw new Error(`no project ${projectId}`);
    const { openInMemory, openRepository } = await import('./git/open.ts');
    if (this.#dir) return openRepository(project, join(this.#dir, 'repositories', String(projectId)));
    const { repository, files } = await openInMemory(project, this.#inMemory.get(projectId));
    this.#inMemory.set(projectId, files);
    return repository;
  }
}
