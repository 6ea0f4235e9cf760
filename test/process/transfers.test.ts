// Downloads and uploads: complete or not at all, to the right place, and with constant memory.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { command, sharedHome, stackTrace, start, svc } from '../support/process.ts';
import { json, sharedService } from '../support/service.ts';

const mib = 1024 * 1024;
const large = 300 * mib;
/** Far below the size of the file, and well above the memory of Node itself. */
const memoryBound = 200 * mib;

const home = await sharedHome();
let folder: string;
let number = 0;
let serve: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

const service = await sharedService((req, res) => serve(req, res));
beforeEach(async () => {
  folder = join(home.path, `work-${number++}`);
  await mkdir(folder);
});

const env = { SVC_BASE_URL: service.origin, SVC_TOKEN: 'sesame-0815' };
const raw = ['files', 'raw', 'a.bin', '-p', '1', '--ref', 'main', '--retries', '0'];

const download = (...more: string[]) => svc(home, [...raw, ...more], { cwd: folder, env });

function bytes(text: string, headers: Record<string, string> = {}): void {
  serve = (_, res) => void res.writeHead(200, headers).end(text);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a download', () => {
  it('shorter than its Content-Length leaves no file: exit 3', async () => {
    serve = (req, res) => {
      res.writeHead(200, { 'content-length': '5000' }).write('half');
      setTimeout(() => req.socket.end(), 20);
    };
    const { code, err } = await download('--output-file', 'a.bin');
    expect(code).toBe(3);
    expect(err).toMatch(/^error: \S/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('with another checksum leaves no file: exit 8', async () => {
    bytes('all of it', { 'x-vendor-content-sha256': sha256('something else') });
    const { code, err } = await download('--output-file', 'a.bin');
    expect(code).toBe(8);
    expect(err).toMatch(/^error: .*SHA-256/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('does not replace a file without --force, and sends no request', async () => {
    await writeFile(join(folder, 'a.bin'), 'old');
    bytes('new');
    const before = service.arrived.length;
    const { code, err } = await download('--output-file', 'a.bin');
    expect(code).toBe(1);
    expect(err).toMatch(/^error: .*already exists\nhint: use --force/);
    expect(service.arrived.length).toBe(before);
    expect(await readFile(join(folder, 'a.bin'), 'utf8')).toBe('old');
    expect((await download('--output-file', 'a.bin', '--force')).code).toBe(0);
    expect(await readFile(join(folder, 'a.bin'), 'utf8')).toBe('new');
  });
});

describe.skipIf(process.platform === 'win32')('a disk that becomes full during a download', () => {
  it('leaves no file and reports the reason: exit 1', async () => {
    bytes('x'.repeat(4 * mib));
    // The size limit makes the system reject the write, as a full disk does.
    const line = `ulimit -f 1000 && exec "$@"`;
    const args = ['-c', line, 'sh', ...command, ...raw, '--output-file', 'a.bin'];
    const running = { cwd: folder, env: { ...home.env, ...env }, extendEnv: false, reject: false };
    const { exitCode, stderr } = await execa('sh', args, running);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^error: cannot write \S+a\.bin: /)]);
    expect(stderr).not.toMatch(stackTrace);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a file name from the service', () => {
  it.each([
    ['../../escaped', 'escaped'],
    ['..\\..\\escaped', 'escaped'],
    ['.bashrc', '_bashrc'],
    ['a\u001b]0;b', 'a]0;b'],
  ])('%j stays in the folder', async (given, kept) => {
    const inner = join(folder, 'deep', 'inner');
    await mkdir(inner, { recursive: true });
    const encoded = Buffer.from(given)
      .toString('latin1')
      .replace(/[\u0000-\u001f]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
    const extended = /%/.test(encoded);
    bytes('content', {
      'content-disposition': extended
        ? `attachment; filename*=UTF-8''${encodeURIComponent(given)}`
        : `attachment; filename="${encoded.replaceAll('\\', '\\\\')}"`,
    });
    const { code, err } = await download('--output-file', 'deep/inner');
    expect(code).toBe(0);
    expect(await readdir(inner)).toEqual([kept]);
    expect(await readdir(join(folder, 'deep'))).toEqual(['inner']);
    expect(await readdir(folder)).toEqual(['deep']);
    expect(err).not.toContain('\u001b');
  });

  it('does not follow a symbolic link out of the folder, even with --force', async () => {
    const inner = join(folder, 'inner');
    await mkdir(inner);
    await writeFile(join(folder, 'precious'), 'mine');
    await symlink('../precious', join(inner, 'link'));
    bytes('theirs', { 'content-disposition': 'attachment; filename=link' });
    expect((await download('--output-file', 'inner')).code).toBe(1);
    expect(await readlink(join(inner, 'link'))).toBe('../precious');
    expect((await download('--output-file', 'inner', '--force')).code).toBe(0);
    expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('mine');
    expect((await lstat(join(inner, 'link'))).isFile()).toBe(true);
  });
});

describe.skipIf(!existsSync('/proc/self/status'))('300 MB', () => {
  /** Run the program and record its peak memory. */
  async function watch(argv: readonly string[], stdout: 'kept' | 'dropped' = 'kept') {
    const started = start(home, argv, { cwd: folder, env });
    if (stdout === 'dropped') started.child.stdout?.removeAllListeners('data').resume();
    let peak = 0;
    const look = setInterval(() => {
      readFile(`/proc/${started.child.pid}/status`, 'utf8')
        .then((text) => {
          peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) * 1024);
        })
        .catch(() => {});
    }, 20);
    const ended = await started.ended;
    clearInterval(look);
    return { ...ended, peak };
  }

  const expectLittle = (peak: number) => {
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(memoryBound);
  };

  beforeEach(() => {
    serve = async (req, res) => {
      if (req.method === 'POST') {
        let length = 0;
        for await (const chunk of req) length += (chunk as Buffer).length;
        return json(res, { id: length, announced: Number(req.headers['content-length']) });
      }
      res.writeHead(200, { 'content-length': String(large) });
      const block = Buffer.alloc(mib, 'x');
      for (let sent = 0; sent < large; sent += block.length) {
        if (!res.write(block)) await new Promise((resolve) => res.once('drain', resolve));
      }
      res.end();
    };
  });

  it('are downloaded to a file with constant memory', async () => {
    const { code, peak } = await watch([...raw, '--output-file', 'large.bin']);
    expect(code).toBe(0);
    expect((await stat(join(folder, 'large.bin'))).size).toBe(large);
    expectLittle(peak);
    await truncate(join(folder, 'large.bin'));
  });

  it('are downloaded to standard output with constant memory', async () => {
    const { code, peak } = await watch(raw, 'dropped');
    expect(code).toBe(0);
    expectLittle(peak);
  });

  it('are uploaded with constant memory and a Content-Length', async () => {
    const handle = await open(join(folder, 'large.bin'), 'w');
    await handle.truncate(large);
    await handle.close();
    const { code, out, peak } = await watch(['uploads', 'create', 'large.bin', '-p', '1', '--json']);
    expect(code).toBe(0);
    const { id, announced } = JSON.parse(out) as { id: number; announced: number };
    expect(id).toBeGreaterThan(large);
    expect(announced).toBe(id);
    expectLittle(peak);
  });
});
