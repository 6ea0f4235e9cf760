import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const rocket = '--project acme/rocket';

shows(`variables list ${rocket}`, `variables get DEPLOY_USER ${rocket}`);
missing(
  `variables get NOT_THERE ${rocket}`,
  `variables update NOT_THERE v ${rocket}`,
  `variables delete NOT_THERE ${rocket} --yes`,
  `variables get DATABASE_URL ${rocket} --filter environment_scope=nowhere`,
);
unseen('outsider', 'variables list --project acme/website');
forbidden('developer', `variables list ${rocket}`, `variables create K v ${rocket}`);
forbidden('none', `variables create K v ${rocket}`);
forbidden('readonly', `variables create K v ${rocket}`);
incomplete(
  `variables create ${rocket}`,
  `variables create MY-KEY v ${rocket}`,
  `variables create K v ${rocket} --variable-type blob`,
  `variables delete DEPLOY_USER ${rocket}`,
);
rejected(`variables create DEPLOY_USER again ${rocket}`, `variables get DATABASE_URL ${rocket}`);

test('creates, reads, lists, updates and deletes variables', async () => {
  const world = await openWorld();
  const as = { as: 'maintainer' } as const;
  const created = await world.json(
    `variables create NEW_KEY one ${rocket} --protected --description "For tests"`,
    as,
  );
  expect(created).toEqual({
    key: 'NEW_KEY',
    value: '***',
    variable_type: 'env_var',
    protected: true,
    masked: false,
    hidden: false,
    raw: false,
    environment_scope: '*',
    description: 'For tests',
  });
  const stored = { ...created, value: 'one' };
  expect(await world.json(`variables get NEW_KEY ${rocket}`, as)).toEqual(stored);
  expect(await world.json(`variables list ${rocket}`, as)).toContainEqual(stored);
  const changed = await world.json(`variables update NEW_KEY two ${rocket} --no-protected`, as);
  expect(changed).toEqual({ ...created, protected: false });
  expect((await world.json(`variables get NEW_KEY ${rocket}`, as)).value).toBe('two');
  await done(world, `variables delete NEW_KEY ${rocket} --yes`, as);
  expect((await world.run(`variables get NEW_KEY ${rocket}`, as)).code).toBe(5);
});

test('creates, then updates a variable with set', async () => {
  const world = await openWorld();
  const set = (value: string, scope = '*') =>
    world.json(`variables set LOG_LEVEL ${value} ${rocket} --environment-scope ${scope}`);
  const stored = async () =>
    (await world.json(`variables list ${rocket}`))
      .filter(({ key }: { key: string }) => key === 'LOG_LEVEL')
      .map((one: Record<string, string>) => [one['environment_scope'], one['value']])
      .sort();
  expect(await set('debug')).toMatchObject({ value: '***', environment_scope: '*' });
  expect(await stored()).toEqual([['*', 'debug']]);
  expect(await set('info')).toMatchObject({ value: '***', environment_scope: '*' });
  expect(await stored()).toEqual([['*', 'info']]);
  expect(await set('warn', 'production')).toMatchObject({ environment_scope: 'production' });
  expect(await stored()).toEqual([
    ['*', 'info'],
    ['production', 'warn'],
  ]);
});

test('selects one of two variables with the same key', async () => {
  const world = await openWorld();
  const filter = '--filter environment_scope=production';
  await world.json(`variables update DATABASE_URL new ${rocket} ${filter}`);
  expect((await world.json(`variables get DATABASE_URL ${rocket} ${filter}`)).value).toBe('new');
  expect(
    (await world.json(`variables get DATABASE_URL ${rocket} --filter environment_scope=staging`)).value,
  ).not.toBe('new');
});

test('never prints a hidden value', async () => {
  const world = await openWorld();
  const created = await world.json(`variables create SECRET hunter22hunter22 ${rocket} --masked-and-hidden`);
  expect([created.hidden, created.masked, created.value]).toEqual([true, true, null]);
  expect((await world.run(`variables list ${rocket} --json`)).out).not.toContain('hunter22');
});

test('prints no values in a table', async () => {
  const world = await openWorld();
  await world.json(`variables create PLAIN visible-value ${rocket}`);
  expect((await world.run(`variables list ${rocket}`)).out).not.toContain('visible-value');
});
