import { appendFile, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deleteState, type Sandbox } from '../../src/sandbox/index.ts';
import { folderWith } from '../support/folders.ts';
import { openReceiver } from '../support/receiver.ts';
import { ask, fileForm, openStored } from './ask.ts';

let dir: string;
let damage: string[];

beforeEach(async () => {
  dir = await folderWith();
  damage = [];
});
afterEach(() => void vi.restoreAllMocks());

const path = () => join(dir, 'state.jsonl');

const start = () => openStored({ dir }, { onDamage: (text) => void damage.push(text) });
const set = (sandbox: Sandbox, key: string, value = 'v') =>
  ask(sandbox, 'POST /projects/100/variables', { json: { key, value } });
const has = async (sandbox: Sandbox, key: string) =>
  (await ask(sandbox, `GET /projects/100/variables/${key}`)).status === 200;

/** Watch the calls that flush files to the disk. */
async function flushes() {
  const probe = await open(path(), 'r');
  await probe.close();
  return vi.spyOn(Object.getPrototypeOf(probe), 'datasync');
}

/** Write a state whose last three lines are the variables A, B and C. */
async function saved(): Promise<string[]> {
  const sandbox = await start();
  for (const key of ['A', 'B', 'C']) expect((await set(sandbox, key)).status).toBe(201);
  await sandbox.close();
  return (await readFile(path(), 'utf8')).split('\n');
}

describe('a write', () => {
  test('appends its changes, regardless of the size of the state', async () => {
    const sandbox = await start();
    const grown = async (key: string) => {
      const { size } = await stat(path());
      expect((await set(sandbox, key)).status).toBe(201);
      return (await stat(path())).size - size;
    };
    const small = await grown('K1');
    for (let number = 0; number < 2000; number++) {
      sandbox.world.table('variables').insert({ project_id: 100, key: `N${number}`, value: 'v' });
    }
    await sandbox.save();
    expect(await grown('K2')).toBeLessThan(small * 1.5);
  });

  test('is flushed to the disk before the response', async () => {
    const sandbox = await start();
    const flush = await flushes();
    await set(sandbox, 'FLUSHED');
    expect(flush).toHaveBeenCalledTimes(1);
    const json = { content: 'x'.repeat(10_000), branch: 'main', commit_message: 'm' };
    await ask(sandbox, 'POST /projects/100/uploads', { form: fileForm(json.content) });
    // The file and the row.
    expect(flush).toHaveBeenCalledTimes(3);
    await ask(sandbox, 'POST /projects/100/repository/files/new.txt', { json });
    expect(flush).toHaveBeenCalledTimes(4);
  });

  test('is retried by the next one after a failure', async () => {
    const sandbox = await start();
    const flush = await flushes();
    flush.mockRejectedValueOnce(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    const request = new Request('http://localhost/api/v4/projects/100/variables', {
      method: 'POST',
      headers: { 'private-token': 'sandbox-admin', 'content-type': 'application/json' },
      body: '{"key":"FIRST","value":"v"}',
    });
    expect((await sandbox.handle(request)).status).toBe(500);
    sandbox.errors.length = 0;
    expect((await set(sandbox, 'SECOND')).status).toBe(201);
    await sandbox.close();
    const next = await start();
    expect([await has(next, 'FIRST'), await has(next, 'SECOND'), damage]).toEqual([true, true, []]);
  });

  test('is saved without another request if a delivery causes it', async () => {
    const receiver = await openReceiver();
    const sandbox = await start();
    await ask(sandbox, 'POST /groups/10/hooks', { json: { url: receiver.url, push_events: true } });
    const json = { branch: 'develop', commit_message: 'Write', content: 'x' };
    await ask(sandbox, 'POST /projects/100/repository/files/saved.txt', { json });
    // The webhook and the event in its log.
    const saved = async () => (await readFile(path(), 'utf8')).split(receiver.url).length - 1;
    await expect.poll(saved).toBe(2);
  });

  test('records a deleted row, whose id is not reused', async () => {
    const first = await start();
    const row = first.world.table('variables').insert({ project_id: 100, key: 'GONE', value: 'v' });
    await first.save();
    first.world.table('variables').remove(row);
    await first.close();
    const second = await start();
    expect(await has(second, 'GONE')).toBe(false);
    expect(second.world.table('variables').insert({ project_id: 100, key: 'NEXT' }).id).toBe(row.id + 1);
  });
});

describe('the file', () => {
  test('is rewritten when most of it is outdated, and stays complete', async () => {
    const sandbox = await start();
    const { size } = await stat(path());
    for (let number = 0; number < 40; number++) {
      await ask(sandbox, 'PUT /projects/100/variables/LOG_LEVEL', { json: { value: 'x'.repeat(100_000) } });
    }
    await set(sandbox, 'LAST');
    expect((await stat(path())).size).toBeLessThan(2 * (size + 200_000) + 1024 * 1024 + 200_000);
    await sandbox.close();
    const next = await start();
    expect([await has(next, 'LAST'), damage]).toEqual([true, []]);
    expect((await readdir(dir)).sort()).toEqual(['lock', 'state.jsonl']);
  });

  test('is read without a last line that was cut off, which is reported', async () => {
    const lines = await saved();
    await writeFile(path(), lines.slice(0, -2).join('\n'));
    await appendFile(path(), `\n${(lines.at(-2) as string).slice(0, 40)}`);
    const sandbox = await start();
    expect([await has(sandbox, 'B'), await has(sandbox, 'C'), damage.length]).toEqual([true, false, 1]);
    await set(sandbox, 'D');
    await sandbox.close();
    const next = await start();
    expect([await has(next, 'B'), await has(next, 'D'), damage.length]).toEqual([true, true, 1]);
  });

  test.each([
    ['a changed byte', (line: string) => line.replace('"v"', '"w"')],
    ['binary data', () => '\0\0\0'],
    ['an empty line', () => ''],
  ])('is copied and reported if it has a line of %s; the rest is read', async (_, spoil) => {
    const lines = await saved();
    const spoiled = lines.with(-3, spoil(lines.at(-3) as string)).join('\n');
    await writeFile(path(), spoiled);
    const sandbox = await start();
    expect(damage).toEqual([
      `1 of ${lines.length - 1} lines of the state were damaged; a copy is ${path()}.damaged-1`,
    ]);
    expect(await readFile(`${path()}.damaged-1`, 'utf8')).toBe(spoiled);
    expect(await Promise.all(['A', 'B', 'C'].map((key) => has(sandbox, key)))).toEqual([true, false, true]);
    await sandbox.close();
    const next = await start();
    expect([damage.length, await has(next, 'C')]).toEqual([1, true]);
  });

  test('is reported if its last line feed was changed; the line is read', async () => {
    const lines = await saved();
    await writeFile(path(), `${lines.slice(0, -1).join('\n')}x`);
    expect(await has(await start(), 'C')).toBe(true);
    expect(damage).toHaveLength(1);
  });

  test.each(['', '\n', 'garbage'])(
    'is copied and replaced by a new state if its content is %j',
    async (content) => {
      await writeFile(path(), content);
      const sandbox = await start();
      expect(damage).toHaveLength(1);
      expect(await readFile(`${path()}.damaged-1`, 'utf8')).toBe(content);
      expect(await has(sandbox, 'KUBECONFIG')).toBe(true);
    },
  );

  test('is rejected and left unchanged if a newer version wrote it', async () => {
    const { crc32 } = await import('node:zlib');
    const payload = '{"version":4}';
    const content = `["${crc32(payload).toString(16).padStart(8, '0')}",${payload}]\n`;
    await writeFile(path(), content);
    const reset = `or delete the state: svc sandbox reset --data ${dir}`;
    await expect(start()).rejects.toMatchObject({ kind: 'internal', hints: ['use that version', reset] });
    expect(await readFile(path(), 'utf8')).toBe(content);
    expect(await readdir(dir)).not.toContain('lock');
  });
});

describe('files', () => {
  const large = Buffer.alloc(10_000, 'PNG');

  test('to which no row refers are deleted when the sandbox stops', async () => {
    const sandbox = await start();
    const { world } = sandbox;
    const content = { file: await world.files.put(large) };
    world.table('uploads').insert({ project_id: 100, content });
    await world.files.put(large);
    await sandbox.close();
    expect(await readdir(join(dir, 'files'))).toEqual([content.file]);
  });

  test('are kept while a snapshot refers to them', async () => {
    const sandbox = await start();
    const { world, control } = sandbox;
    const name = await world.files.put(large);
    const row = world.table('uploads').insert({ project_id: 100, content: { file: name } });
    await control.snapshots.save('with');
    world.table('uploads').remove(row);
    await sandbox.save();
    expect(await readdir(join(dir, 'files'))).toEqual([name]);
    await control.snapshots.load('with');
    expect(await world.files.get(name)).toEqual(large);
    await control.reset();
    expect(await readdir(join(dir, 'files'))).toEqual([name]);
    await control.snapshots.delete('with');
    expect(await readdir(join(dir, 'files'))).toEqual([]);
  });

  test('are kept by a reset while a snapshot or the copy of a damaged state refers to them', async () => {
    const first = await start();
    const name = await first.world.files.put(large);
    first.world.table('uploads').insert({ project_id: 100, content: { file: name } });
    await first.control.snapshots.save('with');
    await first.close();
    await deleteState(dir, 0);
    const second = await start();
    await second.control.snapshots.load('with');
    expect(await second.world.files.get(name)).toEqual(large);
    await second.control.snapshots.delete('with');
    await second.close();
    await writeFile(path(), (await readFile(path(), 'utf8')).replace(name, `${name}x`));
    await (await start()).close();
    expect(await readdir(join(dir, 'files'))).toEqual([name]);
    await deleteState(dir, 0);
    expect(await readdir(dir)).toEqual([]);
  });

  test('of a killed process are deleted with the next snapshot', async () => {
    const { world, control } = await start();
    const name = await world.files.put(large);
    await writeFile(join(dir, 'files', `${name}.new`), 'half');
    await control.snapshots.save('one');
    expect(await readdir(join(dir, 'files'))).toEqual([]);
  });
});
