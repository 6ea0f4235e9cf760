/** Opens a sandbox in memory with a stopped clock, and sends requests to it. */
import { beforeEach, expect, onTestFinished } from 'vitest';
import type { AnyRow } from '../../src/sandbox/core/rows.ts';
import type { SandboxEvent } from '../../src/sandbox/core/world.ts';
import {
  openSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxStorage,
} from '../../src/sandbox/index.ts';
import { type HookFlag, hookFlags } from '../../src/webhooks/events.ts';
import { openReceiver } from '../support/receiver.ts';

export const noon = Date.parse('2026-04-01T12:00:00Z');

export interface RequestOptions {
  /** Role whose token is sent; `none` sends no token. */
  readonly as?: string;
  readonly json?: unknown;
  readonly form?: FormData | URLSearchParams;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads responses of any shape
  readonly body: any;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface TestSandbox {
  readonly sandbox: Sandbox;
  /** Send a request such as `GET /projects/100/jobs`, below /api/v4 unless it is the path of a file. The default role is administrator. */
  ask(call: string, options?: RequestOptions): Promise<TestResponse>;
}

export const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

/** Return a form with a file. */
export function fileForm(content: string | Uint8Array<ArrayBuffer> = 'bytes', name = 'a.txt'): FormData {
  const form = new FormData();
  form.set('file', new File([content], name));
  return form;
}

/** Return a copy of all rows by table. */
export const tablesOf = ({ world: { store } }: Sandbox) =>
  structuredClone(
    Object.fromEntries(Object.keys(store.sequences()).map((name) => [name, store.table(name).all()])),
  );

/** Change a row of a table without a request. */
export function changeRow({ world }: Sandbox, table: string, id: number, values: object): void {
  const rows = world.table(table);
  rows.update(rows.get(id) as AnyRow, values);
}

export async function openTestSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await openSandbox({ memory: true }, { now: () => noon, ...options });
  return { sandbox, ask: (call, how) => ask(sandbox, call, how) };
}

/** Open a sandbox whose clock the test advances. */
export async function openClocked() {
  let at = noon;
  const opened = await openTestSandbox({ now: () => at });
  const wait = (seconds: number) => {
    at += seconds * 1000;
  };
  return { ...opened, wait };
}

/** Open a sandbox that is closed when the test ends. */
export async function openStored(storage: SandboxStorage, options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await openSandbox(storage, { now: () => noon, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Record the events that a sandbox emits. */
export function recordEvents({ world }: Sandbox): SandboxEvent[] {
  const events: SandboxEvent[] = [];
  const { emit } = world;
  Object.assign(world, {
    emit(event: SandboxEvent) {
      events.push(event);
      emit(event);
    },
  });
  return events;
}

/** Open a sandbox with a hook of a group that subscribes to these events. */
export async function openSubscribed(subscribed: readonly HookFlag[], group = 10) {
  const { url, calls } = await openReceiver();
  const opened = await openTestSandbox();
  const events = Object.fromEntries(hookFlags.map((flag) => [flag, subscribed.includes(flag)]));
  const json = { ...events, url, token: 'hook-secret' };
  const { body } = await opened.ask(`POST /groups/${group}/hooks`, { json });
  return { ...opened, calls, hook: body.id as number };
}

/** Send requests to a sandbox of each test, which its first request opens. */
export function sandboxPerTest(): TestSandbox['ask'] {
  let opened: Promise<TestSandbox> | undefined;
  beforeEach(() => {
    opened = undefined;
  });
  return async (call, how) => {
    opened ??= openTestSandbox();
    return (await opened).ask(call, how);
  };
}

/** Calls of projects in a sandbox of each test, and the events that it emits. */
export function projectsPerTest() {
  const own = { sandbox: undefined as unknown as Sandbox, events: [] as SandboxEvent[] };
  beforeEach(async () => {
    own.sandbox = (await openTestSandbox()).sandbox;
    own.events = recordEvents(own.sandbox);
  });
  const call = (method: string, target: string, token = 'none', json?: object) =>
    ask(own.sandbox, `${method} /projects/${target}`, { as: token, json });
  return { own, call };
}

export async function ask(
  sandbox: Sandbox,
  call: string,
  options: RequestOptions = {},
): Promise<TestResponse> {
  const { as = 'admin', json, form, body, headers = {} } = options;
  const [method = 'GET', path = ''] = call.split(' ', 2);
  const isApi = !/^\/(api\/v4|uploads|-)\/|\/-\//.test(path);
  const url = `http://sandbox.localhost${isApi ? '/api/v4' : ''}${path}`;
  const sent = json === undefined ? (form ?? body) : JSON.stringify(json);
  const request = new Request(url, {
    method,
    headers: {
      ...(as === 'none' ? {} : { 'private-token': `sandbox-${as}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const response = await sandbox.handle(request);
  expect(sandbox.errors).toEqual([]);
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : undefined,
    bytes,
    text,
  };
}

/** Return the target of a `Link` header with this rel. */
export function linkOf(headers: Headers, rel: string): URL | undefined {
  for (const [, target, name] of (headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)) {
    if (name === rel) return new URL(target as string);
  }
  return undefined;
}
