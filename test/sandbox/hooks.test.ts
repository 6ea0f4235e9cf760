import { describe, expect, test } from 'vitest';
import { serve } from '../../src/sandbox/index.ts';
import { server } from '../support/certificates.ts';
import { openReceiver } from '../support/receiver.ts';
import { ids, openClocked, openTestSandbox, type TestSandbox } from './ask.ts';

async function push({ ask }: TestSandbox, branch = 'develop', file = 'notes.txt', project = 100) {
  const json = { branch, commit_message: `Write ${file}`, content: `${branch} ${file}` };
  const response = await ask(`POST /projects/${project}/repository/files/${file}`, { json });
  expect(response.status).toBe(201);
}

const logOf = async ({ ask }: TestSandbox, hook: number) =>
  (await ask(`GET /groups/10/hooks/${hook}/events`)).body;

/** Close the sandbox, which waits for deliveries, and return the log of a hook. */
async function settled(opened: TestSandbox, hook: number) {
  await opened.sandbox.close();
  return logOf(opened, hook);
}

async function makeHook({ ask }: TestSandbox, json: object, group: number | string = 10) {
  const response = await ask(`POST /groups/${group}/hooks`, { json });
  expect(response.status).toBe(201);
  return response.body;
}

/** Open a sandbox with a hook that calls a receiver. */
async function subscribed(json: object = {}, ...receiving: Parameters<typeof openReceiver>) {
  const receiver = await openReceiver(...receiving);
  const opened = await openTestSandbox();
  return { opened, receiver, hook: await makeHook(opened, { url: receiver.url, ...json }) };
}

test('creates and lists hooks without returning secrets (sections 2.16, 4.17)', async () => {
  const opened = await openTestSandbox();
  const { ask } = opened;
  const json = {
    url: 'https://ci.example.com/hook',
    name: 'CI',
    token: 'hook-secret',
    job_events: true,
    push_events_branch_filter: 'release/*',
    custom_headers: [{ key: 'X-Team', value: 'header-secret' }],
  };
  const created = await makeHook(opened, json);
  expect(created).toMatchObject({
    url: json.url,
    name: 'CI',
    description: '',
    group_id: 10,
    alert_status: 'executable',
    disabled_until: null,
    url_variables: [],
    push_events: true,
    job_events: true,
    tag_push_events: false,
    member_events: false,
    branch_filter_strategy: 'wildcard',
    enable_ssl_verification: true,
  });
  expect(created.custom_headers).toEqual([{ key: 'X-Team' }]);
  const list = await ask('GET /groups/10/hooks');
  expect(ids(list.body)).toEqual([301, 302, created.id]);
  const got = await ask(`GET /groups/10/hooks/${created.id}`);
  for (const text of [JSON.stringify(created), list.text, got.text]) {
    expect(text).not.toMatch(/hook-secret|header-secret|"token"/);
  }
  const quiet = await makeHook(opened, { url: json.url, push_events: false });
  expect(quiet.push_events).toBe(false);
});

describe('deliveries (section 6.1)', () => {
  test('delivers a push with the headers and payload of the specification', async () => {
    const receiver = await openReceiver((call) => ({
      status: 201,
      headers: { 'x-seen': '1' },
      body: `got ${call.method}`,
    }));
    const opened = await openTestSandbox();
    const hook = await makeHook(opened, {
      url: `${receiver.url}/hook?a=b`,
      token: 'hook-secret',
      custom_headers: [{ key: 'X-Team', value: 'header-secret' }],
    });
    await push(opened);
    const [event] = await settled(opened, hook.id);
    expect(receiver.calls).toHaveLength(1);
    const call = receiver.calls[0];
    const headers = { 'x-service-token': 'hook-secret', 'x-team': 'header-secret' };
    expect(call).toMatchObject({ method: 'POST', url: '/hook?a=b', headers });
    const payload = JSON.parse(call?.body ?? '');
    expect(payload).toMatchObject({
      object_kind: 'push',
      event_name: 'push',
      ref: 'refs/heads/develop',
      ref_protected: false,
      checkout_sha: payload.after,
      message: null,
      user_id: 1,
      user_name: 'Administrator',
      user_username: 'root',
      project_id: 100,
      total_commits_count: 1,
      push_options: {},
      project: {
        id: 100,
        name: 'Rocket',
        web_url: 'http://sandbox.localhost/acme/rocket',
        git_http_url: 'http://sandbox.localhost/acme/rocket.git',
        namespace: 'Acme',
        visibility_level: 20,
        path_with_namespace: 'acme/rocket',
        default_branch: 'main',
      },
      repository: { name: 'Rocket', homepage: 'http://sandbox.localhost/acme/rocket', visibility_level: 20 },
    });
    expect(payload.commits).toEqual([
      {
        id: payload.after,
        message: 'Write notes.txt',
        title: 'Write notes.txt',
        timestamp: expect.any(String),
        url: `http://sandbox.localhost/acme/rocket/-/commit/${payload.after}`,
        author: { name: 'Administrator', email: 'root@example.com' },
        added: ['notes.txt'],
        modified: [],
        removed: [],
      },
    ]);
    expect(event).toMatchObject({
      url: hook.url,
      trigger: 'push_hooks',
      response_status: '201',
      response_body: 'got POST',
      request_data: payload,
      request_headers: {
        'X-Service-Event': 'Push Hook',
        'X-Service-Token': '[REDACTED]',
        'X-Team': '[REDACTED]',
      },
    });
    expect(event.response_headers['x-seen']).toBe('1');
    expect(event.execution_duration).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(event)).not.toMatch(/hook-secret|header-secret/);
  });

  test('delivers created and deleted branches', async () => {
    const { opened, receiver } = await subscribed();
    const { status } = await opened.ask('POST /projects/100/repository/branches?branch=fresh&ref=main');
    expect(status).toBe(201);
    expect((await opened.ask('DELETE /projects/100/repository/branches/fresh')).status).toBe(204);
    await opened.sandbox.close();
    const pushes = receiver.calls.map(({ body }) => JSON.parse(body));
    const zero = '0'.repeat(40);
    const created = pushes.find(({ before }) => before === zero);
    const deleted = pushes.find(({ after }) => after === zero);
    expect(created).toMatchObject({ ref: 'refs/heads/fresh', checkout_sha: created.after, commits: [] });
    expect(deleted).toMatchObject({ ref: 'refs/heads/fresh', checkout_sha: null, before: created.after });
  });

  test('delivers events of projects in the group and its subgroups only', async () => {
    const receiver = await openReceiver();
    const opened = await openTestSandbox();
    await makeHook(opened, { url: `${receiver.url}/acme` });
    await makeHook(opened, { url: `${receiver.url}/labs` }, 11);
    await makeHook(opened, { url: `${receiver.url}/umbrella` }, 12);
    await push(opened);
    await push(opened, 'main', 'notes.txt', 102);
    await opened.sandbox.close();
    const seen = receiver.calls.map(({ url, body }) => `${url} ${JSON.parse(body).project_id}`);
    expect(seen.sort()).toEqual(['/acme 100', '/acme 102', '/labs 102']);
  });

  const regex = (filter: string) => ({ push_events_branch_filter: filter, branch_filter_strategy: 'regex' });
  const all = { push_events_branch_filter: 'main', branch_filter_strategy: 'all_branches' };

  test.each([
    ['no filter', {}, ['develop', 'feature/login', 'main']],
    ['a name', { push_events_branch_filter: 'main' }, ['main']],
    ['a pattern', { push_events_branch_filter: 'feat*in' }, ['feature/login']],
    ['a pattern with a dot', { push_events_branch_filter: 'm.*' }, []],
    ['a regular expression', regex('^(main|dev.*)$'), ['develop', 'main']],
    ['all branches, regardless of the pattern', all, ['develop', 'feature/login', 'main']],
    ['no pushes', { push_events: false }, []],
    ['a slow regular expression', regex('^(([a-z/])+.)+[A-Z]([a-z])+$'), []],
  ])('filters branches: %s', async (_, json, branches) => {
    const { opened, receiver } = await subscribed(json);
    for (const branch of ['main', 'develop', 'feature/login']) await push(opened, branch);
    await opened.sandbox.close();
    const refs = receiver.calls.map(({ body }) => JSON.parse(body).ref.replace('refs/heads/', ''));
    expect(refs.sort()).toEqual(branches);
  });

  test.each([
    ['push', 'release/*', 0],
    ['push', 'ma*', 1],
    ['tag_push', 'release/*', 1],
    ['repository_update', 'release/*', 1],
  ])('filters the branch of an emitted %s by %s', async (event, filter, deliveries) => {
    const receiver = await openReceiver();
    const opened = await openTestSandbox();
    const { control } = opened.sandbox;
    const { hooks: before } = await control.emit({ event, project: 'acme/rocket' });
    await makeHook(opened, {
      url: receiver.url,
      push_events_branch_filter: filter,
      tag_push_events: true,
      repository_update_events: true,
    });
    const { hooks } = await control.emit({ event, project: 'acme/rocket' });
    await opened.sandbox.close();
    expect([hooks - before, receiver.calls.length]).toEqual([deliveries, deliveries]);
  });

  test('sends the address of the server for every hook', async () => {
    const { opened, receiver } = await subscribed();
    const served = await serve(opened.sandbox);
    await push(opened);
    await served.close();
    await opened.sandbox.close();
    const [call] = receiver.calls;
    expect(call?.headers['x-service-instance']).toBe(served.url);
    expect(JSON.parse(call?.body ?? '')).toMatchObject({
      project: { web_url: `${served.url}/acme/rocket` },
      repository: { git_http_url: `${served.url}/acme/rocket.git` },
    });
  });

  test('sends a filled-in template as the body, with escaped text in JSON', async () => {
    const { opened, receiver } = await subscribed({
      custom_webhook_template:
        '{"text": "{{user_name}} to {{ project.name }}: {{commits.0.message}}", "count": {{total_commits_count}}, "no": "{{nothing}}"}',
    });
    const template = { url: `${receiver.url}/text`, custom_webhook_template: 'push to {{ref}}' };
    const plain = await makeHook(opened, template);
    const json = { branch: 'develop', commit_message: 'say "hi"\n\\ and go', content: 'x' };
    await opened.ask('POST /projects/100/repository/files/a.txt', { json });
    const [event] = await settled(opened, plain.id);
    const body = (url: string) => receiver.calls.find((call) => call.url === url)?.body ?? '';
    const text = 'Administrator to Rocket: say "hi"\n\\ and go';
    expect(JSON.parse(body('/'))).toEqual({ text, count: 1, no: '' });
    expect([body('/text'), event.request_data]).toEqual(Array(2).fill('push to refs/heads/develop'));
  });

  test('follows no redirects, truncates long responses and logs missing responses', async () => {
    const receiver = await openReceiver(({ url }) =>
      url === '/away'
        ? { status: 302, headers: { location: `${receiver.url}/elsewhere` } }
        : { status: 200, body: 'x'.repeat(100_000) },
    );
    const opened = await openTestSandbox();
    const away = await makeHook(opened, { url: `${receiver.url}/away` });
    const long = await makeHook(opened, { url: `${receiver.url}/long` });
    const unreachable = await makeHook(opened, { url: 'http://127.0.0.1:9/closed' });
    await push(opened);
    await opened.sandbox.close();
    expect((await logOf(opened, away.id))[0].response_status).toBe('302');
    expect(receiver.calls.map(({ url }) => url).sort()).toEqual(['/away', '/long']);
    const [cut] = await logOf(opened, long.id);
    expect(cut.response_status).toBe('200');
    expect(cut.response_body.length).toBeLessThanOrEqual(8192);
    const [none] = await logOf(opened, unreachable.id);
    expect(none).toMatchObject({ response_status: 'internal error', response_headers: {} });
    expect(none.response_body).not.toBe('');
  });

  test('rejects untrusted certificates unless the hook disables verification', async () => {
    const { opened, receiver, hook: strict } = await subscribed({}, undefined, server);
    const lax = await makeHook(opened, { url: receiver.url, enable_ssl_verification: false });
    await push(opened);
    await opened.sandbox.close();
    expect((await logOf(opened, strict.id))[0].response_status).toBe('internal error');
    expect((await logOf(opened, lax.id))[0].response_status).toBe('200');
    expect(receiver.calls).toHaveLength(1);
  });

  test('responds to a push before its deliveries end', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { opened, hook } = await subscribed({}, async () => {
      await held;
      return {};
    });
    await push(opened);
    expect(await logOf(opened, hook.id)).toEqual([]);
    release();
    expect(await settled(opened, hook.id)).toHaveLength(1);
  });
});

describe('the log of deliveries (sections 4.17, 8)', () => {
  test('lists deliveries of seven days, newest first, by status and page', async () => {
    const { ask, wait } = await openClocked();
    const events = async (query = '') => ids((await ask(`GET /groups/10/hooks/301/events${query}`)).body);
    expect(await events()).toEqual([403, 402, 401]);
    expect(await events('?status=500')).toEqual([402]);
    expect(await events('?status=successful')).toEqual([401]);
    expect(await events('?status=client_failure')).toEqual([403]);
    expect(await events('?status=server_failure')).toEqual([402]);
    expect(await events('?status=418')).toEqual([]);
    expect(await events('?per_page=1&page=2')).toEqual([402]);
    wait(5.5 * 24 * 60 * 60);
    expect(await events()).toEqual([403, 402]);
    wait(3 * 24 * 60 * 60);
    expect(await events()).toEqual([]);
  });

  test('resends the same body with the same key and logs it', async () => {
    let status = 500;
    const { opened, receiver, hook } = await subscribed({ token: 'hook-secret' }, () => ({ status }));
    await push(opened);
    const [event] = await settled(opened, hook.id);
    expect(event.response_status).toBe('500');
    status = 202;
    const again = await opened.ask(`POST /groups/10/hooks/${hook.id}/events/${event.id}/resend`);
    expect([again.status, again.body]).toEqual([201, { response_status: 202 }]);
    const [first, second] = receiver.calls;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers).toEqual(first?.headers);
    const log = await logOf(opened, hook.id);
    expect(log.map((row: { response_status: string }) => row.response_status)).toEqual(['202', '500']);
    expect((await opened.ask(`POST /groups/10/hooks/${hook.id}/events/401/resend`)).status).toBe(404);
    expect((await opened.ask(`POST /groups/10/hooks/${hook.id}/events/999/resend`)).status).toBe(404);
  });

  test('limits resends to five per minute, hook and user', async () => {
    const { ask, wait } = await openClocked();
    const resend = (as: string) => ask('POST /groups/10/hooks/301/events/402/resend', { as });
    for (let time = 0; time < 5; time++) {
      expect(await resend('admin')).toMatchObject({ status: 201, body: { response_status: 0 } });
      wait(1);
    }
    const rejected = await resend('admin');
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get('retry-after')).toBe('55');
    expect((await resend('owner')).status).toBe(201);
    wait(55.1);
    expect((await resend('admin')).status).toBe(201);
  });
});
