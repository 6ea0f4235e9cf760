// A service with one fault scenario per route: `/api/v4/<name>`. Deterministic. A second origin records its requests; it must never
// receive a credential. `test/http` runs the scenarios against the client, `test/process` against the program.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Header, headersFrom } from '../../src/http/transport.ts';
import { collect } from '../../src/support/bytes.ts';
import { scenarios } from './scenarios.ts';
import { json, sharedService } from './service.ts';

/** One request to the route of a scenario. */
export interface Call {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** 1 for the first request to this scenario. */
  readonly nth: number;
  /** The path below the route, with the query: `/next?page=2`. */
  readonly rest: string;
  /** The URL of the scenario. */
  readonly url: string;
  /** Another origin, which does not belong to the service. */
  readonly elsewhere: string;
  readonly body: Buffer;
}

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: string;
}

export interface FaultServer {
  readonly origin: string;
  /** The root of the API. */
  readonly root: string;
  readonly elsewhere: string;
  /** Requests to a scenario since the last `reset`. */
  seen(scenario: string): readonly Seen[];
  /** Requests to the other origin. */
  elsewhereRequests(): readonly Seen[];
  reset(): void;
}

/** Start both origins on the loopback interface. They stop after all tests of the file. */
export async function sharedFaults(): Promise<FaultServer> {
  const calls = new Map<string, Seen[]>();
  const elsewhere: Seen[] = [];
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  const other = await sharedService(async (req, res) => {
    elsewhere.push(await record(req));
    json(res, [{ id: 666 }]);
  });
  // A scenario that ends its own connection leaves an unreadable request.
  const own = await sharedService(async (req, res) => {
    const { name, base, rest } = routeOf(req.url ?? '');
    const scenario = byName.get(name);
    if (!scenario) {
      res.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"404 Not Found"}');
      return;
    }
    const seen = calls.get(name) ?? [];
    calls.set(name, seen);
    const one = await record(req);
    seen.push(one);
    const url = `${own.origin}${base}`;
    const body = Buffer.from(one.body);
    await scenario.serve({ req, res, nth: seen.length, rest, url, elsewhere: other.origin, body });
  });
  return {
    origin: own.origin,
    root: `${own.origin}/api/v4`,
    elsewhere: other.origin,
    seen: (name) => calls.get(name) ?? [],
    elsewhereRequests: () => elsewhere,
    reset() {
      calls.clear();
      elsewhere.length = 0;
    },
  };
}

/**
 * Return the scenario for a URL: `/api/v4/<name>`, or a route of a project with that name, so that any command can reach it. Query
 * parameters that `svc` adds are removed.
 */
function routeOf(url: string): { name: string; base: string; rest: string } {
  const [, base = '', name = '', rest = ''] =
    /^(\/api\/v4\/projects\/([a-z0-9-]+)\/(?:repository\/files\/[^/?]+|[a-z]+(?:\/KEY)?))(.*)$/.exec(url) ??
    /^(\/api\/v4\/([a-z0-9-]+))(.*)$/.exec(url) ??
    [];
  const own = /([?&])(?:per_page|pagination|ref)=[^&]*&?/g;
  return { name, base, rest: rest.replace(own, '$1').replace(/[?&]$/, '') };
}

async function record(req: IncomingMessage): Promise<Seen> {
  const headers = headersFrom(req.rawHeaders);
  return { method: req.method ?? '', url: req.url ?? '', headers, body: String(await collect(req)) };
}
