/** `svc each report`: journals of several runs as one summary. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../support/folders.ts';
import { openWorld, type World } from '../../support/sandbox.ts';
import { words } from '../../support/svc.ts';
import { exited, expectCode } from '../engine/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});

const at = (second: number) => new Date(second * 1000).toISOString();
const line = (target: string, state: string, more: object = {}, second = 1) =>
  `${JSON.stringify({ target, state, at: at(second), ...more })}\n`;
const run = (total: number) =>
  `${JSON.stringify({ command: 'salt.digest', server: 'http://host', files: {}, total, at: at(0) })}\n`;
const error = (message: string) => ({ error: { kind: 'rejected', message } });

/** @param expected done, failed, unknown, not started, exit code */
const cases: [string, Record<string, string>, string, number[]][] = [
  [
    'all done',
    { a: run(1) + line('x', 'done', { exit: 0 }), b: run(1) + line('y', 'done', { exit: 0 }) },
    '',
    [2, 0, 0, 0, 0],
  ],
  ['no target', { a: run(0) }, '', [0, 0, 0, 0, 0]],
  ['a full disk', { a: run(1) + line('x', 'done', { exit: 0 }), b: '' }, '', [1, 0, 0, 0, 11]],
  [
    'one failed',
    { a: run(2) + line('x', 'done', { exit: 0 }) + line('y', 'failed', { exit: 6 }) },
    '',
    [1, 1, 0, 0, 11],
  ],
  [
    'all failed alike',
    { a: run(1) + line('x', 'failed', { exit: 6 }), b: run(1) + line('y', 'failed', { exit: 6 }) },
    '',
    [0, 2, 0, 0, 6],
  ],
  ['started and never ended', { a: run(1) + line('x', 'started') }, '', [0, 0, 1, 0, 11]],
  [
    'the outcome is unknown',
    { a: run(1) + line('x', 'failed', { exit: 11, unknown: true }) },
    '',
    [0, 0, 1, 0, 11],
  ],
  ['stopped before the last', { a: run(3) + line('x', 'done', { exit: 0 }) }, '', [1, 0, 0, 2, 11]],
  [
    'resumed',
    {
      a:
        run(2) +
        line('x', 'failed', { exit: 6 }) +
        run(2) +
        line('x', 'done', { exit: 0 }) +
        line('y', 'done'),
    },
    '',
    [2, 0, 0, 0, 0],
  ],
  [
    'a job was retried with a new journal',
    { a: run(1) + line('x', 'failed', { exit: 6 }, 1), b: run(1) + line('x', 'done', { exit: 0 }, 2) },
    '',
    [1, 0, 0, 0, 0],
  ],
  ['a lost journal', { a: run(1) + line('x', 'done', { exit: 0 }) }, '--expect 2', [1, 0, 0, 0, 11]],
];

describe('report', () => {
  test.each(cases)('%s', async (_, files, flags, [done, failed, unknown, unstarted, exit]) => {
    const folder = await folderWith(files);
    const paths = Object.keys(files).map((name) => join(folder, name));
    const ran = await exited(exit as number, world.run(`each report ${paths.join(' ')} ${flags} -o json`));
    expect(JSON.parse(ran.out)).toMatchObject({ done, failed, unknown, not_started: unstarted });
    expect(ran.requests).toEqual([]);
  });

  test('names each target that is not done, and equal errors once', async () => {
    const folder = await folderWith({
      a:
        run(2) +
        line('x', 'failed', { exit: 6, ...error('no x') }) +
        line('y', 'failed', { exit: 6, ...error('no y') }),
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
    const folder = await folderWith({
      a: run(1) + line('acme/rocket', 'failed', { exit: 6, ...error('no') }),
    });
    const rows = await world.run(`each report ${join(folder, 'a')} -o csv`);
    const again = await world.run('each --rows - -o ndjson -- approvals get --project {target}', {
      stdin: rows.out,
    });
    expectCode(again, 0);
    expect(JSON.parse(again.out).target).toBe('acme/rocket');
  });

  test('names rows by their numbers, because several may be of one project', async () => {
    const folder = await folderWith();
    const journal = join(folder, 'rows');
    const ran = await world.run(
      [
        'each',
        '--rows',
        '-',
        '--journal',
        journal,
        '-o',
        'json',
        ...words('-- variables get {key} -p acme/rocket'),
      ],
      { stdin: 'key\nNOPE_1\nKUBECONFIG\nNOPE_2\n' },
    );
    expectCode(ran, 11);
    expect(
      JSON.parse(ran.out).map(({ target, row, exit }: Record<string, unknown>) => [target, row, exit]),
    ).toEqual([
      ['acme/rocket', 1, 5],
      ['acme/rocket', 2, 0],
      ['acme/rocket', 3, 5],
    ]);
    expect((await world.run(`each report ${journal}`)).out).toContain(
      'row 1 (acme/rocket), row 3 (acme/rocket) (2)',
    );
  });

  test('reads what parallel runs wrote, without a request', async () => {
    const folder = await folderWith();
    const stdin = 'acme/rocket\nacme/none\nacme/website\n';
    for (const shard of [1, 2, 3, 4])
      await world.run(
        `each --projects - --shard ${shard}/4 --journal ${join(folder, `${shard}`)} -- approvals get`,
        { stdin },
      );
    const journals = [1, 2, 3, 4].map((shard) => join(folder, `${shard}`)).join(' ');
    const ran = await exited(11, world.run(`each report ${journals} --expect 4 -o json`));
    expect(JSON.parse(ran.out)).toEqual({
      ...{ targets: 3, done: 2, failed: 1, unknown: 0, not_started: 0 },
      failures: [
        { target: 'acme/none', exit: 5, error: { kind: 'not_found', message: '404 Project Not Found' } },
      ],
    });
  });
});
