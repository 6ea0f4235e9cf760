/** Plans of several targets: folders, targets read at a time, and equal plans as one text. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type PlanPart, planText } from '../../../src/tasks/engine/plan-text.ts';
import { folderWith } from '../../support/folders.ts';
import { openWorld } from '../../support/sandbox.ts';
import { canned } from '../../support/svc.ts';
import { exited, refused } from './world.ts';

const world = await openWorld();

describe('several targets', () => {
  const state = (project: string) => `svc: 1\nproject: ${project}\nvariables: [{ key: MANY, value: x }]\n`;

  test('-f takes the state files of a folder by name, without subfolders', async () => {
    const folder = await folderWith({
      'b.yml': state('acme/website'),
      'a.yaml': state('acme/rocket'),
      'c.json': JSON.stringify({ svc: 1, project: 'acme/labs/probe', variables: [] }),
      'notes.txt': 'no state file',
    });
    await mkdir(join(folder, 'old.yaml'));
    const ran = await exited(10, world.run(['diff', '-f', folder, '--changed-only']));
    expect(ran.out).toBe(
      '2 projects: acme/rocket, acme/website\n  + variable MANY (scope *)\nPlan: 2 to create, 0 to update, 0 to delete.\n',
    );
    const empty = await exited(2, world.run(['diff', '-f', join(folder, 'old.yaml')]));
    expect(empty.err).toContain('has no *.yaml');
    await refused('--file', world.run('diff -f ""', { cwd: folder }));
  });

  test('--concurrency is the number of targets that are read at a time', async () => {
    const projects = Array.from({ length: 8 }, (_, at) => String(at + 1));
    let reading = 0;
    let most = 0;
    const transport = canned(async () => {
      reading += 1;
      most = Math.max(most, reading);
      await new Promise((resolve) => setTimeout(resolve, 5));
      reading -= 1;
      return { body: '[]' };
    });
    const stdin = projects.map(state).join('---\n');
    await exited(10, world.run('diff -f - --concurrency 3', { stdin, transport }));
    expect(most).toBe(3);
    await exited(10, world.run('diff -f - --concurrency 1', { stdin, transport }));
  });
});

describe('the text of plans', () => {
  const part = (name: string, lines: readonly string[], more: Partial<PlanPart> = {}): PlanPart => ({
    scope: 'project',
    name,
    lines: lines.map((text) => ['added', text] as const),
    unchanged: 0,
    uncompared: [],
    actions: lines.map(() => 'create'),
    ...more,
  });
  const textOf = (...given: Parameters<typeof planText>) => planText(...given).map(([, text]) => text);

  test.each([
    [
      'equal changes are one block in the order of the first',
      [part('a', ['  + x']), part('b', ['  + y']), part('c', ['  + x'], { unchanged: 2 })],
      ['2 projects: a, c', '  + x', '  0 to 2 unchanged each', 'b', '  + y'],
    ],
    ['one target', [part('a', ['  + x'], { unchanged: 3 })], ['a', '  + x', '  3 unchanged']],
    [
      'targets without changes',
      [part('a', [], { unchanged: 1 }), part('b', [], { unchanged: 2 }), part('c', ['  + x'])],
      ['2 projects unchanged: a, b', 'c', '  + x'],
    ],
    [
      'different scopes',
      [part('a', ['  + x']), part('b', ['  + x'], { scope: 'group' })],
      ['2 targets: a, b', '  + x'],
    ],
    [
      'what was not compared keeps targets apart',
      [part('a', [], { uncompared: ['1 not compared: x (y)'] }), part('b', [])],
      ['a', '  1 not compared: x (y)', 'b', '  0 unchanged'],
    ],
  ])('%s', (_, parts, expected) => {
    expect(textOf(parts).slice(0, -1)).toEqual(expected);
  });

  test('--changed-only leaves out targets without changes, and keeps the sum', () => {
    const parts = [part('a', []), part('b', ['  + x']), part('c', ['  ! y'], { actions: [] })];
    expect(textOf(parts, true)).toEqual([
      ...['b', '  + x', 'c', '  ! y'],
      'Plan: 1 to create, 0 to update, 0 to delete. 1 difference cannot be resolved (!).',
    ]);
    expect(textOf([part('a', [])], true)).toEqual(['No changes.']);
  });
});
