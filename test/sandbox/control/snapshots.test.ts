import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Sandbox, SandboxStorage } from '../../../src/sandbox/index.ts';
import { State } from '../../../src/sandbox/store/state.ts';
import { folderWith } from '../../support/folders.ts';
import { until } from '../../support/process.ts';
import { openReceiver } from '../../support/receiver.ts';
import { ask, fileForm, noon, openStored } from '../ask.ts';
import { seededCalls } from '../seeded-calls.ts';
import { json, serveControlled } from './serving.ts';

let dir: string;

beforeEach(async () => {
  dir = join(await folderWith(), 'data');
});

const start = (storage: SandboxStorage = { dir }) => openStored(storage);

const added = encodeURIComponent('日本/語.md');

/** Read everything: status, and a digest of the body, by request. */
async function readAll(sandbox: Sandbox): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  const more = [
    'GET /projects/100/variables/ADDED',
    'GET /projects/100/uploads',
    'GET /projects/100/repository/branches',
    `GET /projects/100/repository/files/${added}/raw?ref=main`,
  ].map((request) => ({ request, how: {} }));
  for (const { request, how } of [...seededCalls('GET', 'HEAD'), ...more]) {
    const { status, text } = await ask(sandbox, request, how);
    all[request] = `${status} ${createHash('sha256').update(text).digest('hex')}`;
  }
  return all;
}

/** Change rows, files and repositories. */
async function change(sandbox: Sandbox): Promise<void> {
  const commit = { branch: 'main', commit_message: 'm', content: '新' };
  await ask(sandbox, `POST /projects/100/repository/files/${added}`, { json: commit });
  await ask(sandbox, 'POST /projects/100/variables', { json: { key: 'ADDED', value: '新' } });
  await ask(sandbox, 'POST /projects/100/uploads', { form: fileForm() });
  for (const { request, how } of seededCalls('DELETE')) await ask(sandbox, request, how);
}

describe.each([
  ['in memory', () => ({ memory: true }) as const],
  ['in a folder', () => ({ dir })],
])('snapshots %s', (_, storage) => {
  test('restore everything that can be read', async () => {
    const sandbox = await start(storage());
    const { snapshots } = sandbox.control;
    const seeded = await readAll(sandbox);
    await snapshots.save('seeded');
    await change(sandbox);
    const changed = await readAll(sandbox);
    await snapshots.save('changed');
    const differing = Object.keys(seeded).filter((request) => seeded[request] !== changed[request]);
    expect(differing.length).toBeGreaterThan(30);
    await snapshots.load('seeded');
    expect(await readAll(sandbox)).toEqual(seeded);
    await snapshots.load('changed');
    expect(await readAll(sandbox)).toEqual(changed);
    await sandbox.control.reset();
    expect(await readAll(sandbox)).toEqual(seeded);
    // A loaded snapshot does not change with the state.
    await change(sandbox);
    await snapshots.load('changed');
    expect(await readAll(sandbox)).toEqual(changed);
  });

  test('continue with the ids of the snapshot', async () => {
    const sandbox = await start(storage());
    const create = async () => (await ask(sandbox, 'POST /projects/100/error_tracking/client_keys')).body.id;
    await sandbox.control.snapshots.save('before');
    const id = await create();
    await sandbox.control.snapshots.load('before');
    expect(await create()).toBe(id);
  });

  test('contain faults and the clock', async () => {
    const sandbox = await start(storage());
    const { snapshots, faults, clock } = sandbox.control;
    await snapshots.save('clean');
    faults.add({ match: '/**', status: 500 });
    clock.advance('8d');
    await snapshots.save('faulty');
    await snapshots.load('clean');
    expect([faults.list(), clock.show().offset]).toEqual([[], 0]);
    await snapshots.load('faulty');
    expect([faults.list().length, clock.show().offset]).toEqual([1, 8 * 86_400_000]);
  });

  test('are saved while requests run, and contain each request completely or not at all', async () => {
    const sandbox = await start(storage());
    const { snapshots } = sandbox.control;
    let stopped = false;
    const write = async (worker: number) => {
      for (let index = 0; !stopped; index++) {
        const commit = { branch: 'main', commit_message: `${worker} ${index}`, content: 'x' };
        const path = `w${worker}-${index}.txt`;
        const made = await ask(sandbox, `POST /projects/100/repository/files/${path}`, { json: commit });
        expect(made.status).toBe(201);
      }
    };
    const writers = [write(0), write(1)];
    for (const name of ['a', 'b', 'c']) await snapshots.save(name);
    await snapshots.load('b');
    stopped = true;
    await Promise.all(writers);
    for (const name of ['a', 'b', 'c']) {
      await snapshots.load(name);
      const branch = await ask(sandbox, 'GET /projects/100/repository/branches/main');
      expect(branch.status).toBe(200);
      const readme = await ask(sandbox, 'GET /projects/100/repository/files/README.md?ref=main');
      expect(readme.body.commit_id).toBe(branch.body.commit.id);
    }
  });
});

test('a snapshot that is loaded during deliveries contains none of them', async () => {
  let respond = () => {};
  const released = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const receiver = await openReceiver(async () => {
    await released;
    return { status: 500 };
  });
  const sandbox = await start({ memory: true });
  const json = { url: receiver.url, push_events: true };
  const { id } = (await ask(sandbox, 'POST /groups/10/hooks', { json })).body;
  await sandbox.control.snapshots.save('before');
  for (const branch of ['one', 'two'])
    await ask(sandbox, 'POST /projects/100/repository/branches', { json: { branch, ref: 'main' } });
  await until('the first delivery', () => receiver.calls.length === 1);
  await sandbox.control.snapshots.load('before');
  respond();
  await sandbox.close();
  expect(receiver.calls).toHaveLength(1);
  expect((await ask(sandbox, `GET /groups/10/hooks/${id}/events`)).body).toEqual([]);
});

describe('snapshots in a folder', () => {
  test('survive a restart, and so does a loaded state', async () => {
    const first = await start();
    await first.control.snapshots.save('one');
    await change(first);
    const changed = await readAll(first);
    await first.control.snapshots.save('two');
    await first.control.snapshots.load('one');
    await first.close();
    const second = await start();
    const seeded = await readAll(second);
    expect(seeded).not.toEqual(changed);
    await second.control.snapshots.load('two');
    await second.close();
    const third = await start();
    expect(await readAll(third)).toEqual(changed);
    expect((await third.control.snapshots.list()).map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await readdir(dir)).sort()).toEqual(['lock', 'snapshots', 'state.jsonl']);
  });

  test('are replaced by a save with the same name', async () => {
    const sandbox = await start();
    const { snapshots } = sandbox.control;
    await snapshots.save('same');
    await ask(sandbox, 'POST /projects/100/variables', { json: { key: 'ADDED', value: 'v' } });
    // A killed process left a draft.
    await writeFile(join(dir, 'snapshots', 'same.jsonl.new'), 'half');
    await snapshots.save('same');
    expect(await readdir(join(dir, 'snapshots'))).toEqual(['same.jsonl']);
    await sandbox.control.reset();
    await snapshots.load('same');
    expect((await ask(sandbox, 'GET /projects/100/variables/ADDED')).status).toBe(200);
  });

  test('have a name that is a text', async () => {
    const { save, list } = (await start()).control.snapshots;
    for (const name of ['a/b', '', undefined, null])
      await expect(save(name as string)).rejects.toMatchObject({ kind: 'usage' });
    expect(await list()).toEqual([]);
  });

  test('are not loaded if they are damaged', async () => {
    const sandbox = await start();
    await sandbox.control.snapshots.save('broken');
    await ask(sandbox, 'POST /projects/100/variables', { json: { key: 'ADDED', value: 'v' } });
    const path = join(dir, 'snapshots', 'broken.jsonl');
    const bytes = await readFile(path);
    bytes[Math.floor(bytes.length / 2)] = 0;
    await writeFile(path, bytes);
    await expect(sandbox.control.snapshots.load('broken')).rejects.toThrow('the snapshot broken is damaged');
    expect((await ask(sandbox, 'GET /projects/100/variables/ADDED')).status).toBe(200);
  });
});

describe('over HTTP', () => {
  test('snapshots are saved, listed, loaded and deleted', async () => {
    const { control, api } = await serveControlled();
    const one = { name: 'one', created_at: new Date(noon).toISOString() };
    const saved = await control('PUT /snapshots/one');
    expect([saved.status, await saved.json()]).toEqual([200, one]);
    expect(await json(control('GET /snapshots'))).toEqual([one]);
    expect(await json(control('GET /snapshots/one'))).toEqual(one);
    await api('POST /projects/100/variables', { key: 'ADDED', value: 'v' });
    expect((await control('POST /snapshots/one/load')).status).toBe(204);
    expect((await api('GET /projects/100/variables/ADDED')).status).toBe(404);
    expect((await control('DELETE /snapshots/one')).status).toBe(204);
    expect(await json(control('GET /snapshots'))).toEqual([]);
    for (const call of ['GET /snapshots/one', 'POST /snapshots/one/load', 'DELETE /snapshots/one']) {
      const absent = await control(call);
      expect(absent.status).toBe(404);
      expect(await absent.json()).toEqual({ error: 'no snapshot has the name one; there are none' });
    }
  });

  test('a change of faults waits until a snapshot is saved, as requests do', async () => {
    const { control, api } = await serveControlled();
    let save = () => {};
    const released = new Promise<void>((resolve) => {
      save = resolve;
    });
    const saving = vi.spyOn(State.prototype, 'saveSnapshot').mockImplementationOnce(() => released);
    const saved = control('PUT /snapshots/one');
    await until('the save', () => saving.mock.calls.length === 1);
    const added = control('POST /faults', { match: 'GET /none', status: 500 });
    const created = api('POST /projects/100/variables', { key: 'ADDED', value: 'v' });
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect(await json(control('GET /faults'))).toEqual([]);
    save();
    await saved;
    expect([(await added).status, (await created).status]).toEqual([201, 201]);
    expect(await json(control('GET /faults'))).toHaveLength(1);
  });

  test.each(['..', 'a%2Fb', 'a~1', `${'x'.repeat(65)}`, '%20'])('the name %s is rejected', async (name) => {
    const { control } = await serveControlled();
    expect((await control(`PUT /snapshots/${name}`)).status).toBeGreaterThanOrEqual(400);
    expect(await json(control('GET /snapshots'))).toEqual([]);
  });

  test('reset starts again with the seed data, and keeps snapshots', async () => {
    const { control, api, sandbox } = await serveControlled();
    const token = sandbox.addToken('mia');
    await control('PUT /snapshots/kept');
    await api('POST /projects/100/variables', { key: 'ADDED', value: 'v' });
    await control('POST /faults', { match: '/**', status: 500 });
    await control('PUT /clock', { advance: '8d' });
    expect((await control('POST /reset')).status).toBe(204);
    expect((await api('GET /projects/100/variables/ADDED')).status).toBe(404);
    expect((await json(control('GET /clock'))).offset).toBe(0);
    expect((await json(control('GET /requests'))).length).toBe(1);
    expect((await json(api('GET /user', undefined, token))).username).toBe('mia');
    expect((await json(control('GET /snapshots'))).length).toBe(1);
  });
});
