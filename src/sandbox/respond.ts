import { areas } from '../api/index.ts';
import { group, project } from '../api/scopes.ts';
import { commandName } from '../spec/command.ts';
import type { Method } from '../spec/endpoint.ts';
import { isReadMethod } from '../support/http-method.ts';
import { extras } from './areas/extras.ts';
import * as areaHandlers from './areas/index.ts';
import { advanceJobs } from './areas/jobs/progress.ts';
import { finishMigrations } from './areas/migrations/migration.ts';
import { authenticate, authorize, checkToken, findScope, roleIn, scopeRow } from './core/access.ts';
import { undeclared } from './core/collection.ts';
import { type AreaHandlers, createContext, type ExtraRoute, jsonResponse } from './core/context.ts';
import { HttpError } from './core/http-error.ts';
import { Params } from './core/request/params.ts';
import { readParams, readSlots } from './core/request/read-params.ts';
import { apiUrl, type Match, type Route, type Router, root } from './core/router.ts';
import type { World } from './core/world.ts';
import { fieldsOn } from './license.ts';
import { KeyedQueue } from './store/gate.ts';

export type Respond = (request: Request, body: Uint8Array) => Promise<Response>;

/** Return the function that runs requests. Writes in one scope run one after another; reads never wait. */
export function createResponder(router: Router, world: World): Respond {
  const writes = new KeyedQueue();
  return async (request, body) => {
    const url = apiUrl(request.url);
    try {
      const match = router.match(request.method, url.pathname);
      const run = () => runRoute(world, match, request, url, body);
      return await (isReadMethod(request.method) ? run() : writes.run(scopeKey(world, match), run));
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return jsonResponse(error.status, error.body, error.headers);
    }
  };
}

/** Apply the changes that are due by the clock: of jobs that run, and of migrations that end. */
export function applyDueChanges(world: World): void {
  finishMigrations(world);
  advanceJobs(world);
}

function scopeKey(world: World, { route, slots }: Match): string {
  const { scope } = route.endpoint;
  if (!scope) return '';
  const { id = '' } = slots;
  return `${scope.name} ${scopeRow(world.store, scope.name, id)?.id ?? id}`;
}

async function runRoute(
  world: World,
  { route, slots }: Match,
  request: Request,
  url: URL,
  body: Uint8Array,
): Promise<Response> {
  const { endpoint, area, handler } = route;
  applyDueChanges(world);
  const identity = authenticate(world.store, request);
  checkToken(endpoint, identity);
  const { scope } = endpoint;
  const { id: scopeId = '', ...others } = slots;
  const urlOf = (path: string) => {
    const rest = url.pathname.slice(root.length).split('/').slice(3);
    return `${url.origin}${root}/${scope?.name}s/${[encodeURIComponent(path), ...rest].join('/')}${url.search}`;
  };
  const found = scope && findScope(world.store, scope.name, scopeId, identity.user, urlOf);
  const role = found ? found.role : roleIn(world.store, identity.user, undefined);
  authorize(world, endpoint, identity.user, role);
  return handler(
    createContext(world, {
      ...identity,
      request,
      url,
      area,
      endpoint,
      body,
      role,
      scopeRow: found?.row,
      slots: readSlots(endpoint.slots, scope ? others : slots),
      params: route.rawBody ? new Params({}) : await readParams(fieldsOn(world, endpoint), request, body),
    }),
  );
}

const declared: readonly AreaHandlers[] = Object.values(areaHandlers);

function extraRoute({ route, handler, takes, returns, anonymous, rawBody }: ExtraRoute): Route {
  const [method, path] = route.split(' ', 2) as [Method, string];
  const scope = [project, group].find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  return {
    area: '',
    endpoint: {
      method,
      path,
      slots: {},
      takes: takes ?? {},
      returns: returns ?? { kind: 'nothing' },
      access: anonymous ? { anonymous } : {},
      ...(scope ? { scope } : {}),
    },
    handler,
    ...(rawBody ? { rawBody } : {}),
  };
}

/** Load every area of the catalogue, and return its routes with their handlers, then the extra routes. */
export async function loadRoutes(): Promise<Route[]> {
  const catalogue = await Promise.all(
    areas.map(async ({ name, load }) => {
      const { endpoints } = (await load()).default;
      const { handlers, collection = undeclared } = declared.find(({ area }) => area === name) ?? {};
      return endpoints.map((endpoint): Route => {
        const handler = handlers?.[commandName(endpoint)] ?? collection;
        return { area: name, endpoint, handler };
      });
    }),
  );
  const more = [...extras, ...declared.flatMap((area) => area.extras ?? [])];
  return [...catalogue.flat(), ...more.map(extraRoute)];
}
