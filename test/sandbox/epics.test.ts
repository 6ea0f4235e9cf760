import { describe, expect, test } from 'vitest';
import { ids, openClocked, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const path = '/groups/10/epics';
const forEditors = ['start_date', 'due_date'].flatMap((name) =>
  ['is_fixed', 'fixed', 'from_inherited_source', 'from_milestones'].map((end) => `${name}_${end}`),
);

describe('epics (sections 2.19, 4.20)', () => {
  test('returns every attribute', async () => {
    const { status, body } = await ask(`GET ${path}/2`);
    expect(status).toBe(200);
    const api = 'http://sandbox.localhost/api/v4/groups/10';
    expect(body).toMatchObject({
      id: 602,
      iid: 2,
      group_id: 10,
      parent_id: 601,
      parent_iid: 1,
      state: 'opened',
      confidential: false,
      labels: ['planning', 'urgent'],
      author: { id: 3, username: 'mia', name: 'Mia Maintainer', state: 'active' },
      start_date: '2026-04-01',
      due_date: '2026-06-30',
      end_date: '2026-06-30',
      closed_at: null,
      web_url: 'http://sandbox.localhost/groups/acme/-/epics/2',
      reference: '&2',
      references: { short: '&2', relative: '&2', full: 'acme&2' },
      _links: {
        self: `${api}/epics/2`,
        epic_issues: `${api}/epics/2/issues`,
        group: api,
        parent: `${api}/epics/1`,
      },
      upvotes: 0,
      downvotes: 0,
      imported: false,
      imported_from: 'none',
    });
    const parent = (await ask(`GET ${path}/1`)).body;
    expect(parent).toMatchObject({ parent_iid: null, upvotes: 2, _links: { parent: null } });
  });

  test('uses fixed dates, or else the dates of the child epics', async () => {
    const dates = async () => (await ask(`GET ${path}/1`)).body;
    expect(await dates()).toMatchObject({
      start_date: '2026-04-01',
      start_date_is_fixed: false,
      start_date_from_inherited_source: '2026-04-01',
      due_date: '2026-06-30',
    });
    const json = { title: 'New', parent_id: 601, start_date_is_fixed: true, start_date_fixed: '2026-03-01' };
    const { status, body } = await ask(`POST ${path}`, { json });
    expect([status, body.parent_iid, body.due_date]).toEqual([201, 1, null]);
    expect(await dates()).toMatchObject({ start_date: '2026-03-01', due_date: '2026-06-30' });
    const fixed = { start_date_is_fixed: true, start_date_fixed: '2026-05-05' };
    const changed = (await ask(`PUT ${path}/1`, { json: fixed })).body;
    expect(changed).toMatchObject({
      start_date: '2026-05-05',
      start_date_from_inherited_source: '2026-03-01',
    });
    await ask(`PUT ${path}/1`, { json: { start_date_is_fixed: false } });
    expect(await dates()).toMatchObject({ start_date: '2026-03-01', start_date_fixed: '2026-05-05' });
    expect((await ask(`PUT ${path}/2`, { json: { parent_id: null } })).body.parent_id).toBeNull();
  });

  test('closes and reopens an epic', async () => {
    const { ask, wait } = await openClocked();
    wait(60);
    const closed = (await ask(`PUT ${path}/1`, { json: { state_event: 'close' } })).body;
    expect(closed).toMatchObject({ state: 'closed', closed_at: '2026-04-01T12:01:00.000Z' });
    expect(closed.updated_at).toBe(closed.closed_at);
    wait(60);
    const again = (await ask(`PUT ${path}/1`, { json: { state_event: 'close' } })).body;
    expect(again.closed_at).toBe(closed.closed_at);
    const open = (await ask(`PUT ${path}/1?state_event=reopen`)).body;
    expect(open).toMatchObject({ state: 'opened', closed_at: null });
  });

  test('numbers epics per group', async () => {
    const json = { title: ' New ', labels: 'urgent, new,urgent', description: 'd' };
    const created = await ask(`POST ${path}`, { json });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ iid: 7, title: 'New', labels: ['urgent', 'new'], state: 'opened' });
    for (const [group_id, iid] of [
      [11, 2],
      [13, 1],
    ]) {
      const { body } = await ask(`POST /groups/${group_id}/epics`, { json: { title: 'x' } });
      expect(body).toMatchObject({ group_id, iid });
    }
  });

  test('sets, adds, removes and clears labels', async () => {
    const put = async (json: object) => (await ask(`PUT ${path}/2`, { json })).body.labels;
    expect(await put({ add_labels: 'new', remove_labels: 'planning' })).toEqual(['urgent', 'new']);
    expect(await put({ title: 'same labels' })).toEqual(['urgent', 'new']);
    expect(await put({ labels: 'a,b' })).toEqual(['a', 'b']);
    expect(await put({ labels: '' })).toEqual([]);
    // Other clients send the names as a list.
    expect(await put({ labels: ['a', 'b'] })).toEqual(['a', 'b']);
    expect(await put({ labels: [] })).toEqual([]);
    const form = 'labels[]=c&labels[]=d';
    expect((await ask(`PUT ${path}/2?${form}`)).body.labels).toEqual(['c', 'd']);
    const found = await ask(`GET ${path}?${form}`);
    expect(found.body.map(({ iid }: { iid: number }) => iid)).toEqual([2]);
    const left = await ask(`GET ${path}?not[labels][]=c`);
    expect(left.body.map(({ iid }: { iid: number }) => iid)).not.toContain(2);
  });
});

describe('the list of epics (section 4.20)', () => {
  test.each([
    ['', [607, 605, 604, 603, 602, 601, 606]],
    ['?sort=asc', [606, 601, 602, 603, 604, 605, 607]],
    ['?order_by=title&sort=asc', [604, 602, 606, 607, 603, 601, 605]],
    ['?order_by=updated_at', [607, 605, 604, 606, 603, 602, 601]],
    ['?state=closed', [606]],
    ['?state=opened&sort=asc', [601, 602, 603, 604, 605, 607]],
    ['?author_id=2', [605, 601, 606]],
    ['?author_username=mia', [607, 602]],
    ['?author_username=unknown', []],
    ['?labels=urgent', [603, 602]],
    ['?labels=planning,urgent', [602]],
    ['?labels=None', [605, 604, 606]],
    ['?search=tanks', [602]],
    ['?search=THE', [607, 605, 604, 603, 606]],
    ['?search=countdown%20skips', [603]],
    ['?my_reaction_emoji=rocket', [604]],
    ['?my_reaction_emoji=Any', [604, 601]],
    ['?my_reaction_emoji=None&state=opened', [607, 605, 603, 602]],
    ['?not[labels]=planning', [605, 604, 603, 606]],
    ['?not[author_id]=2&not[labels]=urgent', [607, 604]],
    ['?not[author_username]=olivia&labels=planning', [607, 602]],
    ['?created_after=2026-02-10T09:00:00Z', [607, 605, 604]],
    ['?created_before=2026-01-08T09:00:00Z', [601, 606]],
    ['?updated_after=2026-02-06T00:00:00Z&updated_before=2026-02-11T00:00:00Z', [604, 606]],
    ['?include_descendant_groups=false', [605, 604, 603, 602, 601, 606]],
    ['?per_page=2&page=2', [604, 603]],
  ])('filters and sorts by %s', async (query, expected) => {
    const { status, body } = await ask(`GET ${path}${query}`);
    expect(status).toBe(200);
    expect(ids(body)).toEqual(expected);
  });

  test('includes subgroups and, if requested, parent groups', async () => {
    expect(ids((await ask('GET /groups/11/epics')).body)).toEqual([607]);
    const { body } = await ask('GET /groups/11/epics?include_ancestor_groups=true&sort=asc');
    expect(ids(body)).toEqual([606, 601, 602, 603, 604, 605, 607]);
    expect(body[0].references).toEqual({ short: '&6', relative: 'acme&6', full: 'acme&6' });
    expect(body.at(-1).references).toEqual({ short: '&1', relative: '&1', full: 'acme/labs&1' });
  });

  test('returns label details with with_labels_details', async () => {
    const { body } = await ask(`GET ${path}?with_labels_details=true&labels=urgent,planning`);
    expect(body[0].labels[1]).toMatchObject({
      name: 'urgent',
      color: '#d9534f',
      description: 'Highest priority',
    });
  });
});

describe('roles for epics (section 5)', () => {
  test('shows confidential epics from Reporter up', async () => {
    expect((await ask(`GET ${path}/5`, { as: 'reporter' })).status).toBe(200);
    for (const as of ['guest', 'outsider']) {
      expect(ids((await ask(`GET ${path}`, { as })).body)).not.toContain(605);
    }
  });

  test('shows fixed and inherited dates only to callers who can change the epic', async () => {
    for (const call of [`GET ${path}/2`, `GET ${path}?labels=urgent,planning`]) {
      const shown = async (as: string) => [(await ask(call, { as })).body].flat()[0];
      expect(Object.keys(await shown('reporter'))).toEqual(expect.arrayContaining(forEditors));
      const guest = await shown('guest');
      expect(forEditors.filter((name) => name in guest)).toEqual([]);
      expect(guest).toMatchObject({ start_date: '2026-04-01', due_date: '2026-06-30' });
    }
  });

  test('lets only owners and administrators set timestamps', async () => {
    const created_at = '2020-01-01T00:00:00Z';
    const json = { title: 'old', created_at };
    const created = await ask(`POST ${path}`, { as: 'owner', json });
    expect(created.body.created_at).toBe('2020-01-01T00:00:00.000Z');
    const updated_at = '2021-01-01T00:00:00Z';
    const updated = await ask(`PUT ${path}/1`, { json: { updated_at } });
    expect(updated.body.updated_at).toBe('2021-01-01T00:00:00.000Z');
  });
});
