/** Required roles, transcribed by hand from sections 4 and 5. */
import { describe, expect, test } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { fileForm, openTestSandbox, type RequestOptions } from './ask.ts';

/** Lowest first. */
const ladder = ['none', 'outsider', 'guest', 'reporter', 'developer', 'maintainer', 'owner', 'admin'];

const json = (value: object): RequestOptions => ({ json: value });
const secret = '0123456789abcdef0123456789abcdef';
const [tracking, hooks] = ['/projects/100/error_tracking', '/groups/10/hooks'];
const [uploads, snippets] = ['/projects/100/uploads', '/projects/100/snippets'];
const variables = '/projects/100/variables';
const readme = '/projects/100/repository/files/README.md';

const hello = { title: 'Hello', files: [{ file_path: 'a', content: 'b' }] };
const rule = { name: 'Flight', approvals_required: 1 };
const keyset = 'pagination=keyset&order_by=id&sort=asc';

/** The lowest role that each request requires. */
const table: readonly (readonly [least: string, call: string, sent?: RequestOptions])[] = [
  ['none', `GET ${readme}?ref=main`],
  ['none', `HEAD ${readme}?ref=main`],
  ['none', `GET ${readme}/blame?ref=main`],
  ['none', `GET ${readme}/raw`],
  ['none', 'GET /projects/100/repository/branches'],
  ['none', 'GET /projects/100/repository/branches/main'],
  ['none', 'GET /projects/100/search?scope=blobs&search=x'],
  ['none', `GET ${snippets}/51`],
  ['none', 'GET /broadcast_messages'],
  ['none', 'GET /broadcast_messages/61'],
  ['none', `GET /users?${keyset}`],
  ['outsider', 'GET /users/4'],
  ['outsider', 'GET /projects/100/approvals'],
  ['outsider', 'GET /projects/100/approval_rules'],
  ['outsider', 'GET /groups/10/epics'],
  ['outsider', 'GET /groups/10/epics/1'],
  ['outsider', 'GET /notification_settings'],
  ['outsider', 'GET /projects/100/notification_settings'],
  ['outsider', 'GET /groups/10/notification_settings'],
  ['outsider', 'PUT /groups/10/notification_settings', json({ level: 'watch' })],
  ['outsider', 'GET /groups/10/wikis/home'],
  ['outsider', 'GET /groups/10/epics/1/issues'],
  ['outsider', 'GET /projects/100/protected_branches'],
  ['outsider', 'PUT /notification_settings', json({ level: 'watch' })],
  ['outsider', 'PUT /projects/100/notification_settings', json({ level: 'watch' })],
  ['guest', `GET ${uploads}/${secret}/rocket.png`],
  ['guest', `POST ${uploads}`, { form: fileForm() }],
  ['reporter', `POST ${snippets}`, json(hello)],
  ['reporter', 'POST /groups/10/epics', json({ title: 'Fly' })],
  ['reporter', 'PUT /groups/10/epics/1', json({ title: 'Fly' })],
  [
    'developer',
    `POST ${readme.replace('README', 'NEW')}`,
    json({ branch: 'develop', commit_message: 'x', content: 'y' }),
  ],
  ['developer', `PUT ${readme}`, json({ branch: 'develop', commit_message: 'x', content: 'y' })],
  ['developer', `DELETE ${readme}?branch=develop&commit_message=x`],
  ['developer', 'DELETE /projects/100/repository/merged_branches'],
  ['developer', 'POST /projects/100/releases', json({ tag_name: 'new', ref: 'main' })],
  ['developer', 'POST /projects/100/merge_requests/7/context_commits', json({ commits: [seededShas.main] })],
  ['developer', `DELETE /projects/100/merge_requests/7/context_commits?commits[]=${seededShas['main~3']}`],
  ['developer', 'POST /projects/100/jobs/5262/play'],
  ['developer', 'POST /projects/100/jobs/5234/retry'],
  ['developer', 'POST /projects/100/jobs/5280/cancel'],
  ['developer', 'POST /groups/10/wikis', json({ title: 'x', content: 'y' })],
  ['developer', 'PUT /groups/10/wikis/home', json({ content: 'y' })],
  ['developer', 'POST /projects/100/repository/branches', json({ branch: 'new', ref: 'main' })],
  ['developer', 'DELETE /projects/100/repository/branches/develop'],
  ['developer', 'POST /pipelines/1010/dependency_list_exports', json({ export_type: 'sbom' })],
  ['maintainer', `GET ${uploads}`],
  ['maintainer', `GET ${uploads}/71`],
  ['maintainer', `DELETE ${uploads}/71`],
  ['maintainer', `DELETE ${uploads}/${secret}/rocket.png`],
  ['maintainer', `GET ${tracking}/settings`],
  ['maintainer', `PUT ${tracking}/settings`, json({ active: true, integrated: true })],
  ['maintainer', `PATCH ${tracking}/settings`, json({ active: false })],
  ['maintainer', `GET ${tracking}/client_keys`],
  ['maintainer', `POST ${tracking}/client_keys`],
  ['maintainer', `DELETE ${tracking}/client_keys/501`],
  ['maintainer', `GET ${tracking}/errors`],
  ['maintainer', 'POST /projects/100/approvals', json({ merge_requests_author_approval: true })],
  ['maintainer', 'POST /projects/100/approval_rules', json(rule)],
  ['maintainer', 'PUT /projects/100/approval_rules/31', json(rule)],
  ['maintainer', 'DELETE /projects/100/approval_rules/31'],
  ['maintainer', `GET ${variables}`],
  ['maintainer', `POST ${variables}`, json({ key: 'NEW', value: 'x' })],
  ['maintainer', `DELETE ${variables}/DEPLOY_USER`],
  ['maintainer', 'POST /projects/100/protected_branches', json({ name: 'develop' })],
  ['maintainer', 'DELETE /projects/100/protected_branches/main'],
  ['maintainer', 'POST /projects/100/badges', json({ link_url: 'https://a.b', image_url: 'https://a.b/c' })],
  ['owner', 'POST /groups/10/badges', json({ link_url: 'https://a.b', image_url: 'https://a.b/c' })],
  ['owner', 'GET /groups/10/approval_rules'],
  ['owner', 'POST /groups/10/approval_rules', json(rule)],
  ['owner', 'PUT /groups/10/approval_rules/41', json(rule)],
  ['owner', 'DELETE /groups/10/epics/3'],
  ['owner', `PUT ${hooks}/302`, json({ name: 'New' })],
  ['owner', `DELETE ${hooks}/302`],
  ['owner', `GET ${hooks}`],
  ['owner', `GET ${hooks}/301`],
  ['owner', `GET ${hooks}/301/events`],
  ['owner', `POST ${hooks}/301/events/401/resend`],
  ['owner', `POST ${hooks}`, json({ url: 'https://ci.example.com' })],
  ['admin', `GET ${snippets}/51/user_agent_detail`],
  ['admin', 'POST /broadcast_messages', json({ message: 'Down at noon' })],
  ['admin', 'PUT /broadcast_messages/61', json({ message: 'Up again' })],
  ['admin', 'DELETE /broadcast_messages/61'],
  ['admin', 'GET /application/appearance'],
  ['admin', 'PUT /application/appearance', json({ title: 'Acme' })],
  ['admin', 'GET /license'],
  ['admin', 'GET /licenses'],
  ['admin', 'GET /license/1'],
  ['admin', 'POST /license', json({ license: 'eyJkYXRhIjoi' })],
  ['admin', 'DELETE /license/1'],
  ['admin', 'PUT /license/2/refresh_billable_users'],
  ['admin', 'GET /license/usage_export.csv'],
];

describe('required roles', () => {
  const calls = table.map(([least, call, sent = {}]) => ({ least, call, sent }));

  test.each(calls)('$call requires $least', async ({ least, call, sent }) => {
    const { ask } = await openTestSandbox();
    const at = ladder.indexOf(least);
    for (const as of ladder.slice(0, at)) {
      const { status } = await ask(call, { ...sent, as });
      expect([as, status]).toEqual([as, as === 'none' ? 401 : 403]);
    }
    const { status } = await ask(call, { ...sent, as: least });
    expect([least, status >= 200 && status < 300]).toEqual([least, true]);
  });

  test('return 404 for a private project to non-members', async () => {
    const { ask } = await openTestSandbox();
    for (const { call, sent } of calls) {
      if (!call.includes('/projects/100/')) continue;
      const there = call.replace('/projects/100/', '/projects/101/');
      expect([there, (await ask(there, { ...sent, as: 'outsider' })).status]).toEqual([there, 404]);
    }
  });
});
