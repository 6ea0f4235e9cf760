import { areas } from '../api/index.ts';
import { group, project } from '../api/scopes.ts';
import { commandName } from '../spec/command.ts';
import { type Method, methods } from '../spec/endpoint.ts';
import { extras } from './areas/extras.ts';
import { areaHandlers } from './areas/index.ts';
import { undeclared } from './core/collection.ts';
import type { ExtraRoute } from './core/context.ts';
import type { Route } from './core/router.ts';

function methodOf(text: string): Method {
  const method = methods.find((name) => name === text);
  if (!method) throw new Error(`unknown method: ${text}`);
  return method;
}

function extraRoute({ route, handler, takes, returns, anonymous, rawBody }: ExtraRoute): Route {
  const [method = '', path = ''] = route.split(' ', 2);
  const scope = [project, group].find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  return {
    area: '',
    endpoint: {
      method: methodOf(method),
      path,
      section: '',
      command: path,
      as: {},
      summary: '',
      slots: {},
      takes: takes ?? {},
      returns: returns ?? { kind: 'nothing' },
      columns: [],
      access: anonymous ? { anonymous } : {},
      examples: [],
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
      const { handlers, collection = undeclared } = areaHandlers.find(({ area }) => area === name) ?? {};
      return endpoints.map((endpoint): Route => {
        const handler = handlers?.[commandName(endpoint)] ?? collection;
        return { area: name, endpoint, handler };
      });
    }),
  );
  const more = [...extras, ...areaHandlers.flatMap((area) => area.extras ?? [])];
  return [...catalogue.flat(), ...more.map(extraRoute)];
}
