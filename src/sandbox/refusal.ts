/** An answer that ends a request early, thrown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
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
): Refusal {
  return new Refusal(status, { message }, headers);
}

export const unauthorized = (): Refusal => refuse(401, '401 Unauthorized');
export const forbidden = (why?: string): Refusal =>
  refuse(403, why ? `403 Forbidden - ${why}` : '403 Forbidden');
export const notFound = (what?: string): Refusal =>
  refuse(404, what ? `404 ${what} Not Found` : '404 Not Found');

/** A required attribute is missing (section 7). */
export const notGiven = (attribute: string): Refusal =>
  refuse(400, `400 (Bad request) "${attribute}" not given`);

/** {"error": …}: malformed requests, and values that are none of the choices. */
export const invalid = (error: string, status = 400): Refusal => new Refusal(status, { error });
