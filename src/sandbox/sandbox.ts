/** The sandbox as a function from Request to Response over a store and a clock. Ports and sockets are in serve.ts. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { usage } from '../errors.ts';
import { deliverEvent } from './areas/hooks/events.ts';
import { nextStep } from './areas/jobs/progress.ts';
import { conditional } from './conditional.ts';
import { Control, isControlPath } from './control/control.ts';
import { serverError } from './core/context.ts';
import { type Route, Router } from './core/router.ts';
import type { User } from './core/rows.ts';
import { createWorld, type SandboxEvent, type Spam, type World } from './core/world.ts';
import { addedName, addToken, type Info, infoOf } from './info.ts';
import { applyDueChanges, createResponder, loadRoutes, type Respond } from './respond.ts';
import { type Content, fill } from './seed/fill.ts';
import { folderStorage } from './store/folder.ts';
import { Gate } from './store/gate.ts';
import { deleteHint } from './store/lines.ts';
import { initial, memoryStorage, State } from './store/state.ts';
import { Store } from './store/store.ts';

export type SandboxStorage = { readonly dir: string } | { readonly memory: true };

export interface SandboxOptions extends Content {
  readonly now?: () => number;
  readonly spam?: Spam;
  /** Milliseconds to wait for another sandbox that uses the same folder. */
  readonly lockTimeout?: number;
  /** Called if a part of the saved state cannot be read. */
  readonly onDamage?: (damage: string) => void;
  readonly onError?: (error: unknown) => void;
}

/** Milliseconds. */
const listenerTimeout = 5_000;
const maxDelay = 2 ** 31 - 1;

/** @throws Failure `internal` if the folder cannot be used, `usage` if the seed file is invalid */
export async function openSandbox(storage: SandboxStorage, options: SandboxOptions = {}): Promise<Sandbox> {
  const { lockTimeout = 15_000, now = Date.now } = options;
  const routes = await loadRoutes();
  const opened = 'dir' in storage ? await folderStorage(storage.dir, lockTimeout) : memoryStorage();
  const state = await State.open(opened, now);
  try {
    const sandbox = new Sandbox(routes, state, options);
    if (state.damage !== undefined) options.onDamage?.(state.damage);
    const { rows, scale, tier, withoutFeatures } = options;
    const hasContent = [rows, scale, tier, withoutFeatures].some((one) => one !== undefined);
    if (state.isNew) {
      await fill(sandbox.world, routes, options);
      // A later process that resets the state does not have this content.
      if (hasContent && 'dir' in storage) await state.saveSnapshot(initial);
      await sandbox.save();
      return sandbox;
    }
    if (!hasContent) return sandbox;
    throw usage('cannot apply a seed file, copy, scale, tier or feature flags to an existing state', [
      'start with --memory, or with --data and another folder',
      deleteHint(opened.dir),
    ]);
  } catch (error) {
    await state.release();
    throw error;
  }
}

export class Sandbox {
  readonly errors: unknown[] = [];
  readonly world: World;
  readonly control: Control;
  readonly #onError: SandboxOptions['onError'];
  readonly #respond: Respond;
  readonly #state: State;
  readonly #gate = new Gate();
  readonly #listening = new Set<Promise<void>>();
  /** Applies the next change that is due, so that hooks are called without another request. */
  #alarm: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(routes: readonly Route[], state: State, options: SandboxOptions) {
    const { now = Date.now, spam = 'off', onError } = options;
    this.#onError = onError;
    this.#state = state;
    const emit = (event: SandboxEvent) => this.#emit(event);
    const { store, files } = state;
    this.world = createWorld({ store, files, spam, emit });
    const router = new Router(routes);
    this.#respond = createResponder(router, this.world);
    this.control = new Control(this.world, router, state, {
      shared: (run) => this.#gate.shared(run),
      alone: (change) => this.#alone(change),
      restart: async () => {
        const snapshots = await state.snapshots();
        if (snapshots.some(({ name }) => name === initial)) return state.loadSnapshot(initial);
        const fresh = createWorld({ store: new Store(now), files, spam, emit });
        await fill(fresh, routes, options);
        return state.replace(fresh.store);
      },
    });
  }

  #emit(event: SandboxEvent): void {
    const run = this.#background(() => deliverEvent(event, this.world));
    this.#listening.add(run);
    run.finally(() => this.#listening.delete(run));
  }

  async #background(change: () => unknown): Promise<void> {
    try {
      await change();
      await this.save();
    } catch (error) {
      this.reportError(error);
    }
  }

  async #applyDueChanges(): Promise<void> {
    await this.#background(() => applyDueChanges(this.world));
    this.#setAlarm();
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const next = nextStep(this.world);
    if (next === undefined || this.#closed) return;
    const delay = Math.min(next - this.world.now(), maxDelay);
    // The process need not stay alive for it.
    this.#alarm = globalThis
      .setTimeout(() => void this.#gate.shared(() => this.#applyDueChanges()), delay)
      .unref();
  }

  reportError(error: unknown): void {
    this.errors.push(error);
    this.#onError?.(error);
  }

  /** Respond to one request. Never throws. @param body the request body, if `request` cannot carry one (GET) */
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

  async #alone<T>(change: () => Promise<T>): Promise<T> {
    // They would add rows to the new state.
    await this.listenersEnd();
    return this.#gate.exclusive(async () => {
      await this.save();
      const result = await change();
      await this.save();
      return result;
    });
  }

  async #saved(request: Request, respond: () => Response | Promise<Response>): Promise<Response> {
    let response = await conditional(request, await respond());
    try {
      // Rejected requests also change the state: spam logs, failed deliveries.
      await this.save();
    } catch (error) {
      this.reportError(error);
      response = serverError();
    }
    this.#setAlarm();
    response.headers.set('x-request-id', randomUUID());
    return request.method === 'HEAD' ? new Response(null, response) : response;
  }

  async #safely(respond: () => Promise<Response>): Promise<Response> {
    try {
      return await respond();
    } catch (error) {
      this.reportError(error);
      return serverError();
    }
  }

  info = (): Info => infoOf(this.world);

  addToken(username: string, token = `sandbox-${randomUUID()}`): string {
    const user = this.world.table<User>('users').find((row) => row.username === username);
    if (!user) throw usage(`the sandbox has no user ${JSON.stringify(username)}`);
    addToken(this.world, user.id, addedName, token);
    return token;
  }

  async save(): Promise<void> {
    await this.#state.save();
    this.#setAlarm();
  }

  /** Save, wait for event listeners, and unlock the folder. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Wait until webhooks have the events of earlier requests. */
  async listenersEnd(): Promise<void> {
    const waiting = new AbortController();
    // Deliveries do not keep the process alive, so the timer must.
    const timeout = setTimeout(listenerTimeout, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#listening), timeout]);
    waiting.abort();
  }

  async #close(): Promise<void> {
    clearTimeout(this.#alarm);
    this.control.end();
    await this.listenersEnd();
    await this.#state.close();
  }
}
