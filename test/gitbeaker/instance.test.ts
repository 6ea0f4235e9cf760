/** A third-party client in a group and on the instance: a round trip in each area that it supports. */
import {
  Epics,
  GroupHooks,
  GroupWikis,
  License,
  Migrations,
  NotificationSettings,
  Users,
} from '@gitbeaker/rest';
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

test('manages webhooks of a group', async () => {
  const world = await serveSandbox();
  const hooks = new GroupHooks(world.as('owner'));
  const created = await hooks.add(acme, 'https://x.example/in', {
    pushEvents: false,
    pipelineEvents: true,
    token: 'hook-secret',
  } as never);
  expect(created).toMatchObject({ url: 'https://x.example/in', push_events: false, pipeline_events: true });
  expect(await hooks.show(acme, created.id)).toEqual(created);
  expect(JSON.stringify(await hooks.all(acme))).not.toContain('hook-secret');
  expect(await statusOf(new GroupHooks(world.as('maintainer')).all(acme))).toBe(403);
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

test('reads users', async () => {
  const world = await serveSandbox();
  const users = new Users(world.as('admin'));
  expect((await users.show(2)).username).toBe('olivia');
  expect((await users.all({ username: 'olivia' })).map(({ id }) => id)).toEqual([2]);
  const keyset = await users.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 10 } as never);
  const offset = await users.all({ orderBy: 'id', sort: 'asc', perPage: 10 } as never);
  expect(keyset.map(({ id }) => id)).toEqual(offset.map(({ id }) => id));
  expect(keyset.length).toBeGreaterThan(25);
  const filtered = await users.all({ createdAfter: '2026-01-01T00:00:00Z', humans: true } as never);
  expect(filtered.map(({ username }) => username)).not.toContain('acme-bot');
});

test('reads and updates notification settings', async () => {
  const world = await serveSandbox();
  const settings = new NotificationSettings(world.as('guest'));
  expect((await settings.edit({ level: 'mention' } as never)).level).toBe('mention');
  const custom = await settings.edit({ projectId: 'acme/rocket', level: 'custom', newNote: true } as never);
  expect(custom).toMatchObject({ level: 'custom', events: { new_note: true } });
  expect(await settings.show({ projectId: 'acme/rocket' } as never)).toEqual(custom);
  expect((await settings.edit({ groupId: acme, level: 'watch' } as never)).level).toBe('watch');
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

test('runs migrations', async () => {
  const world = await serveSandbox();
  const migrations = new Migrations(world.as('owner'));
  const created = await migrations.create({ url: 'https://old.example.com', access_token: 'sourcetoken' }, [
    {
      sourceType: 'group_entity',
      sourceFullPath: 'tools',
      destinationSlug: 'tools',
      destinationNamespace: 'acme',
    } as never,
  ]);
  expect(created.status).toBe('created');
  expect((await migrations.show(created.id)).id).toBe(created.id);
  const entities = await migrations.allEntities({ bulkImportId: created.id });
  expect(entities).toMatchObject([{ source_full_path: 'tools' }]);
  expect(await migrations.showEntity(created.id, entities[0]?.id as number)).toMatchObject({
    id: entities[0]?.id,
  });
  expect((await migrations.all()).map(({ id }) => id)).toContain(created.id);
});
