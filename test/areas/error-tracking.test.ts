import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, shows } from './scenario.ts';

const rocket = '--project acme/rocket';

shows(`error-tracking get ${rocket}`, `error-tracking errors ${rocket}`);
missing('error-tracking get --project acme/nowhere', 'error-tracking get --project acme/website');
forbidden(
  'developer',
  `error-tracking errors ${rocket}`,
  `error-tracking get ${rocket}`,
  `error-tracking update ${rocket} --no-active`,
);
forbidden('none', `error-tracking get ${rocket}`);
forbidden('readonly', `error-tracking update ${rocket} --no-active`);
incomplete(
  `error-tracking update ${rocket}`,
  `error-tracking set ${rocket} --active`,
  `error-tracking set ${rocket} --integrated`,
);

test('disables and enables error tracking', async () => {
  const world = await openWorld();
  const as = { as: 'maintainer' } as const;
  expect(await world.json(`error-tracking get ${rocket}`, as)).toMatchObject({
    active: true,
    integrated: true,
  });
  expect((await world.json(`error-tracking update ${rocket} --no-active`, as)).active).toBe(false);
  expect((await world.json(`error-tracking get ${rocket}`, as)).active).toBe(false);
  expect((await world.json(`error-tracking update ${rocket} --active`, as)).active).toBe(true);
});

test('creates missing settings with set', async () => {
  const world = await openWorld();
  await world.json('error-tracking set --project acme/website --active --integrated');
  expect(await world.json('error-tracking get --project acme/website')).toMatchObject({
    active: true,
    integrated: true,
  });
});
