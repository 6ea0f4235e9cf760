import { expect } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import type { Header, Reply } from '../../src/http/transport.ts';
import type { TestSandbox } from '../../src/sandbox/control/types.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { verbs } from '../../src/spec/endpoint.ts';
import { collect } from '../../src/support/bytes.ts';
import { type Ran, type Setting, svc } from './svc.ts';

/** The token of the seeded world to send; `none` sends no token. */
export type Role = Exclude<keyof TestSandbox['tokens'], 'job'> | 'none';

export interface How extends Setting {
  readonly as?: Role;
}

export interface World {
  readonly sandbox: Sandbox;
  /** Run one command line against the sandbox, as administrator by default. */
  run(argv: string | readonly string[], how?: How): Promise<Ran>;
  /** Run a command that must succeed, and return its JSON output. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  json(line: string, how?: How): Promise<any>;
}

/** A placeholder: the transport opens no connection. */
export const baseUrl = 'http://sandbox.localhost';

/** Open a new sandbox. An internal error of the sandbox fails the test. */
export async function openWorld(options: SandboxOptions = {}): Promise<World> {
  const sandbox = await openSandbox({ memory: true }, options);
  const run: World['run'] = async (argv, how = {}) => {
    const { as = 'admin', env, ...setting } = how;
    const token = as === 'none' ? {} : { SVC_TOKEN: `sandbox-${as}`, SVC_JOB_TOKEN: 'sandbox-job' };
    const ran = await svc(argv, {
      transport: transportTo(sandbox),
      ...setting,
      env: { SVC_BASE_URL: baseUrl, ...token, ...env },
    });
    expect(sandbox.errors.splice(0), `${argv} caused an internal error of the sandbox`).toEqual([]);
    return ran;
  };
  return {
    sandbox,
    run,
    async json(line, how) {
      const ran = await run(`${line} --json`, how);
      expect(ran.code, `${line}\n${ran.err}`).toBe(0);
      expect(withoutConfirmation(ran.err).replace(/^(?:.*Use --all or .*|No .* found\.)\n/, ''), line).toBe(
        '',
      );
      return ran.out === '' ? undefined : JSON.parse(ran.out);
    },
  };
}

/** A clock that runs a hundred times as fast, as pauses of commands take a hundredth of their time. */
export function fastClock(begun: number = Date.now()): () => number {
  const started = Date.now();
  return () => begun + (Date.now() - started) * 100;
}

/** A sandbox with a fast clock. */
export const openFastWorld = (): Promise<World> => openWorld({ now: fastClock() });

const confirmation = new RegExp(`^(✓ )?(${[...Object.keys(verbs), 'Scheduled'].join('|')}) .*\n`);

/** Standard error without the line that confirms a write. */
export const withoutConfirmation = (err: string): string => err.replace(confirmation, '');

/** A transport that passes each request to the sandbox. */
export function transportTo(sandbox: Sandbox): NonNullable<Context['transport']> {
  return () => ({
    async send({ method, url, headers, body }): Promise<Reply> {
      const sent = body && ('bytes' in body ? body.bytes : await collect(body.open()));
      const bytes = new Uint8Array(sent ?? []);
      const request = new Request(url, { method, headers: headers.map(([name, value]) => [name, value]) });
      const response = await sandbox.handle(request, bytes);
      const received: Header[] = [...response.headers].map(([name, value]) => [name, value]);
      return {
        status: response.status,
        headers: received,
        body: read(response),
        url,
        discard: async () => response.body?.cancel(),
      };
    },
    close: async () => {},
  });
}

async function* read(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body) yield* response.body as unknown as AsyncIterable<Uint8Array>;
}

/** A red pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** The files that examples name. */
export const exampleFiles: Readonly<Record<string, string | Buffer>> = {
  'README.md': '# Rocket\n\nUp and away.\n',
  'notes.txt': 'remember-the-fuel\n',
  'logo.png': Buffer.from(png, 'base64'),
  'page.md': '# Landing\n\nGently.\n',
  'files.json': JSON.stringify([
    { file_path: 'main.py', content: 'print("up")\n' },
    { file_path: 'lib/util.py', content: 'def up(): pass\n' },
  ]),
  'main.py': 'print("orbit")\n',
  'settings.env': 'LOG_LEVEL=debug\nDEPLOY_USER=deployer2\n',
  'crash.txt': 'Error: Fuel is low\n    at burn (src/engine.js:12:7)\n',
  'license.txt': 'eyJkYXRhIjoiYSBsaWNlbnNlIGZvciB0aGUgc2FuZGJveCJ9\n',
};
