import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const acme = '--group acme';

shows(`epics list ${acme}`, `epics get 1 ${acme}`, `epics issues 1 ${acme}`);
missing(
  `epics issues 99 ${acme}`,
  `epics delete 99 ${acme} --yes`,
  `epics get 99 ${acme}`,
  `epics update 99 ${acme} --title x`,
  'epics list --group nowhere',
);
unseen('outsider', 'epics list --group umbrella');
forbidden('none', `epics list ${acme}`, `epics create ${acme} --title x`);
forbidden('maintainer', `epics delete 1 ${acme} --yes`);
forbidden('outsider', `epics create ${acme} --title x`);
incomplete(
  `epics create ${acme}`,
  `epics list ${acme} --state done`,
  `epics update 1 ${acme} --state-event burn`,
  `epics create ${acme} --title x --due-date-fixed someday`,
);
rejected(`epics create ${acme} --title x --parent-id 99999`);

/** Run a command, which prints that epics are deprecated, and parse its output. */
async function json(world: Awaited<ReturnType<typeof openWorld>>, line: string) {
  const ran = await world.run(`${line} --json`);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.err).toMatch(/deprecated/);
  return JSON.parse(ran.out);
}

test('creates, reads, lists, updates, closes and reopens an epic', async () => {
  const world = await openWorld();
  const epic = await json(
    world,
    `epics create ${acme} --title Moon --labels a,b --due-date-is-fixed --due-date-fixed 2030-01-31`,
  );
  expect(epic).toMatchObject({ title: 'Moon', state: 'opened', due_date: '2030-01-31', closed_at: null });
  expect([...epic.labels].sort()).toEqual(['a', 'b']);
  expect(await json(world, `epics get ${epic.iid} ${acme}`)).toMatchObject({ id: epic.id, title: 'Moon' });
  const titles = (await json(world, `epics list ${acme} --search Moon`)).map(({ id }: { id: number }) => id);
  expect(titles).toEqual([epic.id]);
  const changed = await json(
    world,
    `epics update ${epic.iid} ${acme} --add-labels c --remove-labels a --title Mars`,
  );
  expect([changed.title, [...changed.labels].sort()]).toEqual(['Mars', ['b', 'c']]);
  const closed = await json(world, `epics update ${epic.iid} ${acme} --state-event close`);
  expect([closed.state, typeof closed.closed_at]).toEqual(['closed', 'string']);
  expect((await json(world, `epics update ${epic.iid} ${acme} --state-event reopen`)).state).toBe('opened');
  // An empty string removes all labels (section 4.20).
  expect((await json(world, `epics update ${epic.iid} ${acme} --labels=`)).labels).toEqual([]);
});

test('removes the parent with --parent-id null', async () => {
  const world = await openWorld();
  const { iid, parent_id } = await json(world, `epics create ${acme} --title Lander --parent-id 601`);
  expect(parent_id).toBe(601);
  expect(await json(world, `epics update ${iid} ${acme} --parent-id null`)).toMatchObject({
    parent_id: null,
  });
});

test('distinguishes epics of subgroups with the same number in a narrow table', async () => {
  const world = await openWorld();
  const { out } = await world.run(`epics list ${acme}`, { terminal: 40, env: { NO_COLOR: '1' } });
  const rows = out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ +/).slice(0, 2).join(' '));
  // A number is unique only in its group, and the list includes subgroups (sections 2.19 and 4.20).
  expect(rows.filter((row) => row.startsWith('1 ')).sort()).toEqual(['1 10', '1 11']);
});

test('filters epics', async () => {
  const world = await openWorld();
  const iids = async (flags: string) =>
    (await json(world, `epics list ${acme} ${flags}`)).map(({ iid }: { iid: number }) => iid);
  expect(await iids('--state closed')).toEqual([6]);
  expect(await iids('--state opened')).not.toContain(6);
  const urgent = await iids('--labels urgent');
  expect(urgent.length).toBeGreaterThan(0);
  expect((await iids('--not labels=urgent')).filter((iid: number) => urgent.includes(iid))).toEqual([]);
  expect(await iids('--created-after 2100-01-01T00:00:00Z')).toEqual([]);
});
