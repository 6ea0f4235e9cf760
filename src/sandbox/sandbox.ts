/** The core: a function from a Request to a Response over a store and a clock. It knows no port. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { usage } from '../errors.ts';
import { behaviors } from './areas/index.ts';
import { settleMigrations } from './areas/migrations/migrated.ts';
import { conditional, withoutBody } from './conditional.ts';
import { admit, findScope, identify, permit, roleIn } from './core/access.ts';
import type { Event, Spam, World } from './core/behavior.ts';
import { collection } from './core/collection.ts';
import { jsonResponse, RequestContext, serverError } from './core/context.ts';
import { HttpError } from './core/http-error.ts';
import { Params } from './core/params.ts';
import { readParams, readSlots } from './core/read-params.ts';
import { apiUrl, type Match, type Route, Router, root } from './core/router.ts';
import { routes } from './core/routes.ts';
import type { AnyRow, Project, Row, Token, User } from './core/rows.ts';
import { type Info, infoOf } from './info.ts';
import { seed } from './seed/index.ts';
import { mergeSeed, readSeed } from './seed/merge.ts';
import { type Disk, memoryFiles, openDisk } from './store/disk.ts';
import { Turns } from './store/queue.ts';
import { Store } from './store/store.ts';

export type Place = { readonly dir: string } | { readonly memory: true };

export interface SandboxOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** JSON that is merged over the seeded tables: see seed/merge.ts. Read only where the state is new. */
  readonly seedFile?: string;
  readonly spam?: Spam;
  /** Milliseconds to wait for another sandbox over the same folder. */
  readonly lockWait?: number;
  /** Called with a description of what could not be read of a saved state. */
  readonly onDamage?: (damage: string) => void;
  /** Hears of what is added to `faults`. */
  readonly onFault?: (error: unknown) => void;
}

export interface Sandbox {
  /**
   * Answer one request. Never throws; a bug answers 500 and is kept in `faults`.
   * @param body the body where the request can't carry it (that of a GET)
   */
  handle(request: Request, body?: Uint8Array): Promise<Response>;
  /** Who can be asked for what: tokens by role, and the ids of the seeded world. Holds live tokens. */
  info(): Info;
  /** A fresh access token for a user, by user name. */
  addToken(username: string, token?: string): string;
  /** Say where it is served: events tell it to those who listen. */
  servedAt(origin: string): void;
  /** Write the state, where it changed and there is a folder. */
  save(): Promise<void>;
  /** Save, wait for what events set off, and let go of the folder. */
  close(): Promise<void>;
  /** What was thrown where nothing should have been. */
  readonly faults: unknown[];
  /** Add to `faults`. */
  fail(error: unknown): void;
  readonly world: World;
}

/**
 * Open a sandbox: a world that answers requests.
 * @param place a folder that keeps the world, or memory
 * @throws Failure `internal` where the folder can't be used, `usage` where the seed file is wrong
 */
export async function openSandbox(place: Place, options: SandboxOptions = {}): Promise<Sandbox> {
  const calls = await routes();
  const disk = 'dir' in place ? await openDisk(place.dir, options.lockWait ?? 15_000) : undefined;
  try {
    return await Core.open(calls, disk, options);
  } catch (error) {
    await disk?.release();
    throw error;
  }
}

class Core implements Sandbox {
  readonly faults: unknown[] = [];
  readonly world: World;
  readonly #onFault: SandboxOptions['onFault'];
  readonly #router: Router;
  readonly #disk: Disk | undefined;
  readonly #kept = new Map<string, unknown>();
  readonly #running = new Set<Promise<void>>();
  /** Writes in one scope take turns; reads wait for nobody. */
  readonly #turns = new Turns();
  #origin = 'http://sandbox.localhost';
  #saved = 0;
  #saving: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  static async open(calls: readonly Route[], disk: Disk | undefined, options: SandboxOptions): Promise<Core> {
    const core = new Core(new Router(calls), disk, options);
    const { seedFile, onDamage } = options;
    if (disk?.damage !== undefined) onDamage?.(disk.damage);
    if (disk?.isNew ?? true) {
      seed(core.world);
      if (seedFile !== undefined) mergeSeed(core.world.store, await readSeed(seedFile), calls);
      await core.save();
    } else if (seedFile !== undefined) {
      throw usage('a seed file is for a new state, and there is one already', [
        'svc sandbox reset forgets it',
        '--memory, or --data with another folder, begins anew beside it',
      ]);
    }
    return core;
  }

  constructor(router: Router, disk: Disk | undefined, options: SandboxOptions) {
    this.#onFault = options.onFault;
    this.#router = router;
    this.#disk = disk;
    const store = disk?.store ?? new Store();
    const now = options.now ?? Date.now;
    const origin = () => this.#origin;
    this.world = {
      get origin() {
        return origin();
      },
      store,
      files: disk?.files ?? memoryFiles(),
      spam: options.spam ?? 'off',
      table: <T extends Row = AnyRow>(name: string) => store.table<T>(name),
      now,
      time: () => new Date(now()).toISOString(),
      keep: (name, make) => this.#keep(name, make),
      repository: (id) => this.#repository(id),
      emit: (event) => this.#emit(event),
    };
  }

  #keep<T>(name: string, make: () => T): T {
    if (!this.#kept.has(name)) this.#kept.set(name, make());
    return this.#kept.get(name) as T;
  }

  #repository(projectId: number): ReturnType<World['repository']> {
    const name = `repository:${projectId}`;
    return this.#keep(name, () => {
      const opened = this.#openRepository(projectId);
      // One that could not be opened is tried again.
      opened.catch(() => this.#kept.delete(name));
      return opened;
    });
  }

  async #openRepository(projectId: number): ReturnType<World['repository']> {
    const row = this.world.table<Project>('projects').get(projectId);
    if (!row) throw new Error(`no project ${projectId}`);
    const dir = this.#disk && join(this.#disk.dir, 'repositories', String(projectId));
    const { openRepository } = await import('./git/repository.ts');
    return openRepository({ project: row, dir, now: this.world.now });
  }

  #emit(event: Event): void {
    for (const { listen } of behaviors) {
      if (!listen) continue;
      const run = (async () => {
        try {
          await listen(event, this.world);
          await this.save();
        } catch (error) {
          this.fail(error);
        }
      })();
      this.#running.add(run);
      run.finally(() => this.#running.delete(run));
    }
  }

  fail(error: unknown): void {
    this.faults.push(error);
    this.#onFault?.(error);
  }

  async handle(request: Request, body?: Uint8Array): Promise<Response> {
    let response = await conditional(request, await this.#answer(request, body));
    try {
      // After a refusal too: it may have left a spam log, or a delivery that failed.
      await this.save();
    } catch (error) {
      this.fail(error);
      response = serverError();
    }
    response.headers.set('x-request-id', randomUUID());
    return request.method === 'HEAD' ? withoutBody(response) : response;
  }

  async #answer(request: Request, body: Uint8Array | undefined): Promise<Response> {
    try {
      const url = apiUrl(request.url);
      const match = this.#router.match(request.method, url.pathname);
      const bytes = body ?? new Uint8Array(await request.arrayBuffer());
      const answer = () => this.#run(match, request, url, bytes);
      if (request.method === 'GET' || request.method === 'HEAD') return await answer();
      const scope = match.route.endpoint.scope;
      return await this.#turns.take(scope ? `${scope.name} ${this.#placeId(match)}` : '', answer);
    } catch (error) {
      if (error instanceof HttpError) return jsonResponse(error.status, error.body, error.headers);
      this.fail(error);
      return serverError();
    }
  }

  /** The number of the scope's row, so that its number and its path take turns with one another. */
  #placeId({ route, slots }: Match): string {
    const id = (slots['id'] as string).toLowerCase();
    const table = route.endpoint.scope?.name === 'project' ? 'projects' : 'groups';
    const path = table === 'projects' ? 'path_with_namespace' : 'full_path';
    return String(this.world.table(table).find((row) => String(row[path]).toLowerCase() === id)?.id ?? id);
  }

  async #run({ route, slots }: Match, request: Request, url: URL, body: Uint8Array): Promise<Response> {
    const { endpoint, area, behavior = collection } = route;
    const { store } = this.world;
    settleMigrations(this.world);
    const identity = identify(store, request);
    admit(endpoint, identity);
    const { scope } = endpoint;
    const { id: scopeId, ...others } = slots;
    const relocate = (path: string) => {
      const rest = url.pathname.slice(root.length).split('/').slice(3);
      return `${url.origin}${root}/${scope?.name}s/${[encodeURIComponent(path), ...rest].join('/')}${url.search}`;
    };
    const found = scope && findScope(store, scope.name, scopeId as string, identity.user, relocate);
    const role = found ? found.role : roleIn(store, identity.user, undefined);
    permit(this.world, endpoint, identity.user, role);
    const context = new RequestContext(this.world, {
      ...identity,
      request,
      url,
      area,
      endpoint,
      body,
      role,
      place: found?.place,
      slots: readSlots(endpoint.slots, scope ? others : slots),
      params: route.rawBody ? new Params({}) : await readParams(endpoint, request, body),
    });
    return behavior(context);
  }

  info = (): Info => infoOf(this.world);

  addToken(username: string, token = `sandbox-${randomUUID()}`): string {
    const user = this.world.table<User>('users').find((row) => row.username === username);
    if (!user) throw usage(`the sandbox has no user ${JSON.stringify(username)}`);
    this.world.table<Token>('tokens').insert({
      token,
      name: 'added',
      user_id: user.id,
      scopes: ['api'],
      job_id: null,
      created_at: this.world.time(),
    });
    return token;
  }

  servedAt(origin: string): void {
    this.#origin = origin;
  }

  save(): Promise<void> {
    const disk = this.#disk;
    if (!disk || this.#saved === this.world.store.changes) return Promise.resolve();
    const write = async () => {
      const { changes } = this.world.store;
      // Another's save in the meantime has written this change too.
      if (this.#saved === changes) return;
      await disk.save();
      this.#saved = changes;
    };
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      // Listeners to events have five seconds to end.
      timer = setTimeout(resolve, 5_000);
    });
    await Promise.race([Promise.all(this.#running), late]);
    clearTimeout(timer);
    try {
      await this.save();
    } finally {
      await this.#disk?.release();
    }
  }
}
