/** The state that handlers work on, and the events that they emit. */
import type { spamModes } from '../../api/features.ts';
import type { HookFlag } from '../../webhooks/events.ts';
import type { PushFacts } from '../../webhooks/payloads.ts';
import type { GroupSubject, ProjectSubject } from '../../webhooks/shapes.ts';
import type { GitFile } from '../git/files.ts';
import type { Repository } from '../git/repository.ts';
import type { Files, Rows, Store } from '../store/store.ts';
import type { AnyRow, Project, Row } from './rows.ts';

export type Spam = (typeof spamModes)[number];

interface Push extends PushFacts {
  readonly project_id: number;
  readonly user_id: number;
}

/** A change other than a push. Its payload is built at once, so that later changes do not show. */
interface Change<Subject> {
  readonly kind: HookFlag;
  readonly user_id: number;
  readonly payload: (subject: Subject) => object;
}

export interface ProjectEvent extends Change<ProjectSubject> {
  readonly project_id: number;
  /** The branch of a push, for branch filters. */
  readonly branch?: string | undefined;
}

/** A change that webhooks report (section 6). */
export type SandboxEvent =
  | Push
  | ProjectEvent
  | (Change<GroupSubject> & { readonly group_id: number; readonly project_id?: undefined });

export function createWorld({ store, files, spam, emit }: Parts) {
  /** Values that are not part of the state, such as rate limiters. */
  const cache = new Map<string, unknown>();
  const repositories = new Map<number, Promise<Repository>>();
  const table = <T extends Row = AnyRow>(name: string): Rows<T> => store.table<T>(name);
  const open = async (projectId: number): Promise<Repository> => {
    const project = table<Project>('projects').get(projectId);
    if (!project) throw new Error(`no project ${projectId}`);
    const { openRepository } = await import('../git/history.ts');
    return openRepository(project, table<GitFile>('git_files'), files);
  };
  return {
    store,
    files,
    spam,
    emit,
    /** The URL of the sandbox; within a request, the URL that the client used. */
    origin: 'http://sandbox.localhost',
    now: () => store.now(),
    time: () => store.time(),
    table,
    /** Return an object that is not part of the state. It is created at first use. */
    cached<T>(name: string, make: () => T): T {
      if (!cache.has(name)) cache.set(name, make());
      return cache.get(name) as T;
    },
    repository(projectId: number): Promise<Repository> {
      const known = repositories.get(projectId) ?? open(projectId);
      repositories.set(projectId, known);
      // The next call retries after a failure.
      known.catch(() => repositories.delete(projectId));
      return known;
    },
    forget(): void {
      cache.clear();
      repositories.clear();
    },
  };
}

export type World = ReturnType<typeof createWorld>;
export type Clock = Pick<World, 'now' | 'time'>;

interface Parts {
  readonly store: Store;
  readonly files: Files;
  readonly spam: Spam;
  /** Notify the event listeners without waiting for them. */
  readonly emit: (event: SandboxEvent) => void;
}
