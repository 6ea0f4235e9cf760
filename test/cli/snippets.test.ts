/** `snippets create` and `update` from files on disk. */
import { expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { bodyOf, folderWith, planned, refused } from '../interface/service.ts';
import { openWorld } from '../support/sandbox.ts';

const world = await openWorld();

const sent = (requests: readonly Request[]) => bodyOf(requests.at(-1)) as { files: Record<string, string>[] };

test('creates a file of the snippet from each file on disk, byte for byte', async () => {
  const cwd = await folderWith({ 'a.sh': 'echo "é, a=1"\n', 'b.py': '@x\n' });
  const line = 'snippets create -p acme/rocket --title T --from-file a.sh --from-file ./b.py --json';
  const made = await world.run(line, { cwd });
  expect(made.code).toBe(0);
  expect(sent(made.requests)).toEqual({
    title: 'T',
    files: [
      { file_path: 'a.sh', content: 'echo "é, a=1"\n' },
      { file_path: 'b.py', content: '@x\n' },
    ],
  });
  const { id } = JSON.parse(made.out);
  expect((await world.run(`snippets raw-file ${id} main b.py -p acme/rocket`)).out).toBe('@x\n');
});

test('combines --file and --from-file', async () => {
  const cwd = await folderWith({ 'a.sh': 'a' });
  const line =
    'snippets create -p acme/rocket --title T --file file_path=lib/x.md,content=hi --from-file a.sh';
  const { requests } = await world.run(line, { cwd });
  expect(sent(requests).files.map((file) => file['file_path'])).toEqual(['lib/x.md', 'a.sh']);
});

test('updates existing files and creates the others', async () => {
  const cwd = await folderWith({ 'main.py': 'print(7)\n', 'new.py': 'print(8)\n' });
  const line = 'snippets update 52 -p acme/rocket --from-file main.py --from-file new.py';
  const { code, requests } = await world.run(line, { cwd });
  expect(code).toBe(0);
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'PUT']);
  expect(sent(requests)).toEqual({
    files: [
      { action: 'update', file_path: 'main.py', content: 'print(7)\n' },
      { action: 'create', file_path: 'new.py', content: 'print(8)\n' },
    ],
  });
  expect((await world.run('snippets raw-file 52 main new.py -p acme/rocket')).out).toBe('print(8)\n');
});

test('sends nothing in a dry run of an update', async () => {
  const cwd = await folderWith({ 'main.py': 'x' });
  const { body } = await planned('snippets update 52 -p acme/rocket --from-file main.py', { cwd });
  expect(body.files[0].action).toBe('update');
});

test.each([
  ['--from-file missing.txt', /no such file/],
  ['--from-file bytes.bin', /not UTF-8/],
  ['--from-file empty.txt', /is empty/],
  ['--from-file -', /requires a path/],
  ['--from-file a.sh --from-file ./a.sh', /two files have the name a\.sh/],
  ['', /--from-file/],
])('rejects create %s before sending', async (flags, says) => {
  const bytes = Uint8Array.from([0xff, 0xfe, 0]);
  const cwd = await folderWith({ 'bytes.bin': bytes, 'empty.txt': '', 'a.sh': 'a' });
  await refused(`snippets create -p acme/rocket --title T ${flags}`, [says], { cwd });
});
