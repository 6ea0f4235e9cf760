/** A third-party client in a group and on the instance: a round trip in each area that it supports. */
import { Epics, GroupWikis, License } from '@gitbeaker/rest';
import { expect, test } from 'vitest';
import { serveSandbox, statusOf } from './world.ts';

const acme = 'acme';

test('manages wiki pages of a group', async () => {
  const world = await serveSandbox();
  const wikis = new GroupWikis(world.as('developer'));
  const page = await wikis.create(acme, '# Set up', 'guides/setup', { format: 'markdown' });
  expect(page).toMatchObject({ slug: 'guides/setup', content: '# Set up' });
  expect(await wikis.show(acme, 'guides/setup')).toMatchObject({ title: page.title, content: '# Set up' });
  expect((await wikis.edit(acme, 'guides/setup', { content: '# Done' } as never)).content).toBe('# Done');
  expect((await wikis.all(acme, { withContent: true })).map(({ slug }) => slug)).toContain('guides/setup');
  const kept = await wikis.uploadAttachment(acme, { content: new Blob(['x']), filename: 'notes.txt' });
  expect(kept.file_name).toBe('notes.txt');
  const maintainer = new GroupWikis(world.as('maintainer'));
  await maintainer.remove(acme, 'guides/setup');
  expect(await statusOf(wikis.show(acme, 'guides/setup'))).toBe(404);
});

test('manages epics', async () => {
  const world = await serveSandbox();
  const epics = new Epics(world.as('owner'));
  const created = await epics.create(acme, 'Moon', {
    labels: 'a,b',
    dueDateIsFixed: true,
    dueDateFixed: '2030-01-31',
  } as never);
  expect(created).toMatchObject({ title: 'Moon', state: 'opened', due_date: '2030-01-31' });
  expect(await epics.show(acme, created.iid)).toMatchObject({ id: created.id, labels: ['a', 'b'] });
  const closed = await epics.edit(acme, created.iid, { stateEvent: 'close', addLabels: 'c' } as never);
  expect(closed).toMatchObject({ state: 'closed', labels: ['a', 'b', 'c'] });
  const found = await epics.all(acme, { search: 'Moon', state: 'closed', withLabelsDetails: true } as never);
  expect((found as unknown as { id: number }[]).map(({ id }) => id)).toEqual([created.id]);
});

test('adds a license with its key in the query of a POST', async () => {
  const world = await serveSandbox();
  const license = new License(world.as('admin'));
  const added = await license.add('eyJkYXRhIjoiZXhhbXBsZSJ9');
  expect((await license.show()).id).toBe(added.id);
  expect(await license.recalculateBillableUsers(added.id)).toEqual({ success: true });
  await license.remove(added.id);
  expect((await license.all()).map(({ id }) => id)).toEqual(expect.not.arrayContaining([added.id]));
});
