/** From a method and a path to the call that is meant. A static segment beats a slot. */
import type { Endpoint, Method } from '../../spec/endpoint.ts';
import type { Behavior } from './behavior.ts';
import { HttpError, malformed } from './http-error.ts';

export interface Route {
  readonly area: string;
  readonly endpoint: Endpoint;
  readonly behavior: Behavior | undefined;
  readonly rawBody?: true;
}

export interface Match {
  readonly route: Route;
  readonly slots: Readonly<Record<string, string>>;
}

export const root = '/api/v4';

const unknown = (): HttpError => new HttpError(404, { error: '404 Not Found' });

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw malformed('The path is not well-formed.');
  }
}

/** Files whose addresses responses name outside the API, and the calls that give them. */
const files: readonly (readonly [address: RegExp, call: (...parts: readonly string[]) => string])[] = [
  [
    /^\/-\/project\/(\d+)\/uploads\/([^/]+)\/([^/]+)$/,
    (project, secret, name) => `/projects/${project}/uploads/${secret}/${name}`,
  ],
  [
    /^\/(.+)\/-\/snippets\/(\d+)\/raw$/,
    (project, id) => `/projects/${project?.replaceAll('/', '%2F')}/snippets/${id}/raw`,
  ],
  [/^\/uploads\/avatars\/([^/]+)$/, (name) => `/avatars/${name}`],
];

/** The URL of the API call behind a URL: mostly the same. */
export function apiUrl(text: string): URL {
  const url = new URL(text);
  for (const [address, call] of files) {
    const parts = address.exec(url.pathname)?.slice(1);
    if (parts) url.pathname = `${root}${call(...parts)}`;
  }
  return url;
}

/** Which of two paths is the more specific, compared segment by segment. */
function moreSpecific(a: readonly string[], b: readonly string[]): number {
  for (const [index, segment] of a.entries()) {
    const order = Number(segment.startsWith(':')) - Number(b[index]?.startsWith(':'));
    if (order !== 0) return order;
  }
  return 0;
}

/** Finds routes by the number of their segments, the most specific first. */
export class Router {
  readonly #byLength = new Map<number, { segments: string[]; route: Route }[]>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const segments = route.endpoint.path.slice(1).split('/');
      const same = this.#byLength.get(segments.length) ?? [];
      same.push({ segments, route });
      this.#byLength.set(segments.length, same);
    }
    for (const same of this.#byLength.values()) same.sort((a, b) => moreSpecific(a.segments, b.segments));
  }

  /**
   * @param path with `/api/v4`, still encoded: an encoded slash stays inside its segment
   * @throws HttpError 404 for a path that no call has, 405 with `Allow` for a method that the path has not
   */
  match(method: string, path: string): Match {
    if (!path.startsWith(`${root}/`)) throw unknown();
    const given = path.slice(root.length + 1).split('/');
    const found = this.#fitting(given);
    // Some SDKs end their paths with a slash; no call of the catalogue does.
    const open = found.length === 0 && given.at(-1) === '' ? this.#fitting(given.slice(0, -1)) : [];
    const fitting = found.length > 0 ? found : open.filter(({ route }) => route.rawBody);
    if (fitting.length === 0) throw unknown();
    const meant =
      fitting.find(({ route }) => route.endpoint.method === method) ??
      (method === 'HEAD' ? fitting.find(({ route }) => route.endpoint.method === 'GET') : undefined);
    if (!meant) throw new HttpError(405, { error: '405 Not Allowed' }, { allow: allowed(fitting) });
    const slots: Record<string, string> = {};
    for (const [index, segment] of meant.segments.entries()) {
      if (segment.startsWith(':')) slots[segment.slice(1)] = decode(given[index] as string);
    }
    return { route: meant.route, slots };
  }

  #fitting(given: readonly string[]): { segments: string[]; route: Route }[] {
    return (this.#byLength.get(given.length) ?? []).filter(({ segments }) =>
      segments.every((segment, index) =>
        segment.startsWith(':') ? given[index] !== '' : segment === given[index],
      ),
    );
  }
}

function allowed(fitting: readonly { route: Route }[]): string {
  const methods = new Set<Method>(fitting.map(({ route }) => route.endpoint.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].join(', ');
}
