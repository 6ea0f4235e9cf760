/** The state that handlers work on, and the events that they emit. */
import type { spamModes } from '../../api/features.ts';
import type { HookFlag } from '../../webhooks/events.ts';
import type { PushFacts } from '../../webhooks/payloads.ts';
import type { GroupSubject, ProjectSubject } from '../../webhooks/shapes.ts';
import type { Repository } from '../git/repository.ts';
import type { Files, Rows, Store } from '../store/store.ts';
import type { AnyRow, Row } from './rows.ts';

/** Result of the simulated spam check. */
export type Spam = (typeof spamModes)[number];

/** A push, as webhooks report it (section 6). */
export interface PushEvent extends PushFacts {
  readonly project_id: number;
  readonly user_id: number;
}

/** Any other change that a webhook can subscribe to. */
interface ChangeEvent<Subject> {
  readonly kind: HookFlag;
  readonly user_id: number;
  /** Return the body of the delivery. Called at once, so that later changes do not show. */
  readonly payload: (subject: Subject) => object;
}

export interface GroupEvent extends ChangeEvent<GroupSubject> {
  readonly group_id: number;
  readonly project_id?: undefined;
}

export interface ProjectEvent extends ChangeEvent<ProjectSubject> {
  readonly project_id: number;
  /** The branch of a push, for branch filters. */
  readonly branch?: string | undefined;
}

export type SandboxEvent = PushEvent | GroupEvent | ProjectEvent;

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
