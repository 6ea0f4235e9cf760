/** `svc files edit` against the sandbox: an editor is a script. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { folderWith } from '../support/folders.ts';
import {
  exited,
  intercepted,
  isWrite,
  type StateWorld,
  stateWorldPerTest,
  withStatus,
  wroteNothing,
} from './engine/world.ts';

const world = stateWorldPerTest();
let folder: string;
beforeEach(async () => {
  folder = await folderWith();
});

/** An editor that runs these shell commands with the path as `$1`. */
async function editor(commands: string): Promise<string> {
  const path = join(folder, 'editor.sh');
  await writeFile(path, `echo "$1" > ${folder}/path\n${commands}\n`);
  return `sh ${path}`;
}

const edit = async (commands: string, more: Parameters<StateWorld['run']>[1] = {}, flags = '') =>
  world.run(`files edit README.md -p acme/rocket ${flags}`, {
    cwd: folder,
    ...more,
    env: { PATH: process.env['PATH'] ?? '', EDITOR: await editor(commands), ...more.env },
  });
const editedPath = async () => (await readFile(join(folder, 'path'), 'utf8')).trim();
const content = async () => (await world.run('files raw README.md -p acme/rocket')).out;

test('commits the edited content, and leaves nothing behind', async () => {
  const ran = await exited(0, edit('echo more >> "$1"', {}, '-m "Add more"'));
  expect(ran.err).toContain('Updated file README.md on branch main');
  expect(await content()).toMatch(/\nmore\n$/);
  expect(existsSync(await editedPath())).toBe(false);
});

test('sends nothing if nothing was changed', async () => {
  const ran = await wroteNothing(0, edit('true'));
  expect(ran.err).toContain('No changes');
});

test('does not open the editor in read-only mode', async () => {
  await exited(2, edit('echo lost >> "$1"', { env: { SVC_READ_ONLY: '1' } }));
  expect(existsSync(join(folder, 'path'))).toBe(false);
});

test('sends nothing if the editor fails, and keeps the text', async () => {
  await wroteNothing(1, edit('echo kept > "$1"; exit 3'));
  expect(await readFile(await editedPath(), 'utf8')).toBe('kept\n');
});

test('keeps nothing if the editor fails without a change, or empties or removes the file', async () => {
  for (const script of ['exit 3', ': > "$1"', 'rm "$1"']) {
    const ran = await wroteNothing(1, edit(script));
    expect(ran.err).toContain('; nothing was changed\n');
    expect(ran.err).not.toContain('your version');
    expect(existsSync(await editedPath())).toBe(false);
  }
});

test('keeps a file that a killed editor left to recover from', async () => {
  const ran = await exited(1, edit('echo text > "$1.swp"; exit 129'));
  const path = await editedPath();
  expect(ran.err).toContain(`hint: your version: ${path}`);
  expect(await readFile(`${path}.swp`, 'utf8')).toBe('text\n');
});

test.each([
  ['names the kept text', 'echo kept > "$1"; '],
  // The editor may save later.
  ['keeps the folder of an open editor', ''],
])('%s if it is interrupted', async (_, save) => {
  const before = await content();
  const ending = new AbortController();
  const interrupt = `${folder}/interrupt`;
  const waiting = setInterval(() => {
    if (existsSync(interrupt)) ending.abort(new Failure('interrupted', 'interrupted'));
  }, 20);
  const ran = await wroteNothing(130, edit(`${save}touch ${interrupt}; sleep 15`, { signal: ending.signal }));
  clearInterval(waiting);
  const path = await editedPath();
  expect(ran.err).toContain(`hint: your version: ${path}`);
  expect(await readFile(path, 'utf8')).toBe(save ? 'kept\n' : before);
});

test('requires an editor without a terminal', async () => {
  const ran = await exited(2, world.run('files edit README.md -p acme/rocket', { cwd: folder }));
  expect(ran.err).toBe(
    'error: no editor is set, and the default one requires a terminal\nhint: set VISUAL or EDITOR\n',
  );
});

test('keeps bytes that are not text', async () => {
  await exited(0, edit('printf \'\\377\\000\\r\\n\' > "$1"'));
  const { sandbox: _, ...rest } = world;
  const ran = await rest.run('files get README.md -p acme/rocket --ref main --json');
  expect(JSON.parse(ran.out).content).toBe(Buffer.from([0xff, 0, 13, 10]).toString('base64'));
});

test('a change by another person is not overwritten, and both versions are kept', async () => {
  let other: Promise<unknown> | undefined;
  const transport = intercepted(world, (request, send) => {
    if (!isWrite(request)) return undefined;
    other ??= world.run('files update README.md -p acme/rocket --branch main -m other --content theirs');
    return other.then(send);
  });
  const ran = await exited(6, edit('echo mine > "$1"', { transport }));
  expect(ran.err).toContain('error: README.md was changed on main while you edited it');
  const path = await editedPath();
  expect(await readFile(path, 'utf8')).toBe('mine\n');
  expect(await readFile(`${path}.theirs`, 'utf8')).toBe('theirs');
  expect(await content()).toBe('theirs');
});

test('any other failure keeps the edited version', async () => {
  const transport = intercepted(world, withStatus(isWrite, 500));
  const ran = await exited(8, edit('echo mine > "$1"', { transport }, '--retries 0'));
  expect(ran.err).toContain('main already contains your version');
  expect(ran.err).toContain(`your version is kept in ${await editedPath()}`);
});

test('a file that does not exist is not found', async () => {
  await exited(5, world.run('files edit nope.md -p acme/rocket', { env: { EDITOR: 'true' } }));
});

test('the editor gets a file with the name in the repository, valid on every system', async () => {
  for (const [path, name] of [
    ['docs/.rules.yml', '.rules.yml'],
    ['notes/a:b?.md', 'a_b_.md'],
  ]) {
    const created = `files create ${JSON.stringify(path)} -p acme/rocket --branch main -m x --content x`;
    await exited(0, world.run(created));
    const env = { PATH: process.env['PATH'] ?? '', EDITOR: await editor('true') };
    await exited(0, world.run(['files', 'edit', path ?? '', '-p', 'acme/rocket'], { cwd: folder, env }));
    expect((await editedPath()).split('/').at(-1)).toBe(name);
  }
});
