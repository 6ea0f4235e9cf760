/**
 * The interface between the core and the areas.
 *
 *     export const badges = behaviors('badges', {
 *       render: (ctx) => ctx.one({ link_url: ctx.params.text('link_url'), … }),
 *       async list(ctx) {
 *         const rows = ctx.table<Badge>('badges').filter((badge) => badge.project_id === ctx.project.id);
 *         return ctx.list(rows);
 *       },
 *     });
 *
 * Route, token, scope, role and parameters are checked against the catalogue before a behavior runs. Ordinary collections need no
 * behavior (see collection.ts).
 */
import type { spamModes } from '../../api/features.ts';
import type { HookFlag } from '../../api/hook-events.ts';
import type { Operation, Returns } from '../../spec/endpoint.ts';
import type { Fields, Role } from '../../spec/field.ts';
import type { Repository } from '../git/repository.ts';
import type { Files, Rows, Store } from '../store/store.ts';
import type { HttpError } from './http-error.ts';
import type { Params } from './request/params.ts';
import type { AnyRow, Group, Job, Project, Row, Token, User } from './rows.ts';

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
  keep<T>(name: string, make: () => T): T;
  /** Open a project's git repository, created at first use. */
  repository(projectId: number): Promise<Repository>;
  /** Notify the event listeners without waiting for them. */
  emit(event: SandboxEvent): void;
}

export interface ListOptions<T> {
  /** Convert a row before its fields are selected. */
  readonly view?: (row: T) => object | Promise<object>;
  /** Order for `pagination=keyset`. The rows need not be sorted. `id_after` is the cursor of the user list. */
  readonly keyset?: {
    readonly by: string;
    readonly sort: 'asc' | 'desc';
    readonly style?: 'cursor' | 'id_after';
  };
}

/** A request with checked parameters, its caller, and functions that build responses. */
export interface RequestContext extends World {
  readonly request: Request;
  readonly area: string;
  readonly endpoint: Operation;
  /** Undefined for endpoints of the instance. */
  readonly scope: 'project' | 'group' | undefined;
  /** Parameters of query and body, checked and typed. Unknown names are dropped. */
  readonly params: Params;
  /** Path parameters other than the scope, decoded and typed. */
  readonly slots: Params;
  /** The body, unparsed. */
  readonly body: Uint8Array;
  /** The caller; undefined without a token. */
  readonly user: User | undefined;
  readonly token: Token | undefined;
  /** The job that a job token belongs to. */
  readonly job: Job | undefined;
  /** The caller's role in the scope, including inherited roles; `user` for non-members. */
  readonly role: Role | undefined;
  /** The project of the path. Throws for other scopes. */
  readonly project: Project;
  /** The group of the path. Throws for other scopes. */
  readonly group: Group;
  /** Return the caller. @throws HttpError 401 without a token */
  requireUser(): User;
  /** Whether the caller's role in the scope is at least this one. */
  hasRole(role: Role): boolean;
  /** @throws HttpError 403, or 401 without a token, unless `hasRole(role)` */
  requireRole(role: Role): void;

  /** @throws HttpError 412 if the resource changed (ISO 8601) after `If-Unmodified-Since` (section 7) */
  checkUnmodified(changed: string | undefined): void;
  /** Delete a row. @throws HttpError 412 if it changed after `If-Unmodified-Since` */
  remove<T extends Row>(table: string, row: T): void;

  /** Return 200, or 201 for a POST, with exactly the fields of the catalogue. */
  one(row: object, status?: number): Response;
  /** Return a page of filtered and sorted rows, with the headers of section 8. */
  list<T extends object>(rows: readonly T[], options?: ListOptions<T>): Promise<Response>;
  /** Return JSON without selecting fields. */
  json(status: number, body: unknown, headers?: Record<string, string>): Response;
  /** Return 204, or another status, without a body. */
  noContent(status?: number, headers?: Record<string, string>): Response;
  /** Return bytes or text. A filename makes it an attachment. */
  raw(content: Uint8Array | string, type: string, filename?: string): Response;

  /** `throw ctx.notFound('Badge')`: 404 {"message":"404 Badge Not Found"} */
  notFound(title?: string): HttpError;
  /** 403 {"message":"403 Forbidden"} */
  forbidden(reason?: string): HttpError;
  /** 400 with a text, or with messages by attribute: `{ key: ['has already been taken'] }` */
  badRequest(message: string | Readonly<Record<string, unknown>>): HttpError;
  /** {"message": …} with any other status. */
  httpError(status: number, message: unknown): HttpError;
  /** Apply the simulated spam check. @throws HttpError 400 or 409 */
  checkSpam(): void;
}

export type Behavior = (ctx: RequestContext) => Response | Promise<Response>;

/** An endpoint that clients use but the catalogue does not list. */
export interface ExtraRoute {
  /** Method and path below /api/v4. `/projects/:id` and `/groups/:id` are scopes. A trailing slash is accepted. */
  readonly route: `${string} /${string}`;
  readonly behavior: Behavior;
  /** Parameters, checked like those of the catalogue. */
  readonly takes?: Fields;
  readonly returns?: Returns;
  /** No token is required. */
  readonly anonymous?: true;
  /** The body is not parsed; read `ctx.body`. */
  readonly rawBody?: true;
}

export type Listener = (event: SandboxEvent, world: World) => void | Promise<void>;

export interface AreaBehaviors {
  readonly area: string;
  /** By command name, such as `create` or `for-pipeline`. */
  readonly commands: Readonly<Record<string, Behavior>>;
  readonly extras: readonly ExtraRoute[];
  readonly onEvent: Listener | undefined;
}

/**
 * Define the behavior of an area.
 * @param area its name in the catalogue
 * @param commands by command name; `ctx.scope` distinguishes project and group endpoints
 */
export function behaviors(
  area: string,
  commands: Readonly<Record<string, Behavior>>,
  more: Partial<Pick<AreaBehaviors, 'extras' | 'onEvent'>> = {},
): AreaBehaviors {
  return { area, commands, extras: more.extras ?? [], onEvent: more.onEvent };
}
