/** The state that handlers work on, and the events that they emit. */
import type { spamModes } from '../../api/features.ts';
import type { HookFlag } from '../../api/hook-events.ts';
import type { Repository } from '../git/repository.ts';
import type { Files, Rows, Store } from '../store/store.ts';
import type { AnyRow, Row } from './rows.ts';

/** Result of the simulated spam check. */
export type Spam = (typeof spamModes)[number];

export interface EventCommit {
  readonly id: string;
  readonly message: string;
  readonly title: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

/** A push, as webhooks report it (section 6). */
export interface PushEvent {
  readonly kind: 'push' | 'tag_push';
  readonly project_id: number;
  readonly user_id: number;
  /** `refs/heads/main` */
  readonly ref: string;
  /** SHA; forty zeros if the ref was created. */
  readonly before: string;
  /** SHA; forty zeros if the ref was deleted. */
  readonly after: string;
  /** Oldest first. */
  readonly commits: readonly EventCommit[];
}

/** Any other change that a webhook can subscribe to. */
export interface GroupEvent {
  readonly kind: HookFlag;
  readonly group_id: number;
  /** The branch of a push, for branch filters. */
  readonly branch?: string;
  /** Return the body of the delivery. Called at once, so that later changes do not show. */
  readonly payload: (world: World) => object;
}

export type SandboxEvent = PushEvent | GroupEvent;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** ISO 8601 with milliseconds, as in rows. */
  time(): string;
}

/** The state and services that all requests share. */
export interface World extends Clock {
  readonly store: Store;
  /** Contents of uploads, logos and attachments. */
  readonly files: Files;
  readonly spam: Spam;
  /** The URL of the sandbox, `http://127.0.0.1:4000`; within a request, the URL that the client used. */
  readonly origin: string;
  /** Return a table, created at first use. */
  table<T extends Row = AnyRow>(name: string): Rows<T>;
  /** Return an object that is not part of the state, such as a cache or rate limiter. It is created at first use. */
  cached<T>(name: string, make: () => T): T;
  /** Open a project's git repository, created at first use. */
  repository(projectId: number): Promise<Repository>;
  /** Notify the event listeners without waiting for them. */
  emit(event: SandboxEvent): void;
}
