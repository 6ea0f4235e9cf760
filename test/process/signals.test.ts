// SIGINT and SIGTERM wherever a command can be: it ends at once, with the right code, and leaves nothing half-done (interface
// section 5; issue "A hostile network").
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Home,
  makeHome,
  node,
  program,
  type Started,
  stackTrace,
  start,
  until,
} from '../support/process.ts';
import { json, type Service, startService } from '../support/service.ts';

let service: Service;
let mute: Server;
let home: Home;
let folder: string;
let number = 0;
const sockets = new Set<Socket>();
const children = new Set<Started>();

beforeAll(async () => {
  service = await startService((req, res) => {
    const [, project] = /projects\/([a-z-]+)/.exec(req.url ?? '') ?? [];
    // Headers never come.
    if (project === 'silent') return;
    if (project === 'busy') return void res.writeHead(429, { 'retry-after': '50' }).end();
    if (project === 'rows') return void res.writeHead(200).write('[{"id":1},');
    if (project === 'file')
      return void res.writeHead(200, { 'content-length': '9000' }).write('x'.repeat(5000));
    json(res, {});
  });
  // Speaks no TLS: whoever wants some waits for it.
  mute = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  home = await makeHome();
});
afterAll(async () => {
  await service.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => mute.close(resolve));
  await home.remove();
});
beforeEach(async () => {
  folder = join(home.path, `work-${number++}`);
  await mkdir(folder);
});
afterEach(() => {
  for (const { child } of children) child.kill('SIGKILL');
  children.clear();
});

/** Started, and ended with the test at the latest. */
function run(...args: Parameters<typeof start>): Started {
  const started = start(...args);
  children.add(started);
  return started;
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;

interface Phase {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** When the command is where it should be. */
  readonly there: (started: Started) => boolean | Promise<boolean>;
  /** What may have been printed by then, whole rows only. */
  readonly out?: RegExp;
}

const arrived = (project: string) => {
  const before = service.arrived.length;
  return () => service.arrived.slice(before).some((line) => line.includes(`projects/${project}/`));
};

const phases: Readonly<Record<string, () => Phase>> = {
  'while it connects': () => {
    let connected = false;
    mute.once('connection', () => {
      connected = true;
    });
    return {
      argv: ['jobs', 'list', '-p', 'x', '--base-url', `https://127.0.0.1:${portOf(mute)}`],
      there: () => connected,
    };
  },
  'while it waits for headers': () => ({
    argv: ['jobs', 'list', '-p', 'silent'],
    there: arrived('silent'),
  }),
  'while it writes': () => ({
    argv: ['variables', 'create', 'KEY', 'sesame', '-p', 'silent'],
    there: arrived('silent'),
  }),
  'in the middle of a list': () => ({
    argv: ['jobs', 'list', '-p', 'rows', '-o', 'csv', '--fields', 'id', '--no-header'],
    there: arrived('rows'),
    out: /^(1\r\n)?$/,
  }),
  'in the middle of a download': () => ({
    argv: ['files', 'raw', 'a.bin', '-p', 'file', '--ref', 'main', '--output-file', 'a.bin'],
    there: async () => (await readdir(folder)).length > 0,
  }),
  'while it waits to try again': () => ({
    argv: ['jobs', 'list', '-p', 'busy'],
    there: (started) => started.err().includes('; waiting 50 s'),
  }),
  'while it reads standard input': () => {
    const begun = Date.now();
    return {
      argv: ['variables', 'create', 'KEY', '-', '-p', 'silent', '--verbose'],
      // Nothing tells that it reads: long enough to have begun, or it ends the same.
      there: () => Date.now() - begun > 500,
    };
  },
  'while a token command runs': () => ({
    argv: ['jobs', 'list', '-p', 'silent', '--profile', 'slow'],
    env: { SVC_TOKEN: '' },
    there: async () => (await readdir(folder)).includes('begun'),
  }),
};

/** Far beyond the second that it may take, and far below what it would wait for by itself. */
const bound = 10_000;

describe.each([
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
] as const)('%s', (signal, code, word) => {
  it.each(Object.entries(phases))('%s', async (_, makePhase) => {
    await mkdir(join(home.path, 'config', 'svc'), { recursive: true, mode: 0o700 });
    const slow = {
      base_url: service.origin,
      origin: service.origin,
      token_command: ': > begun; exec sleep 5',
    };
    await writeFile(home.profiles, JSON.stringify({ profiles: { slow } }), { mode: 0o600 });
    const phase = makePhase();
    const started = run(home, phase.argv, {
      cwd: folder,
      env: { SVC_BASE_URL: service.origin, SVC_TOKEN: 'sesame-0815', ...phase.env },
    });
    await until('the phase', () => phase.there(started));
    const asked = service.arrived.length;
    started.child.kill(signal);
    const late = setTimeout(() => started.child.kill('SIGKILL'), bound);
    const ended = await started.ended;
    clearTimeout(late);
    expect(ended.code).toBe(code);
    expect(started.child.signalCode).toBeNull();
    expect(ended.out).toMatch(phase.out ?? /^$/);
    expect(ended.err).toContain(`svc: ${word}`);
    expect(ended.err).not.toMatch(stackTrace);
    expect((await readdir(folder)).filter((name) => name !== 'begun')).toEqual([]);
    expect(service.arrived.length).toBe(asked);
  });

  it('ends a sandbox, which tidies up', async () => {
    const started = run(home, ['sandbox', 'start', '--memory', '--json'], { cwd: folder });
    await until('its address', () => started.out().includes('base_url'));
    started.child.kill(signal);
    expect((await started.ended).code).toBe(code);
    expect(await readdir(join(home.path, 'state', 'svc', 'sandbox'))).not.toContain('server.json');
  });

  it('is handed on to the command of sandbox exec', async () => {
    const trap = `trap 'echo got it; exit 9' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`;
    const started = run(home, ['sandbox', 'exec', '--', 'sh', '-c', trap], { cwd: folder });
    await until('the command', () => started.out().includes('ready'));
    started.child.kill(signal);
    expect((await started.ended).out).toContain('got it');
  });
});

describe('on a terminal', () => {
  const hasScript = (() => {
    try {
      return /util-linux/.test(execFileSync('script', ['--version'], { encoding: 'utf8' }));
    } catch {
      return false;
    }
  })();

  // `script` of util-linux gives the program a terminal of its own; where there is none, nothing can be asked.
  it.skipIf(!hasScript).each([
    ['a confirmation', ['variables', 'delete', 'KEY', '-p', 'silent'], 'Go on?'],
    ['a hidden value', ['variables', 'create', 'KEY', '-p', 'silent'], '(hidden)'],
  ] as const)('Ctrl-C at %s: 130, nothing sent, and the terminal as it was', async (_, argv, question) => {
    const { spawn } = await import('node:child_process');
    const asked = service.arrived.length;
    const quoted = [node, program, ...argv].map((word) => `'${word}'`).join(' ');
    const line = `stty -g; ${quoted}; echo "code=$?"; stty -g`;
    const child = spawn('script', ['-qefc', line, '/dev/null'], {
      env: {
        ...home.env,
        TERM: 'xterm',
        SVC_BASE_URL: service.origin,
        SVC_TOKEN: 'sesame-0815',
        SHELL: '/bin/sh',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    await until(question, () => seen.includes(question));
    child.stdin.write('\u0003');
    await until('its end', () => /code=\d+/.test(seen));
    child.stdin.end();
    await closed;
    expect(seen).toContain('code=130');
    const [before, after] = seen.match(/^[0-9a-f]+(:[0-9a-f]+)+/gm) ?? [];
    expect(after).toBe(before);
    expect(seen).not.toMatch(stackTrace);
    expect(service.arrived.length).toBe(asked);
  });
});
