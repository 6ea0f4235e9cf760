/** The sandbox as a function from Request to Response over a store and a clock. Ports and sockets are in serve.ts. */
import { randomUUID } from 'node:crypto';
import { usage } from '../errors.ts';
import { deliverEvent } from './areas/hooks/events.ts';
import { conditional, withoutBody } from './conditional.ts';
import { Clock } from './control/clock.ts';
import { Control, isControlPath } from './control/control.ts';
import { RequestLog } from './control/requests.ts';
import { Snapshots } from './control/snapshots.ts';
import type { SandboxEvent, Spam, World } from './core/behavior.ts';
import { jsonResponse, serverError } from './core/context.ts';
import { HttpError } from './core/http-error.ts';
import { type Route, Router } from './core/router.ts';
import type { Token, User } from './core/rows.ts';
import { type Info, infoOf } from './info.ts';
import { createResponder, type Respond } from './respond.ts';
import { loadRoutes } from './routes.ts';
import { type Content, fill } from './seed/fill.ts';
import { Alarm, settle } from './settle.ts';
import type { Disk } from './store/disk.ts';
import { Gate } from './store/gate.ts';
import { Store } from './store/store.ts';
import { SandboxWorld } from './world.ts';

/** A folder that holds the state, or memory. */
export type SandboxStorage = { readonly dir: string } | { readonly memory: true };

export interface SandboxOptions extends Content {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly spam?: Spam;
  /** Milliseconds to wait for another sandbox that uses the same folder. */
  readonly lockTimeout?: number;
  /** Called if a part of the saved state cannot be read. */
  readonly onDamage?: (damage: string) => void;
  /** Called for each error added to `errors`. */
  readonly onError?: (error: unknown) => void;
}

export interface Sandbox {
  /**
   * Respond to one request. Never throws: an unexpected error is added to `errors` and returns 500.
   * @param body the request body, if `request` cannot carry one (GET)
   */
  handle(request: Request, body?: Uint8Array): Promise<Response>;
  /** Return the tokens by role, and the ids of the seeded resources. */
  info(): Info;
  /** Create an access token for a user. */
  addToken(username: string, token?: string): string;
  /** Set the URL that webhook payloads and links contain. */
  setOrigin(origin: string): void;
  /** Write unsaved changes to the folder, if there is one. */
  save(): Promise<void>;
  /** Save, wait for event listeners, and unlock the folder. */
  close(): Promise<void>;
  /** Unexpected errors. */
  readonly errors: unknown[];
  /** Add to `errors`. */
  reportError(error: unknown): void;
  readonly world: World;
  /** Faults, clock, snapshots and request log. */
  readonly control: Control;
}

/** Milliseconds to wait for event listeners. */
const listenerTimeout = 5_000;

/** @throws Failure `internal` if the folder cannot be used, `usage` if the seed file is invalid */
export async function openSandbox(storage: SandboxStorage, options: SandboxOptions = {}): Promise<Sandbox> {
  const routes = await loadRoutes();
  const disk = 'dir' in storage ? await openFolder(storage.dir, options.lockTimeout ?? 15_000) : undefined;
  try {
    const sandbox = new SandboxOnWorld(routes, disk, options);
    if (disk?.damage !== undefined) options.onDamage?.(disk.damage);
    if (disk?.isNew ?? true) {
      await fill(sandbox.world, routes, options);
      await sandbox.save();
    } else {
      const given = Object.entries({
        'a seed file': options.seed ?? options.rows,
        'a scale': options.scale,
        'a tier': options.tier,
        'feature flags': options.withoutFeatures,
      }).find(([, value]) => value !== undefined)?.[0];
      if (given !== undefined)
        throw usage(`cannot apply ${given} to an existing state`, [
          'run "svc sandbox reset" to delete the state',
          'or start with --memory, or with --data and another folder',
        ]);
    }
    return sandbox;
  } catch (error) {
    await disk?.release();
    throw error;
  }
}

/** A sandbox in memory does not need the modules that read and write a folder. */
async function openFolder(dir: string, wait: number): Promise<Disk> {
  const { openDisk } = await import('./store/disk.ts');
  return openDisk(dir, wait);
}

class SandboxOnWorld implements Sandbox {
  readonly errors: unknown[] = [];
  readonly world: SandboxWorld;
  readonly control: Control;
  readonly #onError: SandboxOptions['onError'];
  readonly #respond: Respond;
  readonly #disk: Disk | undefined;
  readonly #gate = new Gate();
  readonly #alarm: Alarm;
  readonly #listening = new Set<Promise<void>>();
  #savedChanges = 0;
  #saving: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(routes: readonly Route[], disk: Disk | undefined, options: SandboxOptions) {
    this.#onError = options.onError;
    this.#disk = disk;
    const store = disk?.store ?? new Store();
    const system = options.now ?? Date.now;
    const clock = new Clock(system, store, () => settle(this.world));
    const spam = options.spam ?? 'off';
    const emit = (event: SandboxEvent) => this.#emit(event);
    this.world = new SandboxWorld({ disk, store, now: () => clock.now(), spam, emit });
    this.#alarm = new Alarm(this.world, () => void this.#gate.shared(() => this.#settle()));
    const router = new Router(routes);
    this.#respond = createResponder(router, this.world);
    const snapshots = new Snapshots(
      this.world,
      (change) => this.#alone(change),
      async () => {
        const fresh = new SandboxWorld({ disk: undefined, store: new Store(), now: system, spam, emit });
        await fill(fresh, routes, options);
        return fresh.store;
      },
    );
    this.control = new Control(clock, new RequestLog(this.world, router), snapshots, this.world);
  }

  #emit(event: SandboxEvent): void {
    const run = this.#deliver(event);
    this.#listening.add(run);
    run.finally(() => this.#listening.delete(run));
  }

  /** Apply the changes that are due. */
  async #settle(): Promise<void> {
    try {
      settle(this.world);
      await this.save();
    } catch (error) {
      this.reportError(error);
    }
    this.#alarm.set();
  }

  async #deliver(event: SandboxEvent): Promise<void> {
    try {
      await deliverEvent(event, this.world);
      await this.save();
    } catch (error) {
      this.reportError(error);
    }
  }

  reportError(error: unknown): void {
    this.errors.push(error);
    this.#onError?.(error);
  }

  async handle(request: Request, body?: Uint8Array): Promise<Response> {
    const bytes = body ?? new Uint8Array(await request.arrayBuffer());
    const { pathname } = new URL(request.url);
    if (isControlPath(pathname))
      return this.#saved(request, () => this.#safely(() => this.control.handle(request, bytes)));
    return this.control.observe(request, bytes, (fault) =>
      this.#gate.shared(() =>
        this.#saved(request, () => fault ?? this.#safely(() => this.#respond(request, bytes))),
      ),
    );
  }

  /** Run a change of the whole state while no request runs. */
  async #alone<T>(change: () => Promise<T>): Promise<T> {
    // They would add rows to the new state.
    await this.#listenersEnd();
    return this.#gate.exclusive(async () => {
      await this.save();
      const result = await change();
      await this.save();
      return result;
    });
  }

  /** Return a response after its changes are saved. */
  async #saved(request: Request, respond: () => Response | Promise<Response>): Promise<Response> {
    let response = await conditional(request, await respond());
    try {
      // Rejected requests also change the state: spam logs, failed deliveries.
      await this.save();
    } catch (error) {
      this.reportError(error);
      response = serverError();
    }
    this.#alarm.set();
    response.headers.set('x-request-id', randomUUID());
    return request.method === 'HEAD' ? withoutBody(response) : response;
  }

  /** Convert errors to responses. */
  async #safely(respond: () => Promise<Response>): Promise<Response> {
    try {
      return await respond();
    } catch (error) {
      if (error instanceof HttpError) return jsonResponse(error.status, error.body, error.headers);
      this.reportError(error);
      return serverError();
    }
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

  setOrigin(origin: string): void {
    this.world.origin = origin;
  }

  save(): Promise<void> {
    const disk = this.#disk;
    if (!disk || this.#savedChanges === this.world.store.changes) return Promise.resolve();
    const write = async () => {
      const { changes } = this.world.store;
      // A concurrent save may have written this change too.
      if (this.#savedChanges === changes) return;
      await disk.save();
      this.#savedChanges = changes;
    };
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #listenersEnd(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, listenerTimeout);
    });
    await Promise.race([Promise.all(this.#listening), timeout]);
    clearTimeout(timer);
  }

  async #close(): Promise<void> {
    this.#alarm.clear();
    await this.#listenersEnd();
    try {
      await this.save();
    } finally {
      await this.#disk?.release();
    }
  }
}
