/**
 * What the owner of a sandbox controls and the clients of the API do not see. Available to tests in the same process, and to any
 * program as JSON over `/-/sandbox/…` on the port of the sandbox.
 */
import { Failure } from '../../errors.ts';
import { allowHeader, isReadMethod } from '../../support/http-method.ts';
import type { World } from '../core/behavior.ts';
import { jsonResponse } from '../core/context.ts';
import type { Clock } from './clock.ts';
import { Faults } from './faults.ts';
import { ControlError } from './input.ts';
import type { RequestLog } from './requests.ts';
import type { Snapshots } from './snapshots.ts';
import type { Emitted, Fault } from './types.ts';

const root = '/-/sandbox';

export const isControlPath = (pathname: string): boolean =>
  pathname === root || pathname.startsWith(`${root}/`);

/** Responses whose connection is to be closed early. */
const cuts = new WeakMap<Response, 'headers' | 'body'>();

/** Where to close the connection of a response, if at all. */
export const cutOf = (response: Response): 'headers' | 'body' | undefined => cuts.get(response);

interface Facts {
  readonly query: URLSearchParams;
  /** Of a snapshot. */
  readonly name: string;
}

type Handler = (value: unknown, facts: Facts) => unknown;

export class Control {
  readonly clock: Clock;
  readonly requests: RequestLog;
  readonly snapshots: Snapshots;
  readonly faults: Faults;
  readonly #world: World;
  /** By path and method. */
  readonly #handlers: ReadonlyMap<string, ReadonlyMap<string, Handler>>;

  constructor(clock: Clock, requests: RequestLog, snapshots: Snapshots, world: World) {
    this.#world = world;
    this.clock = clock;
    this.requests = requests;
    this.snapshots = snapshots;
    this.faults = new Faults(world.store);
    this.#handlers = new Map(
      Object.entries<Readonly<Record<string, Handler>>>({
        ready: { GET: () => ({ ready: true }) },
        emit: { POST: (value) => this.emit(value) },
        reset: { POST: () => this.reset() },
        snapshots: { GET: () => this.snapshots.list() },
        'snapshots/:name': {
          GET: (_, { name }) => this.snapshots.get(name),
          PUT: (_, { name }) => this.snapshots.save(name),
          DELETE: (_, { name }) => this.snapshots.delete(name),
        },
        'snapshots/:name/load': { POST: (_, { name }) => this.snapshots.load(name) },
        faults: {
          GET: () => this.faults.list(),
          POST: (value) => {
            const added = this.faults.add(value);
            return Array.isArray(value) ? added : added[0];
          },
          DELETE: () => this.faults.clear(),
        },
        clock: {
          GET: () => this.clock.show(),
          PUT: (value) => this.clock.change(value),
        },
        requests: {
          GET: (_, { query }) =>
            this.requests.list({ limit: countIn(query, 'limit'), after: countIn(query, 'after') }),
          DELETE: () => this.requests.clear(),
        },
      }).map(([path, handlers]) => [path, new Map(Object.entries(handlers))]),
    );
  }

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
    const fault = this.faults.take(request.method, new URL(request.url).pathname);
    if (fault?.latency !== undefined) await elapse(fault.latency);
    const response = await respond(
      fault?.status === undefined ? undefined : faultResponse(fault, fault.status),
    );
    if (fault?.cut) cuts.set(response, fault.cut);
    end(response.status, fault?.match);
    return response;
  }

  /** Send a sample of a webhook event. @throws ControlError */
  async emit(value: unknown): Promise<Emitted> {
    return (await import('./emit.ts')).emitSample(this.#world, value);
  }

  /** Start again with a new state. Snapshots are kept. */
  async reset(): Promise<void> {
    await this.snapshots.reset();
    this.requests.clear();
  }

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
    const handlers = this.#handlers.get(name === '' ? path : `snapshots/:name${action}`);
    if (!handlers) return jsonResponse(404, { error: '404 Not Found' });
    const handler = handlers.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (!handler) {
      const allow = allowHeader(handlers.keys());
      return jsonResponse(405, { error: '405 Not Allowed' }, { allow });
    }
    try {
      const value = isReadMethod(request.method) ? undefined : parse(body);
      const result = await handler(value, { query: searchParams, name });
      if (result === undefined) return new Response(null, { status: 204 });
      return jsonResponse(request.method === 'POST' ? 201 : 200, result);
    } catch (error) {
      if (error instanceof ControlError) return jsonResponse(error.status, { error: error.message });
      if (error instanceof Failure) return jsonResponse(500, { error: error.message });
      throw error;
    }
  }
}

const elapse = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds));

/** Respond in place of the API. */
function faultResponse({ retry_after }: Fault, status: number): Response {
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const message = `${status} ${STATUS_CODES[status] ?? 'Fault'}`;
  return jsonResponse(
    status,
    { message },
    retry_after === undefined ? {} : { 'retry-after': String(retry_after) },
  );
}

/** @throws ControlError if the body is not JSON */
function parse(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError('the request body must be JSON');
  }
}

/** @throws ControlError if the value is not a count */
function countIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new ControlError(`${name} must be an integer from 0`);
  return Number(text);
}
