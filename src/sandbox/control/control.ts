/**
 * The controls of the owner of a sandbox, which the clients of the API do not see. Available to tests in the same process, and to any
 * program as JSON over `/-/sandbox/…` on the port of the sandbox.
 */
import { STATUS_CODES } from 'node:http';
import { setTimeout as elapse } from 'node:timers/promises';
import { Failure, usage } from '../../errors.ts';
import { allowHeader, isReadMethod } from '../../support/http-method.ts';
import { jsonIn } from '../../support/json.ts';
import { jsonResponse } from '../core/context.ts';
import type { Router } from '../core/router.ts';
import type { Token, User } from '../core/rows.ts';
import type { World } from '../core/world.ts';
import { addedName, addToken, infoOf } from '../info.ts';
import { applyDueChanges } from '../respond.ts';
import type { State } from '../store/state.ts';
import { Clock } from './clock.ts';
import { Faults } from './faults.ts';
import { RequestLog } from './requests.ts';
import type { Emitted, Fault, Snapshot } from './types.ts';

const root = '/-/sandbox';

export const isControlPath = (pathname: string): boolean =>
  pathname === root || pathname.startsWith(`${root}/`);

/** Responses whose connection is to be closed early. */
const cuts = new WeakMap<Response, 'headers' | 'body'>();

/** The place at which the connection of a response is closed, if at all. */
export const cutOf = (response: Response): 'headers' | 'body' | undefined => cuts.get(response);

const statuses: Readonly<Partial<Record<Failure['kind'], number>>> = { usage: 400, not_found: 404 };

type Handler = (value: unknown, facts: { readonly query: URLSearchParams; readonly name: string }) => unknown;

/** How changes and requests keep apart. */
interface Gates {
  /** Run together with requests. */
  shared<T>(change: () => Promise<T>): Promise<T>;
  /** Run while no request runs. */
  alone<T>(change: () => Promise<T>): Promise<T>;
  /** Replace the state by a new one. */
  restart(): Promise<void>;
}

export class Control {
  readonly clock: Clock;
  readonly requests: RequestLog;
  readonly faults: Faults;
  readonly #world: World;
  readonly #state: State;
  readonly #gates: Gates;
  #ending = new AbortController();

  constructor(world: World, router: Router, state: State, gates: Gates) {
    this.#world = world;
    this.#state = state;
    this.#gates = gates;
    this.clock = new Clock(world.store, () => applyDueChanges(world));
    this.requests = new RequestLog(world, router);
    this.faults = new Faults(world.store);
  }

  /** By method and path. */
  readonly #handlers: ReadonlyMap<string, Handler> = new Map(
    Object.entries<Handler>({
      'GET ready': () => ({ ready: true }),
      'GET info': () => infoOf(this.#world),
      'POST emit': (value) => this.emit(value),
      'POST reset': () => this.reset(),
      'GET snapshots': () => this.snapshots.list(),
      'GET snapshots/:name': (_, { name }) => this.#find(name),
      'PUT snapshots/:name': (_, { name }) => this.snapshots.save(name),
      'DELETE snapshots/:name': (_, { name }) => this.snapshots.delete(name),
      'POST snapshots/:name/load': (_, { name }) => this.snapshots.load(name),
      'GET faults': () => this.faults.list(),
      'POST faults': (value) => {
        const added = this.faults.add(value);
        return Array.isArray(value) ? added : added[0];
      },
      'DELETE faults': () => this.faults.clear(),
      'GET clock': () => this.clock.show(),
      'PUT clock': (value) => this.clock.change(value),
      'GET requests': (_, { query }) => this.requests.list(Object.fromEntries(query)),
      'DELETE requests': () => this.requests.clear(),
    }),
  );

  /**
   * Log a request and apply the faults.
   * @param respond saves the state and returns the response of a fault if there is one; otherwise runs the request
   */
  async observe(
    request: Request,
    body: Uint8Array,
    respond: (fault: Response | undefined) => Promise<Response>,
  ): Promise<Response> {
    const end = await this.requests.start(request, body);
    const { pathname } = new URL(request.url);
    const fault = await this.#gates.shared(async () => this.faults.take(request.method, pathname));
    const { signal } = this.#ending;
    const delay = fault?.latency === undefined ? undefined : elapse(fault.latency, true, { signal });
    // Its connection is closed.
    if ((await delay?.catch(() => false)) === false) return new Response(null, { status: 503 });
    const response = await respond(
      fault?.status === undefined ? undefined : faultResponse(fault, fault.status),
    );
    if (fault?.cut) cuts.set(response, fault.cut);
    end(response.status, fault?.match);
    return response;
  }

  /** End the requests that a fault delays. */
  end(): void {
    this.#ending.abort();
  }

  /** Send a sample of a webhook event. @throws Failure `usage` or `not_found` */
  async emit(value: unknown): Promise<Emitted> {
    return (await import('./emit.ts')).emitSample(this.#world, value);
  }

  /** Start again with a new state. Snapshots are kept. */
  async reset(): Promise<void> {
    await this.#replace(() => this.#gates.restart());
    this.requests.clear();
  }

  #replace(replace: () => Promise<unknown>): Promise<void> {
    // Requests that a fault delays would change the new state.
    this.end();
    this.#ending = new AbortController();
    return this.#gates.alone(async () => {
      const tokens = this.#world.table<Token>('tokens');
      // The program that uses such a token continues.
      const users = this.#world.table<User>('users');
      const added = tokens
        .filter(({ name }) => name === addedName)
        .map(({ token, user_id }) => ({ token, username: users.get(user_id)?.username }));
      await replace();
      this.#world.forget();
      for (const { token, username } of added) {
        const user = users.all().find((one) => one.username === username);
        const isNew = !tokens.all().some((one) => one.token === token);
        if (user && isNew) addToken(this.#world, user.id, addedName, token);
      }
    });
  }

  async #find(name: string): Promise<Snapshot> {
    const all = await this.snapshots.list();
    const found = all.find((snapshot) => snapshot.name === name);
    if (found) return found;
    const known = all.length === 0 ? 'there are none' : `snapshots: ${all.map((one) => one.name).join(', ')}`;
    throw new Failure('not_found', `no snapshot has the name ${name}; ${known}`);
  }

  /** Copies of the whole state under names: rows with faults and clock, files and git repositories, but not the request log. */
  readonly snapshots = {
    list: async (): Promise<Snapshot[]> =>
      (await this.#state.snapshots()).filter(({ name }) => !name.startsWith('.')),
    /** Save the state, and replace a snapshot with the same name. @throws Failure `usage` for an invalid name */
    save: async (name: string): Promise<Snapshot> => {
      if (typeof name !== 'string' || !/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
        throw usage('a snapshot name has at most 64 letters, digits, ".", "_" and "-"');
      await this.#gates.alone(() => this.#state.saveSnapshot(name));
      return this.#find(name);
    },
    /** Replace the state. @throws Failure `not_found` */
    load: async (name: string): Promise<void> => {
      await this.#find(name);
      await this.#replace(() => this.#state.loadSnapshot(name));
    },
    /** @throws Failure `not_found` */
    delete: async (name: string): Promise<void> => {
      await this.#find(name);
      await this.#gates.alone(() => this.#state.deleteSnapshot(name));
    },
  };

  /** Respond to a request below `/-/sandbox`. */
  async handle(request: Request, body: Uint8Array): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    // A web page must not control the sandbox. Browsers send this header with every write.
    if (request.headers.has('origin'))
      return jsonResponse(403, {
        error: '403 Forbidden - the control interface rejects requests with Origin',
      });
    const path = pathname.slice(root.length + 1).replace(/\/$/, '');
    const [, name = '', action = ''] = /^snapshots\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    const route = name === '' ? path : `snapshots/:name${action}`;
    const handler = this.#handlers.get(`${request.method === 'HEAD' ? 'GET' : request.method} ${route}`);
    if (!handler) {
      const served = [...this.#handlers.keys()].map((key) => key.split(' '));
      const methods = served.flatMap(([method = '', one]) => (one === route ? [method] : []));
      if (methods.length === 0) return jsonResponse(404, { error: '404 Not Found' });
      return jsonResponse(405, { error: '405 Not Allowed' }, { allow: allowHeader(methods) });
    }
    try {
      const value = isReadMethod(request.method) ? undefined : parse(body);
      const run = async () => handler(value, { query: searchParams, name });
      // Changes of the whole state run alone.
      const isShared = !isReadMethod(request.method) && path !== 'reset' && name === '';
      const result = await (isShared ? this.#gates.shared(run) : run());
      if (result === undefined) return new Response(null, { status: 204 });
      return jsonResponse(request.method === 'POST' ? 201 : 200, result);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return jsonResponse(statuses[error.kind] ?? 500, { error: error.message });
    }
  }
}

function faultResponse({ retry_after }: Fault, status: number): Response {
  const headers = retry_after === undefined ? {} : { 'retry-after': String(retry_after) };
  return jsonResponse(status, { message: `${status} ${STATUS_CODES[status] ?? 'Fault'}` }, headers);
}

/** @throws Failure `usage` if the body is not JSON */
function parse(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  const value = jsonIn(text);
  if (value === undefined && text.trim() !== '') throw usage('the request body must be JSON');
  return value;
}
