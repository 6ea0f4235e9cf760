import { areas } from '../api/index.ts';
import { group, project } from '../api/scopes.ts';
import { type Method, methods } from '../spec/endpoint.ts';
import { extras } from './areas/extras.ts';
import { behaviors } from './areas/index.ts';
import type { ExtraRoute } from './core/behavior.ts';
import type { Route } from './core/router.ts';

function methodOf(text: string): Method {
  const method = methods.find((name) => name === text);
  if (!method) throw new Error(`unknown method: ${text}`);
  return method;
}

function extraRoute({ route, behavior, takes, returns, anonymous, rawBody }: ExtraRoute): Route {
  const [method = '', path = ''] = route.split(' ', 2);
  const scope = [project, group].find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  return {
    area: '',
    endpoint: {
      method: methodOf(method),
      path,
      slots: {},
      takes: takes ?? {},
      returns: returns ?? { kind: 'nothing' },
      access: anonymous ? { anonymous } : {},
      ...(scope ? { scope } : {}),
    },
    behavior,
    ...(rawBody ? { rawBody } : {}),
  };
}

/** Load every area of the catalogue, and return its routes with their behaviors, then the extra routes. */
export async function loadRoutes(): Promise<Route[]> {
  const commandsOf = new Map(behaviors.map(({ area, commands }) => [area, commands]));
  const catalogue = await Promise.all(
    areas.map(async ({ name, load }) => {
      const { endpoints } = (await load()).default;
      return endpoints.map((endpoint): Route => {
        const [command = ''] = endpoint.command.split(' ', 1);
        return { area: name, endpoint, behavior: commandsOf.get(name)?.[command] };
      });
    }),
  );
  return [...catalogue.flat(), ...[...extras, ...behaviors.flatMap((area) => area.extras)].map(extraRoute)];
}
