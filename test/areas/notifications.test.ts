import { describe, expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, shows, unseen } from './scenario.ts';

shows('notifications get', 'notifications get --group acme', 'notifications get --project acme/rocket');
missing('notifications get --project acme/nowhere', 'notifications get --group nowhere');
unseen('outsider', 'notifications get --project acme/website');
forbidden('none', 'notifications get', 'notifications update --level watch');
forbidden('readonly', 'notifications update --level watch');
incomplete(
  'notifications update --level loud',
  'notifications update --new-note=x',
  'notifications get --project 1 --group 2',
);

describe.each(['', '--group acme', '--project acme/rocket'])('%s', (place) => {
  test('updates and returns the settings', async () => {
    const world = await openWorld();
    const as = { as: 'guest' } as const;
    expect((await world.json(`notifications update ${place} --level mention`, as)).level).toBe('mention');
    expect((await world.json(`notifications get ${place}`, as)).level).toBe('mention');
  });
});

test('sets events with level custom', async () => {
  const world = await openWorld();
  const place = '--project acme/rocket';
  const set = await world.json(
    `notifications update ${place} --level custom --failed-pipeline --no-new-note`,
  );
  expect(set).toMatchObject({ level: 'custom', events: { failed_pipeline: true, new_note: false } });
  expect(await world.json(`notifications get ${place}`)).toEqual(set);
});

test('keeps settings per user', async () => {
  const world = await openWorld();
  const before = await world.json('notifications get', { as: 'developer' });
  await world.json('notifications update --level disabled', { as: 'reporter' });
  expect(await world.json('notifications get', { as: 'developer' })).toEqual(before);
});
