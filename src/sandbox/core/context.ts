/** Implementation of `RequestContext`. */
import type { Operation } from '../../spec/endpoint.ts';
import type { Role } from '../../spec/field.ts';
import { changedAt, checkUnmodified } from '../conditional.ts';
import type { Files, Rows, Store } from '../store/store.ts';
import { type Identity, isAtLeast, isProject, requireRole } from './access.ts';
import type { ListOptions, RequestContext, SandboxEvent, World } from './behavior.ts';
import { forbidden, HttpError, httpError, notFound, unauthorized } from './http-error.ts';
import { keysetPage, offsetPage } from './pages.ts';
import { present } from './present.ts';
import type { Params } from './request/params.ts';
import type { AnyRow, Group, Job, Project, Row, Token, User } from './rows.ts';

export interface RequestFacts extends Identity {
  readonly request: Request;
  readonly url: URL;
  readonly area: string;
  readonly endpoint: Operation;
  readonly params: Params;
  readonly slots: Params;
  readonly body: Uint8Array;
  readonly role: Role | undefined;
  readonly scopeRow: Project | Group | undefined;
}

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export const serverError = (): Response => jsonResponse(500, { message: '500 Internal Server Error' });

/** RFC 6266: an ASCII name for old clients, and the exact name. */
function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const exact = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

export class BoundContext implements RequestContext {
  readonly #world: World;
  readonly #facts: RequestFacts;

  constructor(world: World, facts: RequestFacts) {
    this.#world = world;
    this.#facts = facts;
  }

  get store(): Store {
    return this.#world.store;
  }
  get files(): Files {
    return this.#world.files;
  }
  get spam(): World['spam'] {
    return this.#world.spam;
  }
  table<T extends Row = AnyRow>(name: string): Rows<T> {
    return this.#world.store.table<T>(name);
  }
  now(): number {
    return this.#world.now();
  }
  time(): string {
    return this.#world.time();
  }
  keep<T>(name: string, make: () => T): T {
    return this.#world.keep(name, make);
  }
  repository(projectId: number): ReturnType<World['repository']> {
    return this.#world.repository(projectId);
  }
  emit(event: SandboxEvent): void {
    this.#world.emit(event);
  }

  get request(): Request {
    return this.#facts.request;
  }
  get area(): string {
    return this.#facts.area;
  }
  get endpoint(): Operation {
    return this.#facts.endpoint;
  }
  get scope(): 'project' | 'group' | undefined {
    return this.#facts.endpoint.scope?.name;
  }
  get params(): Params {
    return this.#facts.params;
  }
  get slots(): Params {
    return this.#facts.slots;
  }
  get body(): Uint8Array {
    return this.#facts.body;
  }
  get user(): User | undefined {
    return this.#facts.user;
  }
  get token(): Token | undefined {
    return this.#facts.token;
  }
  get job(): Job | undefined {
    return this.#facts.job;
  }
  get role(): Role | undefined {
    return this.#facts.role;
  }
  get project(): Project {
    const { scopeRow } = this.#facts;
    if (!scopeRow || !isProject(scopeRow)) throw new Error('the endpoint has no project');
    return scopeRow;
  }
  get group(): Group {
    const { scopeRow } = this.#facts;
    if (!scopeRow || isProject(scopeRow)) throw new Error('the endpoint has no group');
    return scopeRow;
  }
  get origin(): string {
    return this.#facts.url.origin;
  }

  requireUser(): User {
    if (!this.user) throw unauthorized();
    return this.user;
  }
  hasRole(role: Role): boolean {
    return isAtLeast(this.role, role);
  }
  requireRole(role: Role): void {
    requireRole(this.user, this.role, role);
  }

  checkUnmodified(changed: string | undefined): void {
    checkUnmodified(this.request, changed);
  }
  remove<T extends Row>(table: string, row: T): void {
    this.checkUnmodified(changedAt(row));
    this.store.table<T>(table).remove(row);
  }

  one(row: object, status = this.endpoint.method === 'POST' ? 201 : 200): Response {
    return this.json(status, this.#present(row));
  }

  async list<T extends object>(rows: readonly T[], options: ListOptions<T> = {}): Promise<Response> {
    const { returns } = this.endpoint;
    const { view = (row: T) => row, keyset } = options;
    const isUnpaged = returns.kind === 'list' && returns.unpaged;
    const isKeyset = keyset && this.params.text('pagination') === 'keyset';
    const page = isUnpaged
      ? { rows, headers: {} }
      : isKeyset
        ? keysetPage(rows, this.params, this.#facts.url, keyset)
        : offsetPage(rows, this.params, this.#facts.url);
    const shown: unknown[] = [];
    for (const row of page.rows) shown.push(this.#present(await view(row)));
    return this.json(200, shown, page.headers);
  }

  #present(row: object): object {
    const { returns } = this.endpoint;
    return 'fields' in returns ? present(returns.fields, row, this) : row;
  }

  json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
    return jsonResponse(status, body, headers);
  }
  noContent(status = 204, headers: Readonly<Record<string, string>> = {}): Response {
    return new Response(null, { status, headers });
  }
  raw(content: Uint8Array | string, type: string, filename?: string): Response {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: {
        'content-type': type,
        'x-content-type-options': 'nosniff',
        ...(filename === undefined ? {} : { 'content-disposition': attachment(filename) }),
      },
    });
  }

  notFound(title?: string): HttpError {
    return notFound(title);
  }
  forbidden(reason?: string): HttpError {
    return forbidden(reason);
  }
  badRequest(message: string | Readonly<Record<string, unknown>>): HttpError {
    return httpError(400, typeof message === 'string' ? `400 Bad request - ${message}` : message);
  }
  httpError(status: number, message: unknown): HttpError {
    return httpError(status, message);
  }

  checkSpam(): void {
    const { headers } = this.request;
    const error = 'Your content was recognized as spam and was discarded.';
    if (this.spam === 'off') return;
    if (this.spam === 'reject') throw httpError(400, { error });
    const logs = this.table('spam_logs');
    const log = logs.get(Number(serviceHeader(headers, 'spam-log-id')));
    if (log && log['user_id'] === this.requireUser().id && serviceHeader(headers, 'captcha-response')) {
      logs.remove(log);
      return;
    }
    const { id } = logs.insert({ user_id: this.requireUser().id, created_at: this.time() });
    throw new HttpError(409, {
      needs_captcha_response: true,
      spam_log_id: id,
      captcha_site_key: 'sandbox-captcha-site-key',
      message: { error: 'Your content was recognized as possible spam. Solve the CAPTCHA to proceed.' },
    });
  }
}

/** Read `X-Service-Spam-Log-Id`; clients send other vendor names in place of `Service`. */
function serviceHeader(headers: Headers, name: string): string | undefined {
  for (const [key, value] of headers)
    if (key.startsWith('x-') && key.endsWith(`-${name}`) && value) return value;
  return undefined;
}
