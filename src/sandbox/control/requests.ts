/** The request log: a ring of the last requests, in memory. */
import { type Fields, int } from '../../spec/field.ts';
import { masked, maskedUrl } from '../../spec/mask.ts';
import { attempt } from '../../support/errno.ts';
import { authenticate } from '../core/access.ts';
import { bodyValues } from '../core/request/body.ts';
import { Upload } from '../core/request/params.ts';
import type { Router } from '../core/router.ts';
import type { World } from '../core/world.ts';
import { membersOf } from './input.ts';
import type { LoggedRequest } from './types.ts';

/** Requests that the log keeps. */
const capacity = 1_000;
/** Bytes of a body that the log keeps. */
const bodyLimit = 16 * 1024;

type Listing = { readonly [name in keyof typeof listing]?: number };

const listing = {
  limit: int('Only the newest requests; 0 for all', { min: 0 }),
  after: int('Only requests after the one with this id', { min: 0 }),
};

export class RequestLog {
  readonly #world: World;
  readonly #router: Router;
  #entries: LoggedRequest[] = [];
  #last = 0;

  constructor(world: World, router: Router) {
    this.#world = world;
    this.#router = router;
  }

  /** Add a request. Call the result with the response. */
  async start(
    request: Request,
    body: Uint8Array,
  ): Promise<(status: number, fault: string | undefined) => void> {
    const started = performance.now();
    const { pathname } = new URL(request.url);
    const fields = this.#fieldsOf(request.method, pathname);
    const facts = {
      at: this.#world.time(),
      method: request.method,
      path: pathname,
      query: new URL(maskedUrl(request.url, fields)).search,
      caller: this.#callerOf(request),
      body: await describeBody(request, body, fields),
    };
    return (status, fault) => {
      const duration = Math.round((performance.now() - started) * 10) / 10;
      const { caller, body, ...line } = facts;
      this.#entries.push({ id: ++this.#last, ...line, status, duration, caller, body, fault: fault ?? null });
      if (this.#entries.length > capacity) this.#entries.shift();
    };
  }

  /** `{limit, after}` @returns requests, oldest first @throws Failure `usage` */
  list(value: unknown = {}): LoggedRequest[] {
    const { limit = capacity, after = 0 } = membersOf(value, 'the listing', listing) as Listing;
    const kept = this.#entries.filter(({ id }) => id > after);
    return limit === 0 ? kept : kept.slice(-limit);
  }

  clear(): void {
    this.#entries = [];
  }

  #fieldsOf(method: string, pathname: string): Fields | undefined {
    return attempt(() => this.#router.match(method, pathname).route.endpoint.takes);
  }

  #callerOf(request: Request): string | null {
    return attempt(() => authenticate(this.#world.store, request).user?.username) ?? null;
  }
}

async function describeBody(request: Request, body: Uint8Array, fields?: Fields): Promise<unknown> {
  if (body.byteLength === 0) return null;
  const size = `(${body.byteLength} bytes)`;
  // The secrets of an unknown path are unknown.
  if (body.byteLength > bodyLimit || !fields) return size;
  try {
    return masked(withoutFiles(await bodyValues(request, body)), fields);
  } catch {
    return size;
  }
}

function withoutFiles(value: unknown): unknown {
  if (value instanceof Upload) return `(file ${value.filename}, ${value.bytes.byteLength} bytes)`;
  if (Array.isArray(value)) return value.map(withoutFiles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutFiles(one)]));
}
