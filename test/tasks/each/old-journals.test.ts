/** Old journals of `svc each` in the state folder. */
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { acquireLock } from '../../../src/support/waiting/lock.ts';
import { folderWith } from '../../support/folders.ts';
import { canned, jsonLines, svc } from '../../support/svc.ts';
import { exited } from '../engine/world.ts';

let state: string;
let folder: string;
beforeEach(async () => {
  state = await folderWith();
  folder = join(state, 'svc', 'each');
  await mkdir(folder, { recursive: true });
});

const day = 24 * 60 * 60 * 1000;
const now = Date.parse('2030-06-15T12:00:00Z');
const done = { target: 'a', state: 'done', exit: 0, at: '2030-01-01T00:00:00.000Z' };
const started = { target: 'a', state: 'started', at: '2030-01-01T00:00:00.000Z' };
const linesOf = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const complete = linesOf(started, { ...done, complete: true });
const command = 'notifications update --level watch';
const env = () => ({ SVC_BASE_URL: 'http://host.example', SVC_TOKEN: 'token', XDG_STATE_HOME: state });
const ownName = '20300101T000000Z-0123abcd.ndjson';

async function write(name: string, text: string, age: number): Promise<void> {
  await writeFile(join(folder, name), text);
  const time = (now - age) / 1000;
  await utimes(join(folder, name), time, time);
}

/** Run a command that writes, and return the names in the folder that existed before. */
async function afterRun(stdin = 'acme/rocket\n', fails = false) {
  const before = await readdir(folder);
  const transport = canned(({ url }) => ({ status: fails && url.includes('bad') ? 400 : 200, body: '{}' }));
  const line = `each --projects - -- ${command}`;
  await exited(fails ? 11 : 0, svc(line, { stdin, env: env(), now: () => now, transport }));
  const after = await readdir(folder);
  return {
    left: after.filter((name) => before.includes(name)),
    made: after.filter((name) => !before.includes(name)),
  };
}

test('a completed journal is removed 30 days after its last line', async () => {
  await write(ownName, complete, 30 * day);
  await write('20300102T000000Z-0123abcd.ndjson', complete, 30 * day - 1000);
  expect((await afterRun()).left).toEqual(['20300102T000000Z-0123abcd.ndjson']);
});

test.each([
  ['a target that was started', linesOf(started)],
  ['a target that failed', linesOf(started, { ...done, state: 'failed', exit: 3 })],
  ['targets that were not started', linesOf(started, done)],
  ['targets that were added after it was complete', `${complete}${linesOf({ ...started, target: 'b' })}`],
  ['a line that was cut', complete.slice(0, -1)],
  ['a line that was started and cut after it was complete', `${complete}{"target":"b","sta`],
  ['an invalid line', `${complete}complete\n`],
  ['no line', ''],
])('a journal with %s is kept', async (_, text) => {
  await write(ownName, text, 400 * day);
  expect((await afterRun()).left).toEqual([ownName]);
});

const others = ['notes.txt', 'journal.ndjson', `${ownName}.bak`, `x${ownName}`];
test.each(others)('another file is kept: %s', async (name) => {
  await write(name, complete, 400 * day);
  expect((await afterRun()).left).toEqual([name]);
});

test('a folder, a link, and a journal in use are kept', async () => {
  await mkdir(join(folder, ownName));
  const outside = join(state, 'outside.ndjson');
  await writeFile(outside, complete);
  await utimes(outside, 0, 0);
  await symlink(outside, join(folder, '20300101T000000Z-00000001.ndjson'));
  await write('20300101T000000Z-00000002.ndjson', complete, 400 * day);
  const lock = await acquireLock(join(folder, '20300101T000000Z-00000002.ndjson.lock'));
  const { left } = await afterRun();
  lock.release();
  expect(left.filter((name) => name.endsWith('.ndjson'))).toEqual([
    '20300101T000000Z-00000001.ndjson',
    '20300101T000000Z-00000002.ndjson',
    ownName,
  ]);
  expect(await readFile(outside, 'utf8')).toBe(complete);
});

test('the journal of a run is complete once each target is done, also after a resume', async () => {
  const failed = await afterRun('a/good\na/bad\na/ugly\n', true);
  const [name = ''] = failed.made;
  expect(await readFile(join(folder, name), 'utf8')).not.toContain('complete');
  const transport = canned(() => ({ body: '{}' }));
  const line = `each --resume ${join(folder, name)} --projects - -- ${command}`;
  await exited(0, svc(line, { stdin: 'a/good\na/bad\na/ugly\n', env: env(), transport }));
  const lines = jsonLines(await readFile(join(folder, name), 'utf8'));
  expect(lines.map(({ complete }) => complete === true).indexOf(true)).toBe(lines.length - 1);
  await utimes(join(folder, name), (now - 31 * day) / 1000, (now - 31 * day) / 1000);
  expect((await afterRun()).left).toEqual([]);
});
