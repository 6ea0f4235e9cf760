/** `svc each … -- variables exec`: another program for each target. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import { sharedFolder } from '../../support/folders.ts';
import { until } from '../../support/process.ts';
import { canned, jsonLines, type Setting, svc, words } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';

const folder = sharedFolder();
let number = 0;

const secret = 'a-secret-value';
/** Every project has the variable NAME, with its id, and a secret. */
const transport = canned(({ url }) => {
  const [, project = ''] = /projects\/([^/]+)/.exec(url) ?? [];
  if (project === 'none') return { status: 404, body: '{"message":"404 Project Not Found"}' };
  if (!url.includes('/variables')) return { body: '{}' };
  const more = { variable_type: 'env_var', environment_scope: '*', hidden: false };
  const name = { key: 'NAME', value: decodeURIComponent(project), ...more };
  return { body: JSON.stringify([name, { key: 'SECRET', value: secret, ...more }]) };
});
const journalPath = () => {
  number += 1;
  return join(folder, `${number}.ndjson`);
};
const env = { SVC_BASE_URL: 'http://host.example', SVC_TOKEN: 'token', PATH: process.env['PATH'] ?? '' };
const each = (flags: string, script: string, setting: Setting = {}) =>
  svc([...words(`each --projects - ${flags} -- variables exec -- sh -c`), script], {
    ...{ transport, env, cwd: folder, stdin: 'a/b\nc/d\n' },
    ...setting,
  });

test('separates the output of the targets, and prefixes standard error', async () => {
  // The second target ends first.
  const script = 'test $NAME = c/d || sleep 0.2; echo out $NAME; echo err $NAME >&2; echo more >&2';
  const ran = await exited(0, each(`--journal ${journalPath()}`, script));
  expect(ran.out).toBe('==> a/b <==\nout a/b\n==> c/d <==\nout c/d\n');
  expect(ran.err).toBe('a/b: err a/b\na/b: more\nc/d: err c/d\nc/d: more\n2 done.\n');
});

test('gives each target the exit code of its program', async () => {
  const script = 'echo x; test $NAME = a/b || exit 2';
  const flags = `-o ndjson --journal ${journalPath()}`;
  const ran = await exited(11, each(flags, script, { stdin: 'a/b\nc/d\nnone\n' }));
  const lines = jsonLines(ran.out);
  expect(lines.slice(0, 2)).toEqual([
    { target: 'a/b', exit: 0, data: 'x\n' },
    { target: 'c/d', exit: 2, data: 'x\n' },
  ]);
  expect(lines[2]).toMatchObject({ target: 'none', exit: 5, error: { kind: 'not_found' } });
  expect(ran.err).toMatch(/^1 done, 1 not found, 1 with exit code 2\. Resume with: /m);
  await exited(3, each(`--journal ${journalPath()}`, 'exit 3'));
});

test('a program reads no input, cannot be mistaken for a flag, and gets text that is filled in unchanged', async () => {
  const line = `each --rows - --journal ${journalPath()} -o ndjson -- variables exec --project {project} --`;
  const argv = [...words(line), ...words(`sh -c 'cat; echo "$1 $2"' sh {text} -o`)];
  const rows = [
    { project: 'a/b', text: '-' },
    { project: 'c/d', text: '@x,$(y)' },
  ];
  const stdin = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const ran = await exited(0, svc(argv, { transport, env, cwd: folder, stdin }));
  expect(jsonLines(ran.out).map((line) => line.data)).toEqual(['- -o\n', '@x,$(y) -o\n']);
});

test('is not repeated after an interruption unless --retry-unknown is given', async () => {
  const journal = journalPath();
  const runs = join(folder, 'runs');
  const ending = new AbortController();
  const script = 'echo run >> runs; sleep 30';
  const setting = { stdin: 'a/b\n' };
  const running = each(`-o ndjson --journal ${journal}`, script, { ...setting, signal: ending.signal });
  await until('the program', async () => (await readFile(runs, 'utf8').catch(() => '')) !== '');
  ending.abort(new Failure('interrupted', 'interrupted'));
  const first = await exited(130, running);
  expect(first.err).toContain('0 done, 1 interrupted (a/b). Resume with: ');
  const again = await exited(11, each(`-o ndjson --resume ${journal}`, script, setting));
  expect(JSON.parse(again.out.split('\n')[0] as string).error.kind).toBe('unknown');
  expect(await readFile(runs, 'utf8')).toBe('run\n');
});

test('keeps large output in a file without a name, so that nothing remains after SIGKILL', async () => {
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const script = 'yes "$SECRET" | head -c 3000000; touch printed; until [ -e seen ]; do sleep 0.05; done';
  const running = each(`-o ndjson --journal ${journalPath()}`, script);
  await until('the output', async () => existsSync(join(folder, 'printed')));
  expect(await readdir(temporary)).toEqual([]);
  if (existsSync('/proc/self/fd')) {
    const open = (await readdir('/proc/self/fd')).map((fd) => `/proc/self/fd/${fd}`);
    const links = await Promise.all(
      open.map(async (fd) => [fd, await readlink(fd).catch(() => '')] as const),
    );
    const own = links.filter(([, file]) => file.startsWith(temporary));
    const modes = await Promise.all(own.map(async ([fd]) => (await stat(fd)).mode & 0o777));
    expect(modes.length).toBeGreaterThan(0);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  }
  await writeFile(join(folder, 'seen'), '');
  const ran = await exited(0, running);
  expect(ran.out.split('\n').map((line) => line.length > 3_000_000)).toEqual([true, true, false]);
  expect(await readdir(temporary)).toEqual([]);
});
