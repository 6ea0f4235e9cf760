/** The examples of the reports run as they are written, against a fresh sandbox. */
import { describe, expect, test } from 'vitest';
import { commands as jobs } from '../../../src/tasks/jobs/index.ts';
import { commands as license } from '../../../src/tasks/license/index.ts';
import { commands as migrations } from '../../../src/tasks/migrations/index.ts';
import { openWorld } from '../../support/sandbox.ts';
import { expectCode } from '../engine/world.ts';

const runs = [...jobs, ...license, ...migrations].flatMap(({ examples }) => examples.map(({ run }) => run));

describe('examples', () => {
  test('exist for every report', () => expect(runs.length).toBeGreaterThanOrEqual(10));

  test.each(runs)('svc %s', async (line) => {
    const world = await openWorld();
    const ran = await world.run(line);
    expectCode(ran, 0);
    expect(ran.out).not.toBe('');
    expect(ran.err).not.toMatch(/^(error|hint): /m);
  });
});
