import type { Problem } from '../../spec/schema.ts';

/** Thrown to end a request with this response. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** {"message": …}, the usual shape. */
export const httpError = (status: number, message: unknown): HttpError => new HttpError(status, { message });

export const unauthorized = (): HttpError => httpError(401, '401 Unauthorized');
export const forbidden = (reason?: string): HttpError =>
  httpError(403, reason ? `403 Forbidden - ${reason}` : '403 Forbidden');
export const notFound = (title?: string): HttpError =>
  httpError(404, title ? `404 ${title} Not Found` : '404 Not Found');
/** 400 with a text, or with messages by attribute: `{ key: ['has already been taken'] }` */
export const badRequest = (message: string | Readonly<Record<string, unknown>>): HttpError =>
  httpError(400, typeof message === 'string' ? `400 Bad request - ${message}` : message);
export const preconditionFailed = (): HttpError => httpError(412, '412 Precondition Failed');

/** 400: a required attribute is missing (section 7). */
export const missing = (attribute: string): HttpError =>
  httpError(400, `400 (Bad request) "${attribute}" not given`);

export const malformed = (reason: string): HttpError => httpError(400, `400 (Bad request) ${reason}`);

type Messages = { [property: string]: string[] | Messages };

/** 400: validation failed. Messages by property, or by embedded entity and property (section 7). */
export function invalid(problems: readonly Pick<Problem, 'path' | 'message'>[]): HttpError {
  const root: Messages = Object.create(null);
  for (const { path, message } of problems) {
    // Indexes are not properties.
    const names = path.filter((name, depth) => depth === 0 || !/^\d+$/.test(name));
    const property = names.pop() ?? '';
    let parent = root;
    for (const name of names) {
      const known = parent[name];
      const child: Messages = known && !Array.isArray(known) ? known : Object.create(null);
      parent[name] = child;
      parent = child;
    }
    const known = parent[property];
    parent[property] = [...new Set([...(Array.isArray(known) ? known : []), message])];
  }
  return httpError(400, root);
}

export const invalidAt = (path: readonly string[], message = 'is invalid'): HttpError =>
  invalid([{ path, message }]);
