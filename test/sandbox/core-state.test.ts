import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { processNamespace } from '../../src/support/process.ts';
import { folderWith } from '../support/folders.ts';
import { ask, noon, openStored, openTestSandbox } from './ask.ts';

let dir: string;

beforeEach(async () => {
  dir = join(await folderWith(), 'data');
});

const start = (options?: SandboxOptions) => openStored({ dir }, options);
const create = (key: string) => ({ json: { key, value: 'v' } });

describe('state in a folder', () => {
  test('is saved before the response, readable by the owner only', async () => {
    const sandbox = await start();
    await ask(sandbox, 'POST /projects/100/variables', create('SAVED'));
    const path = join(dir, 'state.jsonl');
    expect(await readFile(path, 'utf8')).toContain('"SAVED"');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect((await readdir(dir)).sort()).toEqual(['lock', 'state.jsonl']);
    await sandbox.close();
    expect(await readdir(dir)).not.toContain('lock');
  });

  test('returns files by generated name only', async () => {
    const first = await start();
    const name = await first.world.files.put(Buffer.alloc(10_000, 'PNG'));
    first.world.table('uploads').insert({ project_id: 100, content: { file: name } });
    await first.close();
    const { files } = (await start()).world;
    expect(await files.get(name)).toEqual(Buffer.alloc(10_000, 'PNG'));
    for (const other of ['../state.jsonl', 'state.jsonl', '']) expect(await files.get(other)).toBeUndefined();
  });

  test('fails if the folder is a file', async () => {
    await writeFile(dir, '');
    await expect(start()).rejects.toMatchObject({ kind: 'internal' });
  });
});

describe('a sandbox whose folder is in use', () => {
  test('waits for the other sandbox', async () => {
    const first = await start();
    const waiting = start();
    await ask(first, 'POST /projects/100/variables', create('FIRST'));
    await first.close();
    const second = await waiting;
    await ask(second, 'POST /projects/100/variables', create('SECOND'));
    await second.close();
    const third = await start();
    for (const key of ['FIRST', 'SECOND']) {
      expect((await ask(third, `GET /projects/100/variables/${key}`)).status).toBe(200);
    }
  });

  test('fails after the timeout and names the other process', async () => {
    await start();
    const failure = await start({ lockTimeout: 100 }).catch((error) => error);
    expect(failure.kind).toBe('usage');
    expect(failure.message).toContain(String(process.pid));
  });

  test('takes over the lock of a dead process', async () => {
    await mkdir(dir, { recursive: true });
    // Larger than any process id.
    await writeFile(join(dir, 'lock'), `99999999 deleted ${processNamespace()}`);
    const sandbox = await start({ lockTimeout: 1000 });
    expect((await ask(sandbox, 'POST /projects/100/variables', create('ON'))).status).toBe(201);
  });

  test('does not overwrite the state after losing its lock', async () => {
    const first = await openSandbox({ dir }, { now: () => noon });
    await rm(join(dir, 'lock'));
    await writeFile(join(dir, 'lock'), `${process.pid} another\n`);
    const before = await readFile(join(dir, 'state.jsonl'), 'utf8');
    const request = new Request('http://localhost/api/v4/license/1', {
      method: 'DELETE',
      headers: { 'private-token': 'sandbox-admin' },
    });
    expect((await first.handle(request)).status).toBe(500);
    expect(first.errors).toHaveLength(1);
    expect(await readFile(join(dir, 'state.jsonl'), 'utf8')).toBe(before);
    await first.close().catch(() => undefined);
  });
});

describe('concurrent requests', () => {
  test('create a variable once, and delete one once', async () => {
    const { ask: call } = await openTestSandbox();
    const created = Array.from({ length: 20 }, (_, index) =>
      call(`POST /projects/${index % 2 ? '100' : 'acme%2FRocket'}/variables`, create('ONE')),
    );
    const codes = (await Promise.all(created)).map(({ status }) => status).sort();
    expect(codes).toEqual([201, ...Array(19).fill(400)]);
    const deleted = Array.from({ length: 10 }, () => call('DELETE /projects/100/variables/KUBECONFIG'));
    const others = (await Promise.all(deleted)).map(({ status }) => status).sort();
    expect(others).toEqual([204, ...Array(9).fill(404)]);
  });
});

test('an unexpected error returns 500 and is added to errors', async () => {
  const { sandbox } = await openTestSandbox();
  vi.spyOn(sandbox.world.table('jobs'), 'where').mockImplementation(() => {
    throw new Error('broken');
  });
  const headers = { 'private-token': 'sandbox-admin' };
  const request = new Request('http://localhost/api/v4/projects/100/jobs', { headers });
  const response = await sandbox.handle(request);
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ message: '500 Internal Server Error' });
  expect(sandbox.errors).toEqual([new Error('broken')]);
});
