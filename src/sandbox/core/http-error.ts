/** An answer that ends a request early, thrown. */
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

/** {"message": …}: the usual shape. */
export function refuse(
  status: number,
  message: unknown,
  headers?: Readonly<Record<string, string>>,
): HttpError {
  return new HttpError(status, { message }, headers);
}

export const unauthorized = (): HttpError => refuse(401, '401 Unauthorized');
export const forbidden = (why?: string): HttpError =>
  refuse(403, why ? `403 Forbidden - ${why}` : '403 Forbidden');
export const notFound = (what?: string): HttpError =>
  refuse(404, what ? `404 ${what} Not Found` : '404 Not Found');

/** A required attribute is missing (section 7). */
export const notGiven = (attribute: string): HttpError =>
  refuse(400, `400 (Bad request) "${attribute}" not given`);

/** The request cannot be read. */
export const malformed = (why: string): HttpError => refuse(400, `400 (Bad request) ${why}`);

interface Wrong {
  /** Names and indexes down to the value: `['files', '0', 'action']`. */
  readonly path: readonly string[];
  readonly message: string;
}

type Messages = { [property: string]: string[] | Messages };

/** Validation failed: messages by property, or by embedded entity and property (section 7). */
export function invalid(wrong: readonly Wrong[]): HttpError {
  const messages: Messages = Object.create(null);
  for (const { path, message } of wrong) {
    // An index names no property.
    const names = path.filter((name, depth) => depth === 0 || !/^\d+$/.test(name));
    let at = messages;
    for (const name of names.slice(0, -1)) {
      at[name] ??= Object.create(null) as Messages;
      at = at[name] as Messages;
    }
    const property = names.at(-1) as string;
    at[property] = [...new Set([...((at[property] as string[] | undefined) ?? []), message])];
  }
  return refuse(400, messages);
}

/** One value is invalid. */
export const invalidAt = (path: readonly string[], message = 'is invalid'): HttpError =>
  invalid([{ path, message }]);
