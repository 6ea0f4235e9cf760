/** Every call that the sandbox answers: those of the catalogue with their behaviors, and the extras. */
import { areas } from '../../api/index.ts';
import { group, project } from '../../api/scopes.ts';
import type { Endpoint, Method } from '../../spec/endpoint.ts';
import { extras } from '../areas/extras.ts';
import { behaviors } from '../areas/index.ts';
import type { Behavior, Extra } from './behavior.ts';
import type { Route } from './router.ts';

function extraRoute(extra: Extra): Route {
  const space = extra.call.indexOf(' ');
  const path = extra.call.slice(space + 1);
  const scope = [project, group].find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  const endpoint: Endpoint = {
    method: extra.call.slice(0, space) as Method,
    path,
    section: '',
    command: path,
    as: {},
    summary: '',
    slots: {},
    takes: extra.takes ?? {},
    returns: extra.returns ?? { kind: 'nothing' },
    columns: [],
    access: extra.anonymous ? { anonymous: true } : {},
    examples: [],
    ...(scope ? { scope } : {}),
  };
  return { area: '', endpoint, behavior: extra.answer, ...(extra.rawBody ? { rawBody: true } : {}) };
}

/** Loads every area. */
export async function routes(): Promise<Route[]> {
  const known = new Map<string, Readonly<Record<string, Behavior>>>(
    behaviors.map((of) => [of.area, of.commands]),
  );
  const loaded = await Promise.all(
    areas.map(async ({ name, load }) => ({ name, area: (await load()).default })),
  );
  const calls = loaded.flatMap(({ name, area }) =>
    area.endpoints.map((endpoint): Route => {
      const command = endpoint.command.split(' ', 1)[0] as string;
      return { area: name, endpoint, behavior: known.get(name)?.[command] };
    }),
  );
  return [...calls, ...[...extras, ...behaviors.flatMap((of) => of.extras)].map(extraRoute)];
}
