import { areas } from '../api/index.ts';
import { group, project } from '../api/scopes.ts';
import { commandName } from '../spec/command.ts';
import type { Method } from '../spec/endpoint.ts';
import { extras } from './areas/extras.ts';
import * as areaHandlers from './areas/index.ts';
import { undeclared } from './core/collection.ts';
import type { AreaHandlers, ExtraRoute } from './core/context.ts';
import type { Route } from './core/router.ts';

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
