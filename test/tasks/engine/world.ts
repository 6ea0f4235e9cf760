/** A sandbox whose requests are recorded and can be made to fail. */
import { beforeEach, expect } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import type { Reply, Request } from '../../../src/http/transport.ts';
import { openWorld, transportTo, type World } from '../../support/sandbox.ts';
import type { Ran } from '../../support/svc.ts';

/** Replaces the exchange of a request, if it returns a response. `send` passes the request on. */
export type Intercept = (request: Request, send: () => Promise<Reply>) => Promise<Reply> | undefined;

export const apply = 'apply -f - --yes';
export const prune = `${apply} --prune`;

export interface StateWorld extends World {
  /** Run a command with a state file as standard input. */
  state(
    line: string | readonly string[],
    file: string,
    intercept?: Intercept,
    env?: Readonly<Record<string, string>>,
  ): Promise<Ran>;
}

export function intercepted(world: World, intercept: Intercept): NonNullable<Context['transport']> {
  const inner = transportTo(world.sandbox);
  return (origin, options) => {
    const transport = inner(origin, options);
    return {
      send: (request) => intercept(request, () => transport.send(request)) ?? transport.send(request),
      close: () => transport.close(),
    };
  };
}

export async function openStateWorld(): Promise<StateWorld> {
  const world = await openWorld();
  return {
    ...world,
    state: (line, file, intercept, env) =>
      world.run(line, {
        stdin: file,
        ...(intercept ? { transport: intercepted(world, intercept) } : {}),
        ...(env ? { env } : {}),
      }),
  };
}

/** A sandbox for each test of the file. */
export function stateWorldPerTest(): StateWorld {
  const world = {} as StateWorld;
  beforeEach(async () => {
    Object.assign(world, await openStateWorld());
  });
  return world;
}

export const isWrite = ({ method }: { readonly method: string }): boolean =>
  method !== 'GET' && method !== 'HEAD';

export const isRead = (request: { readonly method: string }): boolean => !isWrite(request);

/** `PUT /projects/acme%2Frocket/variables/KEY` */
export function writes({ requests }: Ran): string[] {
  return requests.filter(isWrite).map(({ method, url }) => `${method} ${url.replace(/^.*\/api\/v4/, '')}`);
}

/** Check the exit code, and show the output if it differs. */
export function expectCode(ran: Ran, code: number): void {
  expect(ran.code, `${ran.out}\n${ran.err}`).toBe(code);
}

/** Wait for a command that must end with this exit code. */
export async function exited<R extends Ran>(code: number, running: Promise<R>): Promise<R> {
  const ran = await running;
  expectCode(ran, code);
  return ran;
}

/** The same, for a command that must send no write. */
export async function wroteNothing<R extends Ran>(code: number, running: Promise<R>): Promise<R> {
  const ran = await exited(code, running);
  expect(writes(ran)).toEqual([]);
  return ran;
}

/** Wait for a command that must be rejected with exit code 2 and this message, before it sends a request. */
export async function refused<R extends Ran>(message: string | RegExp, running: Promise<R>): Promise<R> {
  const ran = await exited(2, running);
  expect(ran.err).toMatch(message);
  expect(ran.requests).toEqual([]);
  return ran;
}

/** Replace the body of a response. */
export async function withBody(reply: Reply, change: (text: string) => string): Promise<Reply> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const bytes = Buffer.from(change(Buffer.concat(chunks).toString('utf8')));
  async function* body() {
    yield bytes;
  }
  const headers = reply.headers.filter(([name]) => name.toLowerCase() !== 'content-length');
  return { ...reply, headers, body: body() };
}

/** Requests whose URL matches. */
export const at =
  (url: RegExp) =>
  (request: Request): boolean =>
    url.test(request.url);

/** Change the responses to these requests. */
export const changing =
  (which: (request: Request) => boolean, change: (reply: Reply) => Reply | Promise<Reply>): Intercept =>
  (request, send) =>
    which(request) ? send().then(change) : undefined;

/** Replace the status of the responses to these requests. */
export const withStatus = (which: (request: Request) => boolean, status: number): Intercept =>
  changing(which, (reply) => ({ ...reply, status }));

/** Change the bodies of the responses to these requests. */
export const withText = (which: (request: Request) => boolean, change: (text: string) => string): Intercept =>
  changing(which, (reply) => withBody(reply, change));

/** Send a request, and replace status and body of its response. */
export const respond = async (send: () => Promise<Reply>, status: number, text: string): Promise<Reply> =>
  withBody({ ...(await send()), status }, () => text);
