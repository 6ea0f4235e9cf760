// Standard streams that are closed early, are full, or were never open, and a working folder that is gone.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { command, executable, sharedHome, stackTrace, start, svc } from '../support/process.ts';
import { json, sharedService } from '../support/service.ts';

const home = await sharedHome();
let pages = 0;
const service = await sharedService((req, res) => {
  const url = new URL(req.url ?? '', service.origin);
  if (url.pathname.includes('/files/')) return void res.writeHead(200).end('x'.repeat(300_000));
  if (req.method !== 'GET') return json(res, {});
  // An endless list whose pages are larger than the buffer of a pipe.
  pages++;
  const page = Number(url.searchParams.get('page') ?? 1);
  const rows = Array.from({ length: 100 }, (_, at) => ({ id: page * 100 + at, name: 'n'.repeat(2000) }));
  url.searchParams.set('page', String(page + 1));
  json(res, rows, { link: `<${url}>; rel="next"` });
});

beforeAll(async () => {
  const plan = 'svc: 1\nproject: acme/rocket\nvariables: [{ key: NEW, value: x }]\n';
  await writeFile(join(home.path, 'plan.yaml'), plan);
});
beforeEach(() => {
  pages = 0;
});

const env = { SVC_BASE_URL: service.origin, SVC_TOKEN: 'sesame-0815' };
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
const list = ['jobs', 'list', '-p', '1', '--all'];
const raw = ['files', 'raw', 'a', '-p', '1', '--ref', 'main'];

/** Run a shell command in which `$svc` is the program. @returns the output of the shell */
async function shell(line: string): Promise<string> {
  const file = join(home.path, 'line.sh');
  await writeFile(file, line.replaceAll('$svc', quoted(command)));
  const { all } = await execa('sh', [file], {
    env: { ...home.env, ...env },
    cwd: home.path,
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    stdin: 'ignore',
    all: true,
  });
  return all;
}

describe('a reader that closes the pipe', () => {
  it.each(['table', 'json', 'csv'])(
    'exits with 0 after | head -1 of an endless list as %s, without errors or further pages',
    async (format) => {
      const said = await shell(
        `{ $svc ${quoted([...list, '-o', format])} 2> err; echo "code=$?" >&2; } | head -1 | cut -c 1-1; cat err`,
      );
      expect(said).toMatch(/^(.\ncode=0|code=0\n.)\n$/);
      // The first page, one requested ahead, and those that fit into the pipe and its buffers.
      expect(pages).toBeLessThanOrEqual(4);
    },
  );

  it.each([
    ['raw bytes', raw],
    ['help', ['jobs', 'list', '--help']],
    ['the version', ['--version']],
  ])('| true of %s: exit 0 without errors', async (_, argv) => {
    expect(await shell(`{ $svc ${quoted(argv)}; echo "code=$?" >&2; } | true`)).toBe('code=0\n');
  });

  it('of standard error does not change the exit code', async () => {
    const started = start(home, [...list, '--retries', '0'], { env: { SVC_BASE_URL: 'http://127.0.0.1:1' } });
    started.child.stderr?.destroy();
    expect((await started.ended).code).toBe(3);
  });
});

it.each([
  ['a response that comes before its end', '', 0],
  ['an unreachable service', 'http://127.0.0.1:1', 3],
])('a standard input that never ends does not block the command: %s', async (_, base, code) => {
  const started = start(home, ['uploads', 'create', '-', '--filename', 'x', '-p', '1'], {
    env: { ...env, ...(base === '' ? {} : { SVC_BASE_URL: base }) },
  });
  const ended = await Promise.race([
    started.ended,
    new Promise<undefined>((resolve) => setTimeout(resolve, 5000, undefined)),
  ]);
  started.child.kill('SIGKILL');
  expect(ended?.code).toBe(code);
});

describe.skipIf(!existsSync('/dev/full'))('a full disk under standard output', () => {
  it.each([
    ['a table', list],
    ['json', [...list, '--json']],
    ['csv', [...list, '--csv']],
    ['raw bytes', raw],
    ['a plan', ['diff', '-f', 'plan.yaml', '--sandbox']],
    ['a dry run', [...list, '--dry-run']],
    ['help', ['jobs', 'list', '--help']],
    ['the version', ['--version']],
    ['a failed check', ['doctor', '--profile', 'unknown']],
    ['a failed check as json', ['doctor', '--json', '--profile', 'unknown']],
  ])('%s: exit 1 with a one-line error', async (_, argv) => {
    const said = await shell(`$svc ${quoted(argv)} > /dev/full; echo "code=$?"`);
    const [err = '', ...rest] = said.split('\n');
    expect(rest).toEqual(['code=1', '']);
    const json = /"kind":"internal","message":"the disk is full/;
    expect(err).toMatch(argv.includes('--json') ? json : /^error: .*the disk is full/);
    expect(err).not.toMatch(stackTrace);
  });

  it('under standard error does not change the exit code', async () => {
    expect(await shell(`$svc jobs list -p .. 2> /dev/full; echo "code=$?"`)).toBe('code=2\n');
  });
});

describe('streams that are closed at start', () => {
  it.each([
    ['standard error', '2>&-', ['jobs', 'list', '-p', '..'], 2],
    ['standard input', '<&-', raw, 0],
    ['all three', '<&- >&- 2>&-', ['jobs', 'list', '-p', '..'], 2],
  ])('%s', async (_, closed, argv, code) => {
    const said = await shell(`{ $svc ${quoted(argv)}; } ${closed}\necho "code=$?"`);
    expect(said.replace(/^x+/, '')).toBe(`code=${code}\n`);
  });
});

it('a reader that closes the pipe neither stops a change nor hides its outcome', async () => {
  const file = join(home.path, 'reader-gone.yaml');
  await writeFile(file, 'svc: 1\nproject: acme/rocket\nvariables: [{ key: KEPT, value: a }]\n');
  const run = (name: string) => `{ $svc --sandbox ${name} -f ${file}; echo $? >> codes; } 2>&1 | true`;
  const said = await shell(`${run('diff')}; ${run('apply --yes')}; ${run('diff')}; cat codes`);
  expect(said).toBe('10\n0\n0\n');
});

it('a command with --sandbox reads what another one with it writes', async () => {
  const both = '$svc --sandbox export badges -p acme/rocket | $svc --sandbox diff -f -';
  expect(await shell(`${both}; echo "code=$?"`)).toMatch(/No changes\.\ncode=0\n$/);
});

it('a reader that is slower than svc receives all of a schema', async () => {
  const argv = ['schema', '--openapi'];
  const all = await shell(`$svc ${quoted(argv)} | wc -c`);
  // More than a pipe holds.
  expect(Number(all)).toBeGreaterThan(128 * 1024);
  expect(await shell(`$svc ${quoted(argv)} | (sleep 1; wc -c)`)).toBe(all);
});

// An executable ignores `NODE_OPTIONS`.
describe.skipIf(executable)('a command whose event loop becomes empty', () => {
  it('fails with exit 1 and reports a bug', async () => {
    const preload = join(home.path, 'dry.cjs');
    // Reading standard input never finishes and does not keep the process alive.
    await writeFile(
      preload,
      `require('node:stream').Readable.prototype[Symbol.asyncIterator] = () => ({ next: () => new Promise(() => {}) });`,
    );
    const before = service.arrived.length;
    const { code, out, err } = await svc(home, ['variables', 'create', 'KEY', '-', '-p', '1'], {
      env: { ...env, NODE_OPTIONS: `--require ${preload}` },
      stdin: 'value',
    });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('the command ended before it was complete');
    expect(service.arrived.length).toBe(before);
  });
});

it.each([['--version'], raw])('a working folder may be deleted: svc %s', async (...argv) => {
  const said = await shell(
    `mkdir gone; cd gone; rmdir ../gone; $svc ${quoted(argv)} > /dev/null; echo "code=$?"`,
  );
  expect(said).toBe('code=0\n');
});

it('a path relative to a deleted folder is not one of the root folder', async () => {
  const before = service.arrived.length;
  const create = '$svc variables create KEY @etc/passwd -p 1';
  const said = await shell(`mkdir gone; cd gone; rmdir ../gone; ${create}; echo "code=$?"`);
  expect(said).toMatch(/no such file(.|\n)*\ncode=[12]\n$/);
  expect(service.arrived.length).toBe(before);
});

it('a folder as standard input is rejected before sending', async () => {
  const create = ['variables', 'create', 'KEY', '-', '-p', '1'];
  const before = service.arrived.length;
  const said = await shell(`$svc ${quoted(create)} < .; echo "code=$?"`);
  expect(said).toMatch(/^error: .*(folder|directory).*\n(code=[12]\n)$/);
  expect(said).not.toMatch(stackTrace);
  expect(service.arrived.length).toBe(before);
});
