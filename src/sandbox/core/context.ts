/** Requests as handlers see them, and the responses that handlers return. */
import type { Method, Operation, Returns } from '../../spec/endpoint.ts';
import { type Field, type Fields, keysOf, type Role } from '../../spec/field.ts';
import { isRecord } from '../../support/record.ts';
import { type Identity, isAtLeast, isProject, requireRole } from './access.ts';
import { unauthorized } from './http-error.ts';
import { type Order, pageOf } from './pages.ts';
import type { Hash, Params } from './request/params.ts';
import type { Group, Project, User } from './rows.ts';
import type { World } from './world.ts';

/** A request after the checks that follow from the catalogue. */
interface Facts extends Identity {
  readonly request: Request;
  /** The URL of the endpoint. The URL of a file is mapped to it. */
  readonly url: URL;
  readonly area: string;
  readonly endpoint: Operation;
  /** Parameters of query and body, checked and typed. Unknown names are dropped. */
  readonly params: Params;
  /** Path parameters other than the scope, decoded and typed. */
  readonly slots: Params;
  readonly body: Uint8Array;
  /** The caller's role in the scope, including inherited roles; `user` for non-members. */
  readonly role: Role | undefined;
  readonly scopeRow: Project | Group | undefined;
}

/** The state, a request with checked parameters, and its caller. */
export interface Context extends World, Facts {
  /** Undefined for endpoints of the instance. */
  readonly scope: 'project' | 'group' | undefined;
  /** The project of the path. Throws for other scopes. */
  readonly project: Project;
  /** The group of the path. Throws for other scopes. */
  readonly group: Group;
  readonly requireUser: () => User;
  /** Whether the caller's role in the scope is at least this one. */
  readonly hasRole: (role: Role) => boolean;
  /** @throws HttpError 403, or 401 without a token, unless `hasRole(role)` */
  readonly requireRole: (role: Role) => void;
}

export type Handler = (ctx: Context) => Response | Promise<Response>;

/** An endpoint that clients use but the catalogue does not list. */
export interface ExtraRoute {
  /** Method and path below /api/v4. `/projects/:id` and `/groups/:id` are scopes. A trailing slash is accepted. */
  readonly route: `${Method} /${string}`;
  readonly handler: Handler;
  /** Parameters, checked like those of the catalogue. */
  readonly takes?: Fields;
  readonly returns?: Returns;
  readonly anonymous?: true;
  /** The body is not parsed; read `ctx.body`. */
  readonly rawBody?: true;
}

export interface AreaHandlers {
  readonly area: string;
  /** Serves every endpoint without a handler of its own; by default a collection with the name of the area. */
  readonly collection?: Handler;
  /** By command name, such as `render` or `for-pipeline`. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly extras?: readonly ExtraRoute[];
}

export function createContext(world: World, facts: Facts): Context {
  const { endpoint, user, role, scopeRow } = facts;
  return {
    ...world,
    ...facts,
    origin: facts.url.origin,
    scope: endpoint.scope?.name,
    get project() {
      if (!scopeRow || !isProject(scopeRow)) throw new Error('the endpoint has no project');
      return scopeRow;
    },
    get group() {
      if (!scopeRow || isProject(scopeRow)) throw new Error('the endpoint has no group');
      return scopeRow;
    },
    requireUser() {
      if (!user) throw unauthorized();
      return user;
    },
    hasRole: (least) => isAtLeast(role, least),
    requireRole: (least) => requireRole(user, role, least),
  };
}

export const jsonResponse = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const serverError = (): Response => jsonResponse(500, { message: '500 Internal Server Error' });

export const noContent = (): Response => new Response(null, { status: 204 });

/** RFC 6266: an ASCII name for old clients, and the exact name. */
function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const exact = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Return bytes or text. A filename makes it an attachment. */
export const fileResponse = (content: Uint8Array | string, type: string, filename?: string): Response =>
  new Response(content as Uint8Array<ArrayBuffer> | string, {
    headers: {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      ...(filename === undefined ? {} : { 'content-disposition': attachment(filename) }),
    },
  });

/** How rows become the objects of a response. */
export interface Shape<T> {
  /** Convert a row before its fields are selected. */
  readonly view?: (ctx: Context, row: T) => object | Promise<object>;
  /** Whether the response shows a field of a row; by default every field. */
  readonly shows?: (ctx: Context, row: T, field: string) => boolean;
}

async function shaped<T extends object>(ctx: Context, row: T, { view, shows }: Shape<T>): Promise<object> {
  const { returns } = ctx.endpoint;
  const shown = view ? await view(ctx, row) : row;
  if (!('fields' in returns)) return shown;
  if (!shows) return present(returns.fields, shown, ctx);
  const fields = Object.entries(returns.fields).filter(([name]) => shows(ctx, row, name));
  return present(Object.fromEntries(fields), shown, ctx);
}

/** Return one object: 201 for a POST, otherwise 200. */
export async function one<T extends object>(
  ctx: Context,
  row: T,
  shape: Shape<T> = {},
  status = ctx.endpoint.method === 'POST' ? 201 : 200,
): Promise<Response> {
  return jsonResponse(status, await shaped(ctx, row, shape));
}

/** Return a page of filtered rows; all rows if the catalogue has no pages. Without an order, the rows are sorted. */
export async function list<T extends object>(
  ctx: Context,
  rows: readonly T[],
  shape: Shape<T> = {},
  order?: Order,
): Promise<Response> {
  const { returns } = ctx.endpoint;
  const isUnpaged = returns.kind === 'list' && returns.unpaged;
  const page = isUnpaged ? { rows, headers: {} } : pageOf(rows, order, ctx.params, ctx.url);
  const shown: object[] = [];
  for (const row of page.rows) shown.push(await shaped(ctx, row, shape));
  return jsonResponse(ctx.endpoint.method === 'POST' ? 201 : 200, shown, page.headers);
}

/** Values of fields that a row does not have, by kind. Others are null. */
const empty: Readonly<Record<string, unknown>> = {
  bool: false,
  text: '',
  list: [],
  rows: [],
  object: {},
  hash: {},
};

function absentValue(field: Field): unknown {
  if (field.nullable) return null;
  if ((field.kind === 'object' || field.kind === 'hash') && field.keys) return undefined;
  return field.default ?? empty[field.kind] ?? null;
}

function show(field: Field, value: unknown, ctx: Context): unknown {
  if (value === undefined) return absentValue(field);
  // URLs are stored as paths, because host and port can change.
  if (field.placeholder === 'url' && typeof value === 'string' && value.startsWith('/')) {
    return `${ctx.origin}${value}`;
  }
  const keys = keysOf(field);
  if (!keys) return value;
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? present(keys, item, ctx) : item));
  return isRecord(value) ? present(keys, value, ctx) : value;
}

function present(fields: Fields, row: object, ctx: Context): Hash {
  const values = new Map(Object.entries(row));
  const shown: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.role && !ctx.hasRole(field.role)) continue;
    const value = show(field, values.get(name), ctx);
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}
