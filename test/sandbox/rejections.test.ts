/** Requests that a new sandbox rejects. A request that is rejected changes nothing, and causes no event. */
import { describe, expect, test } from 'vitest';
import { configuration, entity } from '../support/migration.ts';
import { openTestSandbox, recordEvents } from './ask.ts';

/**
 * The call is the role, which is the administrator by default, the method and the rest of the path. The last value is the body or a part
 * of it.
 */
type Rejection = readonly [status: number, call: string, json?: object | undefined, says?: object | string];

const notGiven = (name: string) => ({ message: `400 (Bad request) "${name}" not given` });
const invalid = (name: string, message: unknown = expect.any(String)) => ({ message: { [name]: [message] } });
const absent = (what: string) => ({ message: `404 ${what} Not Found` });
const blank = "can't be blank";
const taken = 'has already been taken';
const tooLong = (limit: number) => `is too long (maximum is ${limit} characters)`;

const rule = { name: 'Flight', approvals_required: 1 };
const report = { ...rule, rule_type: 'report_approver' };
const badge = { link_url: 'https://a.example', image_url: 'https://a.example/i.svg' };
const url = 'https://ci.example.com';
const migration = (more: object) => ({ configuration, entities: [{ ...entity, ...more }] });
const hello = { file_path: 'hello.sh', content: 'echo hello\n' };
const snippet = (title: string, ...files: object[]) => ({ title, files });
const change = { branch: 'develop', commit_message: 'Change', content: 'new\n' };
const several =
  "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";
const takenKey = invalid('key', `(DATABASE_URL) ${taken}`);
const staging = { key: 'DATABASE_URL', value: 'x', environment_scope: 'staging' };

/** By the start of their paths. */
const rejections: Readonly<Record<string, readonly Rejection[]>> = {
  '': [
    [404, 'GET /nothing', undefined, { error: '404 Not Found' }],
    [404, 'GET /namespaces', undefined, { error: '404 Not Found' }],
    [404, 'GET /', undefined, { error: '404 Not Found' }],
  ],
  '/projects': [
    [404, 'GET /100/jobs/', undefined, { error: '404 Not Found' }],
    [404, 'GET /acme/rocket/jobs', undefined, { error: '404 Not Found' }],
    [400, 'GET /%E0%A4%A/jobs'],
    [404, 'outsider GET /101', undefined, absent('Project')],
    [404, 'none GET /101', undefined, absent('Project')],
    [404, 'none GET /102'],
    [400, 'GET ?visibility=secret'],
    [400, 'GET /100/search?search=x'],
  ],
  '/groups': [
    [404, 'owner GET /umbrella', undefined, absent('Group')],
    [404, 'outsider GET /umbrella/projects'],
    [404, 'GET /nothing/projects'],
  ],
  '/projects/100/jobs': [
    ...['0', '-1', 'x', '1.5'].flatMap((value): Rejection[] => [
      [400, `GET ?page=${value}`, undefined, invalid('page')],
      [400, `GET ?per_page=${value}`, undefined, invalid('per_page')],
    ]),
    [400, 'GET ?page=99999999999999999999', undefined, invalid('page')],
    [400, 'GET ?pagination=keyset&cursor=nonsense'],
    [400, 'GET ?pagination=keyset&cursor=e30'],
    [400, 'GET ?pagination=keyset&order_by=name'],
    [400, 'GET ?pagination=keyset&sort=asc'],
    [400, 'GET ?pagination=keyset&pagination=offset'],
    [400, 'GET ?pagination=keyset&id_after=x'],
    [400, 'GET ?scope[]=nonsense', undefined, invalid('scope', expect.stringMatching(/^must be one of /))],
  ],
  '/projects/100/pipelines': [
    [404, 'GET /9/jobs'],
    [404, 'GET /9/bridges'],
    [400, 'GET /x/jobs'],
    [400, 'GET /x/bridges'],
  ],
  '/projects/102/pipelines': [
    [404, 'GET /1012/jobs'],
    [404, 'GET /1012/bridges'],
  ],
  '/application/appearance': [
    [400, 'PUT', { logo: 'logo.png' }],
    [400, 'PUT', { email_header_and_footer_enabled: 'maybe' }],
    [
      400,
      'PUT',
      { message_background_color: 'red' },
      invalid('message_background_color', 'must be a valid color code'),
    ],
    [400, 'PUT', { message_font_color: '#zzz' }, invalid('message_font_color', 'must be a valid color code')],
  ],
  '/projects/100/approvals': [
    [
      400,
      'POST',
      { reset_approvals_on_push: true, selective_code_owner_removals: true },
      invalid('selective_code_owner_removals', expect.stringContaining('reset_approvals_on_push')),
    ],
  ],
  '/projects/100/approval_rules': [
    [404, 'GET /41'],
    [400, 'GET /x'],
    [400, 'POST', { ...rule, name: 'Engines' }, invalid('name')],
    [400, 'POST', { ...rule, name: ' ' }, invalid('name')],
    [400, 'POST', report, invalid('rule_type')],
  ],
  '/groups/10/approval_rules': [
    [400, 'POST', { ...rule, name: ' ' }, invalid('name', blank)],
    [400, 'POST', { ...rule, name: 'Security' }, invalid('name', taken)],
    [400, 'POST', report, invalid('rule_type')],
    [400, 'PUT /41', { rule_type: 'report_approver' }],
    [404, 'PUT /31', { name: 'x' }],
    [405, 'DELETE /41'],
  ],
  '/projects/100/badges': [
    [400, 'POST', { link_url: badge.link_url }, notGiven('image_url')],
    [400, 'POST', { ...badge, link_url: 'javascript:alert(1)' }, invalid('link_url')],
    [400, 'POST', { ...badge, image_url: '/a.svg' }, invalid('image_url')],
    [400, 'POST', { ...badge, image_url: '' }, invalid('image_url')],
    [400, 'PUT /81', { ...badge, link_url: 'javascript:alert(1)' }],
    [400, 'PUT /81', { ...badge, image_url: '/a.svg' }],
    [400, 'PUT /81', { ...badge, image_url: '' }],
    [400, 'GET /render?link_url=javascript:alert(1)&image_url=https://a.example/i.svg'],
    [400, 'GET /render?link_url=https://a.example&image_url=/a.svg'],
    [400, 'GET /render?link_url=https://a.example&image_url='],
    // A badge of the group.
    [403, 'DELETE /91'],
    [403, 'PUT /91', { name: 'x' }],
    [404, 'GET /-1'],
    [400, 'GET /x'],
  ],
  '/groups/10/badges': [
    [404, 'DELETE /81'],
    [404, 'GET /-1'],
    [400, 'GET /x'],
  ],
  '/projects/100/repository/branches': [
    [404, 'none GET /none', undefined, absent('Branch')],
    [400, 'none GET ?regex=(', undefined, invalid('regex')],
    [400, 'none GET ?regex=(%3F=main)', undefined, invalid('regex')],
    [400, 'none GET ?regex=(a)%5C1', undefined, invalid('regex')],
    [400, 'developer POST', { branch: 'develop', ref: 'main' }, 'Branch already exists'],
    [400, 'developer POST', { branch: 'new', ref: 'none' }, 'Invalid reference name: none'],
    [400, 'developer POST', { branch: 'a..b', ref: 'main' }, 'Branch name is invalid'],
    [400, 'developer POST', { branch: 'feature', ref: 'main' }, 'Branch name is invalid'],
    [400, 'developer POST', { ref: 'main' }, notGiven('branch')],
    [400, 'developer POST', { branch: 'new' }, notGiven('ref')],
    [400, 'maintainer DELETE /main', undefined, { message: expect.stringMatching(/\w/) }],
    [400, 'maintainer DELETE /release%2F1.x', undefined, { message: expect.stringMatching(/\w/) }],
    [404, 'developer DELETE /none', undefined, { message: expect.stringMatching(/\w/) }],
  ],
  '/projects/100/protected_branches': [[409, 'maintainer POST', { name: 'main' }]],
  // The code of a private project.
  '/projects/101': [
    [403, 'guest GET /repository/branches'],
    [403, 'guest GET /protected_branches'],
    [403, 'guest GET /protected_branches/main'],
    [403, 'guest GET /repository/files/README.md?ref=main'],
    [403, 'guest GET /merge_requests/7/context_commits'],
  ],
  '/broadcast_messages': [
    [400, 'POST', { message: ' ' }, invalid('message', blank)],
    [400, 'POST', { message: 'x', font: 'blue' }, invalid('font', 'must be a valid color code')],
  ],
  '/projects/100/merge_requests/7/context_commits': [
    ...['f'.repeat(40), 'main', 'HEAD~1', '', 'xyz'].map(
      (other): Rejection => [400, 'POST', { commits: ['72bc266c', other] }],
    ),
    [400, 'POST', {}, 'commits'],
    [400, 'POST', { commits: [] }],
  ],
  '/projects/100/merge_requests/8/context_commits': [[404, 'GET']],
  '/projects/101/merge_requests/7/context_commits': [[404, 'GET']],
  '/pipelines': [
    [400, 'POST /1010/dependency_list_exports', {}, notGiven('export_type')],
    [400, 'POST /1010/dependency_list_exports', { export_type: 'csv' }],
    [404, 'POST /1/dependency_list_exports', { export_type: 'sbom' }],
  ],
  '/dependency_list_exports': [
    [404, 'GET /999'],
    [400, 'GET /x'],
    [404, 'developer GET /95'],
  ],
  '/groups/10/epics': [
    [400, 'POST', {}, 'title'],
    [400, 'POST', { title: ' ' }, 'title'],
    [400, 'POST', { title: 'x'.repeat(256) }, 'title'],
    [400, 'POST', { title: 'x', description: 'x'.repeat(1_048_577) }, tooLong(1_048_576)],
    [400, 'POST', { title: 'x', due_date_fixed: '2026-02-30' }, 'due_date_fixed'],
    [400, 'POST', { title: 'x', color: 'red' }, 'color'],
    [400, 'POST', { title: 'x', parent_id: 999 }, 'parent_id'],
    [403, 'developer POST', { title: 'old', created_at: '2020-01-01T00:00:00Z' }],
    [403, 'maintainer PUT /1', { updated_at: '2021-01-01T00:00:00Z' }],
    // Cycles of parents.
    [400, 'PUT /1', { parent_id: 602 }],
    [400, 'PUT /1', { parent_id: 601 }],
    [400, 'PUT /1', { state_event: 'burn' }],
    [400, 'PUT /2', { labels: [{ name: 'c' }] }],
    // A confidential epic.
    [404, 'guest GET /5', undefined, absent('Epic')],
    [404, 'outsider GET /5', undefined, absent('Epic')],
    [404, 'guest PUT /5', { title: 'x' }],
    [404, 'outsider PUT /5', { title: 'x' }],
    [404, 'GET /99/issues'],
  ],
  '/projects/101/error_tracking': [
    [404, 'GET /settings', undefined, absent('Error Tracking Setting')],
    [404, 'PATCH /settings?active=true', undefined, absent('Error Tracking Setting')],
    [404, 'DELETE /client_keys/501'],
  ],
  '/projects/100/error_tracking/errors': [[400, 'GET ?sort=name']],
  '/error_tracking/collector': [[405, 'none GET /api/100/store/']],
  '/projects/100/repository/files': [
    [404, 'GET /none.md?ref=main', undefined, absent('File')],
    [404, 'GET /src?ref=main', undefined, absent('File')],
    [404, 'GET /README.md?ref=none', undefined, absent('Commit')],
    [404, 'GET /README.md/blame?ref=none', undefined, absent('Commit')],
    [404, 'GET /none.md/raw', undefined, absent('File')],
    [400, 'GET /README.md', undefined, notGiven('ref')],
    // The path must be encoded.
    [404, 'GET /src/main.ts?ref=main'],
    ...['GET', 'HEAD'].flatMap((method): Rejection[] => [
      [400, `${method} /README.md/blame?ref=main&range[start]=2`],
      [400, `${method} /README.md/blame?ref=main&range[end]=2`],
      [400, `${method} /README.md/blame?ref=main&range[start]=5&range[end]=4`],
      [400, `${method} /README.md/blame?ref=main&range[start]=0&range[end]=4`],
      [400, `${method} /README.md/blame?ref=main&range[start]=x&range[end]=4`],
    ]),
    [403, 'developer POST /x', { ...change, branch: 'main' }],
    [403, 'developer POST /x', { ...change, branch: 'release/1.x' }],
  ],
  '/projects/999/repository/files': [[404, 'GET /README.md?ref=main', undefined, absent('Project')]],
  '/projects/102/repository/files': [[404, 'none GET /README.md?ref=main']],
  '/groups/10/hooks': [
    [400, 'POST', { name: 'x' }, 'url'],
    [400, 'POST', { url: 'ci.example.com' }, 'url'],
    [400, 'POST', { url: 'ftp://ci.example.com' }, 'url'],
    [400, 'POST', { url, push_events_branch_filter: '(', branch_filter_strategy: 'regex' }, 'branch_filter'],
    [400, 'POST', { url, branch_filter_strategy: 'guess' }, 'branch_filter_strategy'],
    [400, 'POST', { url, custom_webhook_template: '{"a":"{{ref"}' }, 'custom_webhook_template'],
    [400, 'POST', { url, custom_headers: [{ key: 'X-A', value: 'a\r\nX-B: b' }] }, 'custom_headers'],
    [400, 'POST', { url, custom_headers: [{ key: 'Content-Length', value: '1' }] }, 'custom_headers'],
    [400, 'POST', { url, token: 'a\nb' }, 'token'],
    [400, 'POST', { url, custom_headers: [{ value: '1' }] }, 'key'],
    [400, 'POST', { url, push_events: 'sometimes' }, 'push_events'],
    [400, 'PUT /302', { url: 'ftp://x.example' }],
    [400, 'PUT /302', { url: '' }],
    [400, 'GET /301/events?status=fine'],
    // A hook of a project.
    [404, 'GET /300'],
  ],
  '/projects/100/hooks': [
    [404, 'GET /301'],
    [403, 'developer GET'],
  ],
  '/license': [
    [400, 'POST', { license: 'invalid' }, 'base'],
    [400, 'POST', {}, notGiven('license')],
    [404, 'GET /9'],
    [400, 'GET /two'],
  ],
  '/bulk_imports': [
    [400, 'POST', { entities: [entity] }, 'configuration'],
    [400, 'POST', { configuration }, 'entities'],
    [400, 'POST', { configuration, entities: [] }, 'entities'],
    [400, 'POST', { configuration: { url }, entities: [entity] }, 'access_token'],
    [400, 'POST', { configuration: { ...configuration, url: 'old' }, entities: [entity] }, 'url'],
    [400, 'POST', migration({ source_full_path: undefined }), 'source_full_path'],
    [400, 'POST', migration({ source_full_path: 'https://x/y' }), 'source_full_path'],
    [400, 'POST', migration({ source_type: 'team' }), 'entities'],
    [400, 'POST', migration({ destination_slug: 'a/b' }), 'destination_slug'],
    [422, 'POST', migration({ destination_namespace: 'nowhere' })],
    [422, 'outsider POST', migration({})],
    [403, 'readonly POST', migration({})],
    [404, 'owner GET /21'],
    [404, 'GET /99', undefined, absent('Migration')],
    [400, 'GET ?status=canceled'],
    [404, 'GET /21/entities/221'],
    [400, 'POST /21/cancel'],
    [404, 'POST /99/cancel'],
  ],
  '/groups/10/notification_settings': [[400, 'PUT', { level: 'loud' }]],
  '/projects/100/notification_settings': [[400, 'PUT', { new_note: 'maybe' }]],
  '/notification_settings': [
    [400, 'PUT', { level: 'global' }],
    [400, 'PUT', { notification_email: 'unknown' }],
  ],
  '/groups/10/releases': [[400, 'GET ?sort=up']],
  '/groups/umbrella/releases': [[404, 'outsider GET']],
  '/projects/100/releases': [
    [409, 'developer POST', { tag_name: 'v1.0.0' }],
    [422, 'developer POST', { tag_name: 'new' }],
    [422, 'developer POST', { tag_name: 'new', ref: 'nowhere' }],
    [422, 'developer POST', { tag_name: 'a..b', ref: 'main' }],
    [400, 'developer POST', { name: 'new' }],
    [404, 'PUT /v9', {}],
    [404, 'DELETE /v9'],
  ],
  '/projects/100/snippets': [
    [400, 'POST', { title: 'x' }, notGiven('files')],
    [400, 'POST', snippet('x', { content: 'y' }), notGiven('files[0][file_path]')],
    [400, 'POST', snippet('x', { file_path: 'y' }), notGiven('files[0][content]')],
    [400, 'POST', snippet(' ', hello), invalid('title', blank)],
    [400, 'POST', snippet('x'.repeat(256), hello), invalid('title', tooLong(255))],
    [400, 'POST', snippet('x'), invalid('files')],
    [400, 'POST', snippet('x', hello, hello), invalid('files', 'hello.sh already exists')],
    [404, 'GET /52/files/main/lib%2Fnone.py/raw'],
    [404, 'GET /52/files/develop/main.py/raw'],
    [404, 'GET /52/files/main/lib/util.py/raw'],
    [404, 'GET /99/files/main/main.py/raw'],
    [404, 'GET /99/user_agent_detail'],
    // An internal and a private snippet.
    [404, 'none GET /52'],
    [404, 'none GET /52/files/main/main.py/raw'],
    [404, 'none GET /53/raw'],
    [404, 'outsider GET /53'],
    [404, 'outsider GET /53/raw'],
    [404, 'outsider GET /53/files/main/launch.md/raw'],
  ],
  '/projects/100/snippets/52': [
    ...(
      [
        [{ file_path: 'a' }, notGiven('files[0][action]')],
        [{ action: 'copy', file_path: 'x' }, 'action'],
        [{ action: 'create', content: 'x' }, notGiven('files[0][file_path]')],
        [{ action: 'create', file_path: 'a' }, notGiven('files[0][content]')],
        [{ action: 'update', file_path: 'main.py' }, notGiven('files[0][content]')],
        [{ action: 'move', file_path: 'a' }, notGiven('files[0][previous_path]')],
        [{ ...hello, action: 'create', file_path: 'main.py' }, invalid('files', 'main.py already exists')],
        [{ ...hello, action: 'create', file_path: '../a' }, invalid('files', '../a is not a valid path')],
        [{ ...hello, action: 'update' }, invalid('files', 'hello.sh does not exist')],
        [{ action: 'delete', file_path: 'b' }, invalid('files', 'b does not exist')],
        [{ action: 'move', file_path: 'a', previous_path: 'b' }, invalid('files', 'b does not exist')],
        [{ action: 'move', file_path: 'main.py', previous_path: 'lib/util.py' }, 'main.py already exists'],
      ] as const
    ).map(([file, says]): Rejection => [400, 'PUT', snippet('New', file), says]),
    [
      400,
      'PUT',
      snippet(
        'New',
        { action: 'delete', file_path: 'main.py' },
        { action: 'delete', file_path: 'lib/util.py' },
      ),
      invalid('files', expect.stringContaining('one file')),
    ],
    [400, 'PUT', { content: 'x' }, '`files`'],
    // A snippet of another user.
    ...['outsider', 'guest', 'reporter', 'developer'].flatMap((role): Rejection[] => [
      [403, `${role} PUT`, { title: 'Orbits' }],
      [403, `${role} DELETE`],
    ]),
  ],
  '/projects/101/snippets': [[404, 'GET /51']],
  '/projects/100/uploads': [
    [400, 'POST', {}, notGiven('file')],
    [400, 'POST', { file: 'text' }],
    [404, 'GET /999'],
    [404, 'DELETE /999'],
    [404, 'GET /0123456789abcdef0123456789abcdef/other.png'],
    [404, 'DELETE /00000000000000000000000000000000/rocket.png'],
    [404, 'GET /short/rocket.png'],
  ],
  '/projects/101/uploads': [[404, 'GET /71']],
  '/users': [
    [400, 'GET ?created_after=yesterday'],
    [400, 'GET ?order_by=email'],
    [401, 'none GET'],
    [401, 'none GET ?username=root'],
    [405, 'GET ?pagination=keyset&order_by=updated_at&sort=asc'],
    [405, 'GET ?page=500&per_page=100', undefined, { error: expect.stringContaining('keyset') }],
  ],
  '/projects/100/variables': [
    [409, 'GET /DATABASE_URL', undefined, { message: several }],
    [409, 'PUT /DATABASE_URL', { value: 'x' }, { message: several }],
    [409, 'DELETE /DATABASE_URL', undefined, { message: several }],
    [400, 'POST', staging, takenKey],
    [400, 'PUT /DATABASE_URL?filter[environment_scope]=production', staging, takenKey],
    ...['A-B', '', 'ä', 'A B', 'A'.repeat(256)].map(
      (key): Rejection => [400, 'POST', { key, value: 'x' }, invalid('key')],
    ),
    // Values that a job log could not mask.
    ...['short', 'two words long', 'two-lines\nof-text', ''].flatMap((value): Rejection[] => [
      [400, 'POST', { key: 'M', value, masked: true }, invalid('value', 'is invalid')],
      [400, 'POST', { key: 'M', value, masked_and_hidden: true }, invalid('value', 'is invalid')],
    ]),
  ],
  '/groups/10/wikis': [
    [400, 'POST', { title: ' ', content: 'x' }, invalid('title', blank)],
    [400, 'POST', { title: 'x', content: '' }, invalid('content', blank)],
    [400, 'POST', { title: '../x', content: 'x' }, invalid('title', 'is invalid')],
    [400, 'POST', { title: 'a//b', content: 'x' }, invalid('title', 'is invalid')],
    [400, 'POST', { title: 'home', content: 'x' }, invalid('base', expect.stringMatching('Duplicate page'))],
    [400, 'POST /attachments', {}, notGiven('file')],
    [400, 'PUT /home', { format: 'org' }],
    [400, 'PUT /home', { title: 'legal' }],
    [404, 'PUT /nowhere', { title: 'x' }],
    [404, 'DELETE /nowhere'],
    [404, 'GET /guides/release'],
    [404, 'GET /home?version=0000000000000000000000000000000000000000'],
  ],
};

const { ask, sandbox } = await openTestSandbox();
const { store } = sandbox.world;
// The first read of a repository creates its files.
for (const id of [100, 101, 102]) await sandbox.world.repository(id);
const rowsOf = () => JSON.stringify([...store.rows()]);
let seen = rowsOf();
const events = recordEvents(sandbox);

describe.each(Object.entries(rejections))('%s', (start, rows) => {
  test.each(rows.map((row) => [row[0], row[1], row] as const))(
    '%i for %s (case %#)',
    async (_, line, row) => {
      const [status, , json, says] = row;
      const [, as = 'admin', method, rest = ''] = /^(?:(\w+) )?([A-Z]+) ?(.*)$/.exec(line) ?? [];
      const response = await ask(`${method} ${start}${rest}`, { as, json });
      expect([response.status, json]).toEqual([status, json]);
      if (typeof says === 'string') expect(response.text).toContain(says);
      else if (says) expect(response.body).toEqual(says);
      // The token of the source of a migration.
      expect(response.text).not.toContain('source-secret');
      expect(events.splice(0)).toEqual([]);
    },
  );

  test('changed nothing', () => {
    const before = seen;
    seen = rowsOf();
    expect(seen === before).toBe(true);
  });
});
