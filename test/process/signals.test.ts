// SIGINT or SIGTERM in every phase of a command: it exits at once with the right code and leaves no incomplete files (interface
// section 5).
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../../src/support/process.ts';
import { command, type Started, sharedHome, stackTrace, start, until } from '../support/process.ts';
import { json, sharedService } from '../support/service.ts';
import { words } from '../support/svc.ts';
import { hasTerminals, onTerminal, quoted } from '../support/terminal.ts';

let mute: Server;
const home = await sharedHome();
let folder: string;
let number = 0;
const sockets = new Set<Socket>();
const bodies: string[] = [];
/** The writing ends of named pipes. */
const writers = new Set<number>();
const children = new Set<Started>();

const variables = ['env_var', 'file'].map((variable_type) => ({
  key: variable_type.toUpperCase(),
  value: 'sesame-0815',
  variable_type,
  environment_scope: '*',
}));

/** Whether a confirmation reads the resource, to show what would be affected. */
const isPreview = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && url.includes('/variables/');

const service = await sharedService((req, res) => {
  const [, project] = /projects\/([a-z-]+)/.exec(req.url ?? '') ?? [];
  // Never sends headers.
  if (project === 'silent' && !isPreview(req)) return;
  if (project === 'kept' && !isPreview(req)) {
    req.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    return void req.on('end', () => res.writeHead(204).end());
  }
  if (project === 'busy') return void res.writeHead(429, { 'retry-after': '50' }).end();
  if (project === 'edited') return json(res, { content: '', encoding: 'base64', last_commit_id: 'c0ffee' });
  if (req.url?.includes('/groups/')) return json(res, []);
  if (project === 'vars') return json(res, req.url?.includes('/variables') ? variables : {});
  if (project === 'rows') return void res.writeHead(200).write('[{"id":1},');
  if (project === 'file')
    return void res.writeHead(200, { 'content-length': '9000' }).write('x'.repeat(5000));
  json(res, {});
});
beforeAll(async () => {
  // Does not speak TLS, so a TLS client waits.
  mute = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => mute.close(resolve));
});
beforeEach(async () => {
  folder = join(home.path, `work-${number++}`);
  await mkdir(folder);
});
afterEach(() => {
  for (const { child } of children) child.kill('SIGKILL');
  children.clear();
  for (const fd of writers) closeSync(fd);
  writers.clear();
});

/** Start the program. It is killed after the test. */
function run(...args: Parameters<typeof start>): Started {
  const started = start(...args);
  children.add(started);
  return started;
}

const overTls = () => `--base-url https://127.0.0.1:${(mute.address() as { port: number }).port}`;

interface Phase {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the command has reached the phase. */
  readonly reached: (started: Started) => boolean | Promise<boolean>;
  /** The output printed so far, which contains complete rows only. */
  readonly out?: RegExp;
  /** Requests whose headers may still be on their way once the phase is reached. */
  readonly pending?: number;
}

const arrivedAt = (path: string) => {
  const before = service.arrived.length;
  return () => service.arrived.slice(before).some((line) => line.includes(path));
};
/** A command that waits for the response to its first request. */
const requesting = (line: string): Phase => ({
  argv: words(line),
  reached: arrivedAt(`projects/${/ -p (\w+)/.exec(line)?.[1]}/`),
});

const downloading = (): Phase => ({
  argv: words('files raw a.bin -p file --ref main --output-file a.bin'),
  reached: async () => (await readdir(folder)).length > 0,
});

const phases: Readonly<Record<string, () => Phase>> = {
  'while it connects': () => {
    let connected = false;
    mute.once('connection', () => {
      connected = true;
    });
    return {
      argv: words(`jobs list -p x ${overTls()}`),
      reached: () => connected,
    };
  },
  'while it waits for headers': () => requesting('jobs list -p silent'),
  'while it writes': () => requesting('variables create KEY sesame -p silent'),
  'in the middle of a list': () => ({
    ...requesting('jobs list -p rows -o csv --fields id --no-header'),
    out: /^(1\r\n)?$/,
  }),
  'in the middle of a download': downloading,
  'while it waits for a retry': () => ({
    argv: ['jobs', 'list', '-p', 'busy'],
    reached: (started) => started.err().includes('; retrying in 50s'),
  }),
  'while it reads standard input': () => {
    let state = 'new';
    return {
      argv: ['variables', 'create', 'KEY', '-', '-p', 'silent', '--verbose'],
      // More than a pipe holds is written only while it reads.
      reached: ({ child }) => {
        if (state === 'new') child.stdin?.write('x'.repeat(256 * 1024), () => (state = 'read'));
        if (state === 'new') state = 'written';
        return state === 'read';
      },
    };
  },
  'while a token command runs': () => ({
    argv: ['jobs', 'list', '-p', 'silent', '--profile', 'slow'],
    env: { SVC_TOKEN: '' },
    reached: async () => (await readdir(folder)).includes('begun'),
  }),
};

/** Create a named pipe without data. @returns a function that checks whether a process reads it, and opens it for writing then */
function silentPipe(name: string): () => boolean {
  execFileSync('mkfifo', ['-m', '600', join(home.path, name)]);
  return () => {
    try {
      // Fails until a process opens the pipe for reading.
      writers.add(openSync(join(home.path, name), constants.O_WRONLY | constants.O_NONBLOCK));
      return true;
    } catch {
      return false;
    }
  };
}

const piped =
  (argv: (pipe: string) => readonly string[], pending = 0) =>
  (): Phase => {
    const name = `pipe-${number++}`;
    return { argv: argv(join(home.path, name)), reached: silentPipe(name), pending };
  };

/** Windows has no named pipes in the file system. */
const pipePhases: typeof phases =
  process.platform === 'win32'
    ? {}
    : {
        'while it reads @file': piped((pipe) => words(`variables create KEY @${pipe} -p silent`)),
        'while it reads --data': piped((pipe) => words(`variables create KEY --data @${pipe} -p x`)),
        'while it reads a token file': piped((pipe) => words(`jobs list -p silent --token-file ${pipe}`)),
        'while it reads --input': piped((pipe) => words(`api POST /silent --input ${pipe}`)),
        'while it reads a file to upload': piped((pipe) => words(`uploads create ${pipe} -p silent`), 1),
        'while it reads --ca-file': piped((pipe) => words(`jobs list -p x --ca-file ${pipe} ${overTls()}`)),
      };

const jqPhases: typeof phases = Object.fromEntries(
  ['last(range(1e15))', 'def f: f; f', '[range(1e15)] | length'].map((jq) => [
    `while --jq '${jq}' runs`,
    () => ({ argv: ['license', 'get', '2', '--jq', jq], reached: arrivedAt('/api/v4/license') }),
  ]),
);

/** Milliseconds: far more than the allowed second, and far less than the wait without a signal. */
const bound = 60_000;

const ends = [
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
] as const;

/** All signals abort a command in the same way, so each phase has one of them, except one that has a file to remove. */
const interrupted = [
  ...Object.entries({ ...phases, ...pipePhases, ...jqPhases }).map(
    ([name, makePhase], at) => [name, makePhase, ends[at % 2] as (typeof ends)[number]] as const,
  ),
  ['in the middle of a download (SIGHUP)', downloading, ['SIGHUP', 143, 'terminated']] as const,
  ['in the middle of a download (SIGQUIT)', downloading, ['SIGQUIT', 130, 'interrupted']] as const,
];

const env = { SVC_BASE_URL: service.origin, SVC_TOKEN: 'sesame-0815' };

/** Send a signal, and wait for the end, for which SIGKILL is too late. */
async function endedBy(signal: NodeJS.Signals, { child, ended }: Started) {
  child.kill(signal);
  const late = globalThis.setTimeout(() => child.kill('SIGKILL'), bound);
  return ended.finally(() => clearTimeout(late));
}

describe('a signal', () => {
  it.each(interrupted)('%s', async (_, makePhase, [signal, code, word]) => {
    await mkdir(join(home.path, 'config', 'svc'), { recursive: true, mode: 0o700 });
    const slow = {
      base_url: service.origin,
      origin: service.origin,
      token_command: ': > begun; exec sleep 600',
    };
    await writeFile(home.profiles, JSON.stringify({ profiles: { slow } }), { mode: 0o600 });
    const phase = makePhase();
    const started = run(home, phase.argv, {
      cwd: folder,
      env: { ...env, ...phase.env },
    });
    await until('the phase', () => phase.reached(started));
    const requests = service.arrived.length;
    const ended = await endedBy(signal, started);
    expect(ended.code).toBe(code);
    expect(started.child.signalCode).toBeNull();
    expect(ended.out).toMatch(phase.out ?? /^$/);
    expect(ended.err).toContain(`error: ${word}`);
    expect(ended.err).not.toMatch(stackTrace);
    expect((await readdir(folder)).filter((name) => name !== 'begun')).toEqual([]);
    expect(service.arrived.length - requests).toBeLessThanOrEqual(phase.pending ?? 0);
  });

  it.each(ends)('%s stops a sandbox, which removes its files', async (signal, code) => {
    const started = run(home, ['sandbox', 'start', '--memory', '--json'], { cwd: folder });
    await until('its address', () => started.out().includes('base_url'));
    started.child.kill(signal);
    expect((await started.ended).code).toBe(code);
    expect(await readdir(join(home.path, 'state', 'svc', 'sandbox'))).not.toContain('server.json');
  });

  it.each(ends)('%s is forwarded to the command of sandbox exec', async (signal) => {
    const trap = `trap 'echo got it; exit 9' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`;
    const started = run(home, ['sandbox', 'exec', '--', 'sh', '-c', trap], { cwd: folder });
    await until('the command', () => started.out().includes('ready'));
    started.child.kill(signal);
    expect((await started.ended).out).toContain('got it');
  });
});

describe.skipIf(!hasTerminals)('on a terminal', () => {
  it.each([
    ['a confirmation', ['variables', 'delete', 'KEY', '-p', 'silent'], 'Continue?'],
    ['a hidden value', ['variables', 'create', 'KEY', '-p', 'silent'], '(hidden)'],
  ] as const)(
    'Ctrl-C at %s exits with 130, sends nothing and restores the terminal',
    async (_, argv, question) => {
      const writes = () => service.arrived.filter((line) => !line.startsWith('GET ')).length;
      const requests = writes();
      const ran = onTerminal(home, `stty -g; ${quoted(argv)}; code=$?; stty -g; (exit $code)`, env);
      await ran.sees(question);
      ran.type('\u0003');
      const { code, seen } = await ran.end();
      expect(code).toBe(130);
      const [before, after] = seen.match(/^[0-9a-f]+(:[0-9a-f]+)+/gm) ?? [];
      expect([typeof before, after]).toEqual(['string', before]);
      expect(seen).not.toMatch(stackTrace);
      expect(writes()).toBe(requests);
    },
  );

  const questions = [
    ['a confirmation', ['variables', 'delete', 'KEY', '-p', 'kept'], '[y/N]', 'y', 'es', 'DELETE'],
    ['a hidden value', ['variables', 'create', 'KEY', '-p', 'kept'], '(hidden)', 'open', 'sesame', 'POST'],
  ] as const;
  const ways = ['Ctrl-Z', 'SIGTSTP', 'SIGSTOP'] as const;
  it.each(questions.flatMap((question) => ways.map((way) => [way, ...question] as const)))(
    'a prompt survives suspension by %s: %s',
    async (way, _, argv, question, first, second, method) => {
      const file = join(folder, 'suspend.sh');
      // A shell with job control. Each job prints its process id first. The shell sets the terminal modes as an interactive one does.
      const lines = [
        'set -m',
        'before=$(stty -g); echo "before=$before"',
        `sh -c 'echo "pid=$$"; exec "$@"' sh ${quoted(argv)}`,
        'echo "between=$(stty -g)"; stty "$before"; echo "stopped"',
        'fg',
        'ended=$?; echo "after=$(stty -g)"; exit $ended',
      ];
      await writeFile(file, lines.join('\n'));
      const ran = onTerminal(home, `sh '${file}'`, env);
      const times = (text: string) => ran.seen().split(text).length - 1;
      bodies.length = 0;
      const before = service.arrived.length;
      await ran.sees(question);
      const prompts = times(question);
      if (way === 'Ctrl-Z') ran.type(`${first}\u001a`);
      else process.kill(Number(/pid=(\d+)/.exec(ran.seen())?.[1]), way);
      await ran.sees('stopped');
      await until('the question again', () => times(question) > prompts);
      ran.type(`${way === 'Ctrl-Z' ? '' : first}${second}\r`);
      const { code, seen } = await ran.end();
      expect(code).toBe(0);
      const methods = service.arrived.slice(before).map((line) => line.split(' ')[0]);
      expect(methods.filter((one) => one !== 'GET')).toEqual([method]);
      if (method === 'POST') {
        expect(JSON.parse(bodies.join(''))).toMatchObject({ value: 'opensesame' });
        expect(seen).not.toContain('sesame');
      }
      const modes = [...seen.matchAll(/(?:before|between|after)=(\S+)/g)].map(([, mode]) => mode);
      // A process stopped by SIGSTOP cannot restore the terminal.
      expect(new Set(way === 'SIGSTOP' ? [modes[0], modes[2]] : modes).size).toBe(1);
    },
  );
});

describe.skipIf(process.platform === 'win32')('variables exec', () => {
  const own = () => ({ ...env, TMPDIR: join(folder, 'tmp') });
  const begin = (argv: readonly string[]) => run(home, argv, { cwd: folder, env: own() });
  const exec = (script: string) => ['variables', 'exec', '-p', 'vars', '--', 'sh', '-c', script];
  const files = () => readdir(join(folder, 'tmp'), { recursive: true });
  const wait = 'while :; do sleep 0.05; done';
  beforeEach(() => mkdir(join(folder, 'tmp')));

  /** A program that ends later than svc would after a signal. */
  const slow = (signal: string) =>
    `trap 'echo got ${signal}; sleep 0.4; echo cleaned up; exit 9' ${signal}; cat "$FILE"; ${wait}`;

  it.each(['TERM', 'INT', 'HUP', 'QUIT'])('passes SIG%s on, and waits for the program', async (signal) => {
    const started = begin(exec(slow(signal)));
    await until('the program', () => started.out() === 'sesame-0815');
    expect((await files()).filter((name) => name.endsWith('FILE'))).toHaveLength(1);
    started.child.kill(`SIG${signal}` as NodeJS.Signals);
    const ended = await started.ended;
    expect(ended).toEqual({ code: 9, out: `sesame-0815got ${signal}\ncleaned up\n`, err: '' });
    expect(await files()).toEqual([]);
  });

  it('ends a program that ignores the first signal at the second', async () => {
    const started = begin(exec(`trap 'echo ignored' TERM; echo ready; ${wait}`));
    await until('the program', () => started.out() === 'ready\n');
    started.child.kill('SIGTERM');
    await until('the signal', () => started.out().includes('ignored'));
    // Signals within 10 ms are one.
    await setTimeout(50);
    started.child.kill('SIGTERM');
    expect((await started.ended).code).toBe(137);
    expect(await files()).toEqual([]);
  });

  it('SIGHUP, which a closed terminal can cause twice, never kills the program', async () => {
    const started = begin(exec(slow('HUP')));
    await until('the program', () => started.out() === 'sesame-0815');
    started.child.kill('SIGHUP');
    await until('the signal', () => started.out().includes('got HUP'));
    started.child.kill('SIGHUP');
    expect((await started.ended).code).toBe(9);
  });

  it('the next run removes the files of one that was killed, but not those of one that runs', async () => {
    const begun = async (script: string) => {
      const started = begin(exec(`cat "$FILE"; ${script}`));
      await until('the program', () => started.out() === 'sesame-0815');
      return started;
    };
    const killed = await begun('exec sleep 3 > /dev/null');
    const running = await begun(`trap 'exit 7' TERM; ${wait}`);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const names = async () => (await readdir(join(folder, 'tmp'))).filter((name) => !name.endsWith('.lock'));
    expect(await names()).toHaveLength(2);
    const next = begin(exec('exit 0'));
    expect((await next.ended).code).toBe(0);
    expect(await names()).toEqual([expect.stringContaining(`svc-exec-${running.child.pid}-`)]);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(7);
    expect(await files()).toEqual([]);
  });

  it('a process group that is signaled with its members gets one signal', async () => {
    const line = [...command, ...exec(slow('TERM'))].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    // As `timeout` does: first the process, then its group.
    const group = spawn('sh', ['-c', `exec ${line.join(' ')}`], {
      env: { ...home.env, ...own() },
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    group.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const closed = new Promise((resolve) => group.once('close', resolve));
    await until('the program', () => out === 'sesame-0815');
    group.kill('SIGTERM');
    process.kill(-(group.pid as number), 'SIGTERM');
    expect(await closed).toBe(9);
    expect(out).toContain('cleaned up');
  });

  it('waits for the programs of each, and starts no further ones', async () => {
    const script = `trap 'echo cleaned up >> log' EXIT; trap 'sleep 0.4; exit 0' TERM; echo started >> log; cat "$FILE" > /dev/null; ${wait}`;
    const argv = words('each --projects - --concurrency 2 -- variables exec -- sh -c');
    const started = begin([...argv, script]);
    started.child.stdin?.end('vars\nvars/2\nvars/3\n');
    const log = () => readFile(join(folder, 'log'), 'utf8').catch(() => '');
    await until('two programs', async () => (await log()) === 'started\nstarted\n');
    started.child.kill('SIGTERM');
    const ended = await started.ended;
    expect(await log()).toBe('started\nstarted\ncleaned up\ncleaned up\n');
    expect(ended.code).toBe(143);
    expect(ended.err).toContain('2 done');
    expect(await files()).toEqual([]);
  });

  it('ends although a program that it left behind keeps the output open', async () => {
    const argv = words('each --projects - -- variables exec -- sh -c');
    const started = begin([...argv, 'sleep 600 & echo $$ $! > pids']);
    started.child.stdin?.end('vars\n');
    const pids = () => readFile(join(folder, 'pids'), 'utf8').catch(() => '');
    await until('the program', async () => (await pids()).endsWith('\n'));
    const [program = 0, left = 0] = (await pids()).split(' ').map(Number);
    onTestFinished(() => void process.kill(left));
    await until('its end', () => !isAlive(program));
    expect((await endedBy('SIGTERM', started)).code).toBe(0);
    expect(await files()).toEqual([]);
  });

  describe.skipIf(!hasTerminals)('on a terminal', () => {
    it('Ctrl-C reaches the program once, and svc returns its exit code', async () => {
      const ran = onTerminal(home, quoted(exec(slow('INT'))), own());
      await ran.sees('sesame-0815');
      ran.type('\u0003');
      const { code, seen } = await ran.end();
      expect(code).toBe(9);
      expect(seen.split('got INT').length - 1).toBe(1);
      expect(seen).toContain('cleaned up');
      expect(await files()).toEqual([]);
    });

    it('a terminal that is closed ends the program, and the files are removed', async () => {
      const ran = onTerminal(home, quoted(exec(`cat "$FILE"; exec sleep 600`)), own());
      await ran.sees('sesame-0815');
      ran.child.kill('SIGKILL');
      // Not recursive: the folder can be removed while its content is listed.
      await until('the end', async () => (await readdir(join(folder, 'tmp'))).length === 0);
    });

    it('an editor handles Ctrl-C itself, also twice', async () => {
      const editor = join(folder, 'editor.sh');
      const waits = `until [ -f ${folder}/go ]; do sleep 0.05; done`;
      await writeFile(editor, `trap 'echo key' INT; echo ready; ${waits}; exit 3`);
      const ran = onTerminal(home, quoted(['files', 'edit', 'a.txt', '-p', 'edited', '--branch', 'main']), {
        ...own(),
        EDITOR: `sh ${editor}`,
      });
      await ran.sees('ready');
      ran.type('\u0003');
      await ran.sees('key');
      ran.type('\u0003');
      await until('the second', () => ran.seen().split('key').length === 3);
      await writeFile(join(folder, 'go'), '');
      const { code, seen } = await ran.end();
      expect(seen).toContain('the editor ended with exit code 3');
      expect(code).toBe(1);
    });
  });
});
