import type { SandboxEvent, Spam, World } from './core/behavior.ts';
import type { AnyRow, Project, Row } from './core/rows.ts';
import type { GitFile } from './git/files.ts';
import type { Repository } from './git/repository.ts';
import type { Files, Rows, Store } from './store/store.ts';

type Parts = Pick<World, 'store' | 'files' | 'spam' | 'emit'>;

/** The state of a sandbox, and what requests share besides. */
export class SandboxWorld implements World {
  origin = 'http://sandbox.localhost';
  readonly store: Store;
  readonly files: Files;
  readonly spam: Spam;
  readonly emit: (event: SandboxEvent) => void;
  readonly #kept = new Map<string, unknown>();

  constructor({ store, files, spam, emit }: Parts) {
    this.store = store;
    this.files = files;
    this.spam = spam;
    this.emit = emit;
  }

  table<T extends Row = AnyRow>(name: string): Rows<T> {
    return this.store.table<T>(name);
  }

  now(): number {
    return this.store.now();
  }

  time(): string {
    return this.store.time();
  }

  cached<T>(name: string, make: () => T): T {
    if (!this.#kept.has(name)) this.#kept.set(name, make());
    return this.#kept.get(name) as T;
  }

  /** Drop caches and open repositories, because the state was replaced. */
  forget(): void {
    this.#kept.clear();
  }

  repository(projectId: number): Promise<Repository> {
    const opened = this.cached('repositories', () => new Map<number, Promise<Repository>>());
    const known = opened.get(projectId) ?? this.#open(projectId);
    opened.set(projectId, known);
    // The next call retries after a failure.
    known.catch(() => opened.delete(projectId));
    return known;
  }

  async #open(projectId: number): Promise<Repository> {
    const project = this.table<Project>('projects').get(projectId);
    if (!project) throw new Error(`no project ${projectId}`);
    const { openRepository } = await import('./git/history.ts');
    return openRepository(project, this.table<GitFile>('git_files'), this.files);
  }
}
