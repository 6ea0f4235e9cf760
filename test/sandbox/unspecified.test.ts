import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../support/folders.ts';
import { openReceiver } from '../support/receiver.ts';
import { openWorld } from '../support/sandbox.ts';
import { ids, openClocked, openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

test('lists and finds protections of branches, including patterns (section 4.11)', async () => {
  const path = '/projects/100/protected_branches';
  const created = (await ask(`POST ${path}`, { json: { name: 'feature/*', push_access_level: 30 } })).body;
  expect((await ask(`GET ${path}/feature%2F*`)).body).toEqual(created);
  const { body } = await ask(`GET ${path}`);
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['main', 'release/1.x', 'feature/*']);
  expect((await ask(`GET ${path}?search=FEAT`)).body).toEqual([created]);
});

describe('changing hooks (section 4.17)', () => {
  const path = '/groups/10/hooks';

  test('updates only the given attributes', async () => {
    const before = (await ask(`GET ${path}/302`)).body;
    const json = { name: 'Room', wiki_page_events: true, releases_events: false };
    const after = await ask(`PUT ${path}/302`, { as: 'owner', json });
    expect([after.status, after.body]).toEqual([200, { ...before, ...json }]);
    const headers = { custom_headers: [{ key: 'X-Team', value: 'rocket' }] };
    const changed = await ask(`PUT ${path}/302`, { json: headers });
    expect(changed.body.custom_headers).toEqual([{ key: 'X-Team' }]);
  });

  test('validates an update together with the stored attributes', async () => {
    const put = (json: object) => ask(`PUT ${path}/302`, { json });
    expect((await put({ push_events_branch_filter: '(' })).status).toBe(200);
    const rejected = await put({ branch_filter_strategy: 'regex' });
    expect(rejected.status).toBe(400);
    expect(rejected.body.message).toEqual({ push_events_branch_filter: ['must be a valid regex'] });
  });
});

describe('hooks of projects', () => {
  const path = '/projects/100/hooks';

  test('get the events of their project', async () => {
    const receiver = await openReceiver();
    const { sandbox, ask } = await openTestSandbox();
    const json = { url: receiver.url, push_events: true };
    const { status, body } = await ask(`POST ${path}`, { as: 'maintainer', json });
    expect([status, body.project_id]).toEqual([201, 100]);
    for (const name of ['group_id', 'subgroup_events']) expect(body).not.toHaveProperty(name);
    const file = { branch: 'main', commit_message: 'm', content: 'c' };
    for (const project of [100, 101])
      await ask(`POST /projects/${project}/repository/files/new.txt`, { json: file });
    await ask('POST /groups/10/wikis', { json: { title: 'T', content: 'c' } });
    await sandbox.close();
    expect(receiver.calls.map((call) => JSON.parse(call.body).project_id)).toEqual([100]);
    const events = (await ask(`GET ${path}/${body.id}/events`)).body;
    expect(events).toMatchObject([{ trigger: 'push_hooks', response_status: '200' }]);
    const again = await ask(`POST ${path}/${body.id}/events/${events[0].id}/resend`);
    expect(again.body).toEqual({ response_status: 200 });
  });

  test('are forwarded and replayed with --project', async () => {
    const state = await folderWith();
    const { run } = await openWorld();
    const env = { SVC_PROJECT: 'acme/rocket', XDG_STATE_HOME: state, SVC_CONFIG_DIR: join(state, 'svc') };
    const { err } = await run('hooks forward 300 --to http://receiver.example --since 7d --once', { env });
    // The transport of the test sends it to the sandbox, which has no such path.
    expect(err).toContain('responded to event 400 with status 404');
    const { out } = await run('hooks replay 300 --status 404 --dry-run', { env });
    expect(out).toContain('/projects/acme%2Frocket/hooks/300/events/400/resend');
  });
});

describe('epics (section 4.20)', () => {
  const path = '/groups/10/epics';

  test('deletes an epic, and keeps its child epics without a parent', async () => {
    expect((await ask(`GET ${path}/2`)).body.parent_iid).toBe(1);
    expect((await ask(`DELETE ${path}/1`, { as: 'owner' })).status).toBe(204);
    expect((await ask(`GET ${path}/2`)).body).toMatchObject({ parent_id: null, parent_iid: null });
  });

  test('lists issues in the order of the epic at the URL in its links', async () => {
    const { epic_issues } = (await ask(`GET ${path}/1`)).body._links;
    const { body } = await ask(`GET ${new URL(epic_issues).pathname.replace('/api/v4', '')}`);
    expect(ids(body)).toEqual([802, 801, 803]);
    expect(body[1]).toMatchObject({
      iid: 1,
      project_id: 100,
      state: 'opened',
      author: { username: 'devon' },
      web_url: 'http://sandbox.localhost/acme/rocket/-/issues/1',
      references: { short: '#1', relative: 'rocket#1', full: 'acme/rocket#1' },
      relative_position: 20,
    });
    expect((await ask(`GET ${path}/4/issues`)).body).toEqual([]);
  });

  test('shows confidential issues from Reporter up', async () => {
    const seen = async (as: string) => ids((await ask(`GET ${path}/1/issues`, { as })).body);
    expect(await seen('guest')).toEqual([802, 801]);
    expect(await seen('reporter')).toEqual([802, 801, 803]);
  });
});

describe('approval rules of a project (section 4.5)', () => {
  const path = '/projects/100/approval_rules';
  const rule = { name: 'Flight', approvals_required: 2, user_ids: [3, 4] };

  test('creates and changes a rule', async () => {
    const created = await ask(`POST ${path}`, { as: 'maintainer', json: rule });
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'Flight',
        rule_type: 'regular',
        approvals_required: 2,
        users: [{ id: 3 }, { id: 4 }],
        applies_to_all_protected_branches: false,
        protected_branches: [],
      },
    });
    const one = `${path}/${created.body.id}`;
    const changed = await ask(`PUT ${one}`, { as: 'maintainer', json: { approvals_required: 1 } });
    expect([changed.status, changed.body]).toEqual([200, { ...created.body, approvals_required: 1 }]);
    expect((await ask(`GET ${path}`)).body).toContainEqual(changed.body);
  });

  test('applies to the listed protected branches or to all', async () => {
    const [main, release] = (await ask('GET /projects/100/protected_branches')).body;
    const json = { ...rule, protected_branch_ids: [release.id, 999] };
    const { body: created } = await ask(`POST ${path}`, { json });
    expect(created.protected_branches).toEqual([release]);
    for (const [all, branches] of [
      [true, [main, release]],
      [false, []],
    ]) {
      const change = { applies_to_all_protected_branches: all };
      const { body } = await ask(`PUT ${path}/${created.id}`, { json: change });
      expect(body).toMatchObject({ ...change, protected_branches: branches });
    }
  });
});

describe('tracked errors (section 6.2)', () => {
  const path = '/projects/100/error_tracking/errors';

  /** Three events an hour after the first one. */
  async function reported() {
    const opened = await openClocked();
    const path = `/error_tracking/collector/api/100/store/?sentry_key=${'5'.repeat(31)}1`;
    const stacktrace = { frames: [{ filename: 'a.js', lineno: 3 }] };
    const values = [{ type: 'RangeError', value: 'too far', stacktrace }];
    for (const [at, id] of [1, 2, 2, 3].entries()) {
      if (at === 1) opened.wait(3600);
      await opened.ask(`POST ${path}`, { as: 'none', json: { exception: { values }, user: { id } } });
    }
    return opened;
  }

  test('lists reported errors with counts, users, times, hours and stack trace', async () => {
    const { ask } = await reported();
    const { body } = await ask(`GET ${path}`, { as: 'maintainer' });
    expect(body).toHaveLength(2);
    expect(body[0]).toMatchObject({
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...{ project_id: 100, name: 'RangeError', description: 'too far', status: 'unresolved' },
      ...{ event_count: 4, approximated_user_count: 3 },
      first_seen_at: '2026-04-01T12:00:00.000Z',
      last_seen_at: '2026-04-01T13:00:00.000Z',
      stack_trace: [{ filename: 'a.js', function: '', lineno: 3 }],
    });
    const hours = body[0].stats.frequency['24h'];
    expect(hours).toHaveLength(24);
    expect(hours.slice(-2)).toEqual([
      [Date.parse('2026-04-01T12:00:00Z') / 1000, 1],
      [Date.parse('2026-04-01T13:00:00Z') / 1000, 3],
    ]);
    expect(hours[0]).toEqual([Date.parse('2026-03-31T14:00:00Z') / 1000, 0]);
    expect(JSON.stringify(body)).not.toContain('"users"');
  });

  test('lists an error without users and hours, as a seed file can set it', async () => {
    const { sandbox, ask } = await openTestSandbox();
    const row = { project_id: 100, name: 'SeedError', last_seen_at: '2026-04-01T11:00:00.000Z' };
    sandbox.world.table('errors').insert(row);
    const { status, body } = await ask(`GET ${path}`);
    expect(status).toBe(200);
    expect(body[0]).toMatchObject({ name: 'SeedError', event_count: 0, approximated_user_count: 0 });
  });

  test('filters and sorts', async () => {
    const { ask } = await reported();
    const names = async (query: string) =>
      (await ask(`GET ${path}${query}`)).body.map(({ name }: { name: string }) => name);
    expect(await names('?sort=frequency_desc')).toEqual(['RangeError', 'TypeError']);
    expect(await names('?query=TANK')).toEqual(['TypeError']);
    expect(await names('?status=resolved')).toEqual([]);
    expect(await names('?per_page=1&page=2')).toEqual(['TypeError']);
    expect((await ask('GET /projects/101/error_tracking/errors')).body).toEqual([]);
  });
});
