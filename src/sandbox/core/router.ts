/** Finds the route of a request. A literal segment takes precedence over a parameter. */
import type { Operation } from '../../spec/endpoint.ts';
import { attempt } from '../../support/errno.ts';
import { allowHeader } from '../../support/http-method.ts';
import type { Handler } from './context.ts';
import { HttpError, malformed } from './http-error.ts';

export interface Route {
  readonly area: string;
  readonly endpoint: Operation;
  readonly handler: Handler;
  readonly rawBody?: true;
}

export interface Match {
  readonly route: Route;
  readonly slots: Readonly<Record<string, string>>;
}

export const root = '/api/v4';

const notImplemented = { 'x-sandbox': 'not-implemented' };
const unknownPath = (): HttpError => new HttpError(404, { error: '404 Not Found' }, notImplemented);

function decode(segment: string): string {
  const text = attempt(() => decodeURIComponent(segment));
  if (text === undefined) throw malformed('The path is not well-formed.');
  return text;
}

/** URLs outside the API that responses contain, and the endpoints that serve them. */
const fileUrls: readonly (readonly [path: RegExp, endpoint: (...parts: readonly string[]) => string])[] = [
  [
    /^\/-\/project\/(\d+)\/uploads\/([^/]+)\/([^/]+)$/,
    (project, secret, name) => `/projects/${project}/uploads/${secret}/${name}`,
  ],
  [
    /^\/(.+)\/-\/snippets\/(\d+)\/raw$/,
    (project, id) => `/projects/${project?.replaceAll('/', '%2F')}/snippets/${id}/raw`,
  ],
  [
    /^\/(.+)\/-\/snippets\/(\d+)\/raw\/([^/]+)\/(.+)$/,
    (project, id, ref, file) =>
      `/projects/${project?.replaceAll('/', '%2F')}/snippets/${id}/files/${ref}/${file?.replaceAll('/', '%2F')}/raw`,
  ],
  [
    // The path of a file in an archive has several segments.
    /^\/api\/v4(\/projects\/[^/]+\/jobs\/\d+\/artifacts\/)(.+\/.+)$/,
    (job, file) => `${job}${file?.replaceAll('/', '%2F')}`,
  ],
  [/^\/uploads\/avatars\/([^/]+)$/, (name) => `/avatars/${name}`],
  [
    /^\/uploads\/-\/system\/appearance\/(\w+)\/\d+\/([^/]+)$/,
    (image, name) => `/application/appearance/${image}/${name}`,
  ],
  [
    /^\/groups\/(.+)\/-\/wikis\/uploads\/([^/]+)\/([^/]+)$/,
    (group, secret, name) => `/groups/${group?.replaceAll('/', '%2F')}/wikis/uploads/${secret}/${name}`,
  ],
];

export function apiUrl(text: string): URL {
  const url = new URL(text);
  for (const [path, endpoint] of fileUrls) {
    const parts = path.exec(url.pathname)?.slice(1);
    if (parts) url.pathname = `${root}${endpoint(...parts)}`;
  }
  return url;
}

/** Compare two paths of the same length by segment: the more specific one comes first. */
function compareSpecificity(a: readonly string[], b: readonly string[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [index, segment] of a.entries()) {
    const order = Number(segment.startsWith(':')) - Number(b[index]?.startsWith(':') ?? false);
    if (order !== 0) return order;
  }
  return 0;
}

export class Router {
  /** The most specific first. */
  readonly #routes: readonly { readonly segments: readonly string[]; readonly route: Route }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes
      .map((route) => ({ segments: route.endpoint.path.slice(1).split('/'), route }))
      .sort((a, b) => compareSpecificity(a.segments, b.segments));
  }

  /** @param path with `/api/v4`, percent-encoded @throws HttpError 404 for an unknown path, 405 with `Allow` for an unsupported method */
  match(method: string, path: string): Match {
    if (!path.startsWith(`${root}/`)) throw unknownPath();
    const given = path.slice(root.length + 1).split('/');
    const found = this.#candidates(given);
    // Some SDKs append a slash to the paths of extra routes.
    const withoutSlash =
      found.length === 0 && given.at(-1) === '' ? this.#candidates(given.slice(0, -1)) : [];
    const candidates = found.length > 0 ? found : withoutSlash.filter(({ route }) => route.rawBody);
    if (candidates.length === 0) throw unknownPath();
    const match =
      candidates.find(({ route }) => route.endpoint.method === method) ??
      (method === 'HEAD' ? candidates.find(({ route }) => route.endpoint.method === 'GET') : undefined);
    if (!match) {
      const allow = allowHeader(candidates.map(({ route }) => route.endpoint.method));
      throw new HttpError(405, { error: '405 Not Allowed' }, { allow, ...notImplemented });
    }
    const slots: Record<string, string> = {};
    for (const [index, segment] of match.segments.entries()) {
      if (segment.startsWith(':')) slots[segment.slice(1)] = decode(given[index] ?? '');
    }
    return { route: match.route, slots };
  }

  #candidates(given: readonly string[]) {
    return this.#routes.filter(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, index) =>
          segment.startsWith(':') ? given[index] !== '' : segment === given[index],
        ),
    );
  }
}
