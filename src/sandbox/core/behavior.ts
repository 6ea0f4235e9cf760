/**
 * What a behavior sees: the interface between the core and the areas.
 *
 *     export const badges = behaviors('badges', {
 *       render: (ctx) => ctx.one({ link_url: ctx.params.text('link_url'), … }),
 *       async list(ctx) {
 *         const rows = ctx.table<Badge>('badges').filter((badge) => badge.project_id === ctx.project.id);
 *         return ctx.list(rows);
 *       },
 *     });
 *
 * Before a behavior runs, the route, the token, the scope, the role and every parameter have been checked by what the
 * catalogue says. An ordinary collection needs no behavior at all (see collection.ts).
 */
import type { HookFlag } from '../../api/hook-events.ts';
import type { Endpoint, Returns } from '../../spec/endpoint.ts';
import type { Fields, Role } from '../../spec/field.ts';
import type { Repository } from '../git/repository.ts';
import type { Files, Rows, Store } from '../store/store.ts';
import type { HttpError } from './http-error.ts';
import type { Params } from './params.ts';
import type { AnyRow, Group, Job, Project, Row, Token, User } from './rows.ts';

export type Spam = 'off' | 'reject' | 'captcha';

/** A commit as an event tells it. */
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

/** Something happened that hooks may want to know of (section 6). */
export interface PushEvent {
  readonly kind: 'push' | 'tag_push';
  readonly project_id: number;
  readonly user_id: number;
  /** `refs/heads/main` */
  readonly ref: string;
  /** SHA; forty zeros where the ref was made or removed. */
  readonly before: string;
  readonly after: string;
  /** Oldest first. */
  readonly commits: readonly EventCommit[];
}
/** Any other change that a hook can subscribe to. */
export interface GroupEvent {
  readonly kind: HookFlag;
  readonly group_id: number;
  /** The body of the delivery; called at once, so that it shows this change and no later one. */
  readonly payload: (world: World) => object;
}
export type Event = PushEvent | GroupEvent;

/** What `openRepository(place): Promise<Repository>` of git/repository.ts is given. It makes the seeded history where there is none. */
export interface RepositoryPlace {
  readonly project: Project;
  /** Its own folder; undefined keeps it in memory. */
  readonly dir: string | undefined;
  readonly now: () => number;
}

export interface Clock {
  /** Milliseconds since the epoch, by the sandbox's clock. */
  now(): number;
  /** The same as ISO 8601 with milliseconds: what rows hold. */
  time(): string;
}

/** What there is beside a request. */
export interface World extends Clock {
  readonly store: Store;
  /** Bytes of uploads, logos, attachments: kept beside the state. */
  readonly files: Files;
  readonly spam: Spam;
  /** The sandbox's own address, `http://127.0.0.1:4000`; in a request, as the caller reached it. */
  readonly origin: string;
  /** A table of the store; made empty at its first use. */
  table<T extends Row = AnyRow>(name: string): Rows<T>;
  /** Something costly or lasting that is not state, made at its first use and kept until close: a limiter, a cache. */
  keep<T>(name: string, make: () => T): T;
  /** The project's git repository, opened (and first made) when it is asked for. */
  repository(projectId: number): Promise<Repository>;
  /** Tell those who listen. Returns at once; `close` waits for them, within bounds. */
  emit(event: Event): void;
}

export interface ListOptions<T> {
  /** How one row is shown; by default as it is. The fields of the answer are picked and filled in afterwards. */
  readonly view?: (row: T) => object | Promise<object>;
  /**
   * Keyset pagination, used where the caller asks for it by `pagination=keyset`: the attribute to sort by, and the way.
   * The rows need not be sorted for it. `id_after` names the cursor as the users list does.
   */
  readonly keyset?: {
    readonly by: string;
    readonly sort: 'asc' | 'desc';
    readonly style?: 'cursor' | 'id_after';
  };
}

export interface Context extends World {
  readonly request: Request;
  readonly area: string;
  readonly endpoint: Endpoint;
  /** Where the call was made; undefined is the instance. */
  readonly scope: 'project' | 'group' | undefined;
  /** The parameters of query and body, checked and typed; names that the call does not take are gone. */
  readonly params: Params;
  /** The slots of the path but the scope's, decoded and typed. */
  readonly slots: Params;
  /** The body as it came. */
  readonly body: Uint8Array;
  /** Who asks; undefined without a token. */
  readonly user: User | undefined;
  readonly token: Token | undefined;
  /** The job of a job token. */
  readonly job: Job | undefined;
  /** The caller's role in the scope, inherited ones counted; `user` for one who is no member. */
  readonly role: Role | undefined;
  /** The scope's row. Reading the one that the call has not is a bug and throws. */
  readonly project: Project;
  readonly group: Group;
  /** The signed-in user; a HttpError 401 where there is none. */
  caller(): User;
  /** Whether the caller has at least this role here. */
  can(role: Role): boolean;
  /** Refuse with 403 (401 without a token) unless `can(role)`. */
  need(role: Role): void;

  /**
   * Refuse with 412 where `If-Unmodified-Since` names a time before this one (section 7).
   * @param changed ISO 8601: when the thing that is to be deleted last changed
   */
  needUnmodified(changed: string | undefined): void;
  /** Remove the row that a DELETE is about, unless it changed after `If-Unmodified-Since`: a HttpError 412. */
  remove<T extends Row>(table: string, row: T): void;

  /** 200, or 201 for a POST, with exactly the fields of the answer: absent ones filled in, others left away. */
  one(row: object, status?: number): Response;
  /** A page of rows that are filtered and sorted already, with the headers of section 8. */
  list<T extends object>(rows: readonly T[], options?: ListOptions<T>): Promise<Response>;
  /** JSON as it is. */
  json(status: number, body: unknown, headers?: Record<string, string>): Response;
  /** 204, or `status`, without a body. */
  nothing(status?: number, headers?: Record<string, string>): Response;
  /** Bytes or text; with a filename as an attachment. */
  raw(content: Uint8Array | string, type: string, filename?: string): Response;
  /** What happens without a behavior: the ordinary collection. */
  usual(): Promise<Response>;

  /** `throw ctx.notFound('Badge')`: 404 {"message":"404 Badge Not Found"} */
  notFound(what?: string): HttpError;
  /** 403 {"message":"403 Forbidden"} */
  forbidden(why?: string): HttpError;
  /** 400: text, or messages by attribute: `{ key: ['has already been taken'] }` */
  bad(message: string | Readonly<Record<string, unknown>>): HttpError;
  /** Any other status: {"message": …} */
  refuse(status: number, message: unknown): HttpError;
  /** Refuses as section 7 says when the sandbox plays a spam check; call it before a write that is checked. */
  checkSpam(): void;
}

export type Behavior = (ctx: Context) => Response | Promise<Response>;

/** A call that the catalogue has not, but clients make. */
export interface Extra {
  /** Below /api/v4; `/projects/:id` and `/groups/:id` at its start name the scope. A trailing slash is let through. */
  readonly call: `${string} /${string}`;
  readonly answer: Behavior;
  /** Parameters, checked as those of the catalogue are. */
  readonly takes?: Fields;
  readonly returns?: Returns;
  /** Works without a token. */
  readonly anonymous?: true;
  /** The body is not looked at: `ctx.body` has it. */
  readonly rawBody?: true;
}

export interface AreaBehaviors {
  readonly area: string;
  /** By the command's name in the catalogue: `create`, `for-pipeline`. */
  readonly commands: Readonly<Record<string, Behavior>>;
  readonly extras: readonly Extra[];
  readonly listen: ((event: Event, world: World) => void | Promise<void>) | undefined;
}

/**
 * Say how the calls of an area behave.
 * @param area its name in the catalogue
 * @param commands by command name; `ctx.scope` tells a project's call from a group's
 * @param more calls beyond the catalogue, and what is to happen on an event
 */
export function behaviors(
  area: string,
  commands: Readonly<Record<string, Behavior>>,
  more: Partial<Pick<AreaBehaviors, 'extras' | 'listen'>> = {},
): AreaBehaviors {
  return { area, commands, extras: more.extras ?? [], listen: more.listen };
}
