/** `svc each report`: journals of several runs as one summary. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../support/folders.ts';
import { openWorld } from '../../support/sandbox.ts';
import { exited } from '../engine/world.ts';

const world = await openWorld();

const at = (second: number) => new Date(second * 1000).toISOString();
const line = (target: string, state: string, more: object = {}, second = 1) =>
  `${JSON.stringify({ target, state, at: at(second), ...more })}\n`;
let salt = 0;
const run = (total: number, name?: string) =>
  `${JSON.stringify({ command: `${++salt}.digest`, name, server: 'http://host', files: {}, total, at: at(0) })}\n`;
const error = (message: string) => ({ error: { kind: 'rejected', message } });

const done = (target: string, second?: number) => line(target, 'done', { exit: 0 }, second);
const failed = (target: string, more: object = {}) => line(target, 'failed', { exit: 6, ...more });

const copied = run(2) + done('x');

/** The numbers are done, failed, unknown, not started, exit code. */
const cases: [string, Record<string, string>, string, number[]][] = [
  ['all done', { a: run(1) + done('x'), b: run(1) + done('y') }, '', [2, 0, 0, 0, 0]],
  ['no target', { a: run(0) }, '', [0, 0, 0, 0, 0]],
  ['a full disk', { a: run(1) + done('x'), b: '' }, '', [1, 0, 0, 0, 11]],
  ['one failed', { a: run(2) + done('x') + failed('y') }, '', [1, 1, 0, 0, 11]],
  ['all failed alike', { a: run(1) + failed('x'), b: run(1) + failed('y') }, '', [0, 2, 0, 0, 6]],
  ['started and never ended', { a: run(1) + line('x', 'started') }, '', [0, 0, 1, 0, 11]],
  ['of unknown outcome', { a: run(1) + failed('x', { exit: 11, unknown: true }) }, '', [0, 0, 1, 0, 11]],
  ['stopped before the last', { a: run(3) + done('x') }, '', [1, 0, 0, 2, 11]],
  ['resumed', { a: run(2) + failed('x') + run(2) + done('x') + line('y', 'done') }, '', [2, 0, 0, 0, 0]],
  ['retried with a new journal', { a: run(1) + failed('x'), b: run(1) + done('x', 2) }, '', [1, 0, 0, 0, 0]],
  ['a lost journal', { a: run(1) + done('x') }, '--expect 2', [1, 0, 0, 0, 11]],
  [
    'a copy in place of a lost journal',
    { a: run(1) + done('y'), b: copied, c: copied + done('z') },
    '--expect 3',
    [3, 0, 0, 0, 11],
  ],
  ['a copy that is not complete', { a: copied, b: copied }, '', [1, 0, 0, 1, 11]],
];

test.each(cases)('%s', async (_, files, flags, [done, failed, unknown, unstarted, exit]) => {
  const folder = await folderWith(files);
  const paths = Object.keys(files).map((name) => join(folder, name));
  const ran = await exited(exit as number, world.run(`each report ${paths.join(' ')} ${flags} -o json`));
  expect(JSON.parse(ran.out)).toMatchObject({ done, failed, unknown, not_started: unstarted });
  expect(ran.requests).toEqual([]);
});

test('warns about journals of different commands', async () => {
  const files = { a: run(1, 'jobs list') + done('x'), b: run(1, 'jobs get') + done('y'), c: run(0) };
  const folder = await folderWith({ ...files, d: run(1, 'jobs get') + done('z') });
  const report = (...names: string[]) =>
    world.run(`each report ${names.map((name) => join(folder, name)).join(' ')}`);
  expect((await report('a', 'b', 'c')).err).toBe(
    'warning: the journals are of different commands: jobs get (http://host), jobs list (http://host)\n',
  );
  expect((await report('b', 'c', 'd')).err).toBe('');
});

test('names journals of the same run', async () => {
  const cwd = await folderWith({ a: run(1) + done('x'), b: run(1) + done('y') });
  const ran = (flags: string) => world.run(`each report a ./a b ${flags}`, { cwd });
  const once = '2 journals of the same run count once: a, ./a';
  expect((await exited(11, ran('--expect 3'))).err).toBe(
    `warning: 1 journal of 3 missing or empty\nwarning: ${once}\n`,
  );
  expect((await exited(0, ran(''))).err).toBe(`warning: ${once}\n`);
});

test('names each target that is not done, and equal errors once', async () => {
  const folder = await folderWith({
    a: run(2) + failed('x', error('no x')) + failed('y', error('no y')),
    b: run(1) + line('z', 'started'),
  });
  const journals = `${join(folder, 'a')} ${join(folder, 'b')}`;
  const ran = await world.run(`each report ${journals} -o json`);
  expect(JSON.parse(ran.out).failures).toEqual([
    { target: 'x', exit: 6, ...error('no x') },
    { target: 'y', exit: 6, ...error('no y') },
    { target: 'z', exit: 11, error: { kind: 'unknown', message: 'started, without a known end' } },
  ]);
  expect((await world.run(`each report ${journals}`)).out).toBe(
    '3 targets: 0 done, 2 failed, 1 unknown, 0 not started\n  no {target}: x, y (2)\n  started, without a known end: z\n',
  );
});

test('the csv of failures is the rows of another run', async () => {
  const folder = await folderWith({ a: run(1) + failed('acme/rocket', error('no')) });
  const rows = await world.run(`each report ${join(folder, 'a')} -o csv`);
  const line = 'each --rows - -o ndjson -- approvals get --project {target}';
  const again = await exited(0, world.run(line, { stdin: rows.out }));
  expect(JSON.parse(again.out).target).toBe('acme/rocket');
});

test('names rows by their numbers, because several may be of one project', async () => {
  const journal = join(await folderWith(), 'rows');
  const line = `each --rows - --journal ${journal} -o json -- variables get {key} -p acme/rocket`;
  const ran = await exited(11, world.run(line, { stdin: 'key\nNOPE_1\nKUBECONFIG\nNOPE_2\n' }));
  expect(JSON.parse(ran.out)).toMatchObject([
    { target: 'acme/rocket', row: 1, exit: 5 },
    { target: 'acme/rocket', row: 2, exit: 0 },
    { target: 'acme/rocket', row: 3, exit: 5 },
  ]);
  expect((await world.run(`each report ${journal}`)).out).toContain(
    'row 1 (acme/rocket), row 3 (acme/rocket) (2)',
  );
});

test('reads what parallel runs wrote, without a request', async () => {
  const folder = await folderWith();
  const stdin = 'acme/rocket\nacme/none\nacme/website\n';
  const paths = [1, 2, 3, 4].map((shard) => join(folder, `${shard}`));
  for (const [at, path] of paths.entries())
    await world.run(`each --projects - --shard ${at + 1}/4 --journal ${path} -- approvals get`, { stdin });
  const ran = await exited(11, world.run(`each report ${paths.join(' ')} --expect 4 -o json`));
  expect(JSON.parse(ran.out)).toEqual({
    ...{ targets: 3, done: 2, failed: 1, unknown: 0, not_started: 0 },
    failures: [
      { target: 'acme/none', exit: 5, error: { kind: 'not_found', message: '404 Project Not Found' } },
    ],
  });
});
