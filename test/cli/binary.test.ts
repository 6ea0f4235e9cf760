/** `files create` and `update` send bytes that are not text in base64 automatically. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { bodyOf, refused } from '../interface/service.ts';
import { sharedFolder } from '../support/folders.ts';
import { openWorld } from '../support/sandbox.ts';

const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe, 0x0a]);
const inBase64 = { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
const where = '-p acme/rocket --branch main --commit-message m';

const world = await openWorld();
const cwd = sharedFolder();
beforeAll(async () => {
  await writeFile(join(cwd, 'logo.png'), bytes);
  await writeFile(join(cwd, 'text.txt'), 'é\n');
});

const sent = (requests: readonly Request[]) => bodyOf(requests[0]);

test('sends bytes from a file in base64 and stores them unchanged', async () => {
  const made = await world.run(`files create new/logo.png ${where} --content @logo.png`, { cwd });
  expect([made.code, made.err]).toEqual([0, 'Created file new/logo.png on branch main in acme/rocket\n']);
  expect(sent(made.requests)).toEqual({ branch: 'main', commit_message: 'm', ...inBase64 });
  const { content, encoding } = await world.json('files get new/logo.png -p acme/rocket --ref main');
  expect([encoding, [...Buffer.from(content, 'base64')]]).toEqual(['base64', [...bytes]]);
});

test('sends bytes from standard input and in an update', async () => {
  const line = `files update assets/logo.png ${where} --content -`;
  const { code, requests } = await world.run(line, { stdin: bytes });
  expect(code).toBe(0);
  expect(sent(requests)).toMatchObject(inBase64);
});

test('sends text as text; rejects bytes with --encoding text before sending', async () => {
  const { requests } = await world.run(`files create new/text.txt ${where} --content @text.txt`, { cwd });
  expect(sent(requests)).toEqual({ branch: 'main', commit_message: 'm', content: 'é\n' });
  const line = `files create new/x ${where} --content @logo.png --encoding text`;
  await refused(line, [/not UTF-8 text/], { cwd });
  await refused('variables create KEY @logo.png -p acme/rocket', [], { cwd });
});

test.each([
  [['variables', 'create', 'KEY', 'a\ufffdb', '-p', '1'], 'an argument is not UTF-8 text'],
  [['snippets', 'update', '52', '-p', '1', '--files', '@logo.png'], /is not UTF-8 text/],
])('rejects %j, which is not UTF-8 text', (argv, message) => refused(argv, [message], { cwd }));

test('with --encoding base64, encodes a file whatever it contains, and no other text', async () => {
  await writeFile(join(cwd, 'b64'), 'dGVzdA==');
  for (const [content, stored] of [
    ['@b64', 'dGVzdA=='],
    ['dGVzdA==', 'test'],
  ]) {
    const flags = `${where} --encoding base64 --content ${content}`;
    expect((await world.run(`files create new/${stored} ${flags}`, { cwd })).code).toBe(0);
    expect((await world.run(`files raw new/${stored} -p acme/rocket`)).out).toBe(stored);
  }
});
