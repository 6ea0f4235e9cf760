/** Snippets of a project (section 4.8) and their files (section 3). */
import { describe, expect, test } from 'vitest';
import type { Snippet } from '../../src/sandbox/areas/snippets/snippet.ts';
import type { Member } from '../../src/sandbox/core/rows.ts';
import { ids, openClocked, openTestSandbox, sandboxPerTest, type TestSandbox } from './ask.ts';

const ask = sandboxPerTest();

const at = '/projects/acme%2Frocket/snippets';
const hello = { file_path: 'hello.sh', content: 'echo hello\n' };
const util = { file_path: 'lib/util.py', content: 'x = 1\n' };

const rawFile = (id: number, path: string, ref = 'main') =>
  `GET ${at}/${id}/files/${encodeURIComponent(ref)}/${encodeURIComponent(path)}/raw`;

describe('snippets', () => {
  test('creates and updates a snippet', async () => {
    const { ask, wait } = await openClocked();
    const json = { title: 'Tools', files: [hello, util], description: 'Some', visibility: 'internal' };
    const created = await ask(`POST ${at}`, { as: 'developer', json });
    const { id } = created.body;
    const page = `http://sandbox.localhost/acme/rocket/-/snippets/${id}`;
    const snippet = {
      ...{ id, title: 'Tools', file_name: 'hello.sh', description: 'Some', visibility: 'internal' },
      author: {
        ...{ id: 4, username: 'devon', email: 'devon@example.com', name: 'Devon Developer', state: 'active' },
        created_at: expect.any(String),
      },
      ...{ created_at: '2026-04-01T12:00:00.000Z', updated_at: '2026-04-01T12:00:00.000Z' },
      ...{ imported: false, imported_from: 'none', project_id: 100, web_url: page, raw_url: `${page}/raw` },
      files: [hello, util].map(({ file_path: path }) => ({ path, raw_url: `${page}/raw/main/${path}` })),
    };
    expect([created.status, created.body]).toEqual([201, snippet]);
    wait(60);
    const changes = { title: 'Better tools', visibility: 'public', description: null };
    const updated = await ask(`PUT ${at}/${id}`, { as: 'developer', json: changes });
    const after = { ...snippet, ...changes, description: '', updated_at: '2026-04-01T12:01:00.000Z' };
    expect([updated.status, updated.body]).toEqual([200, after]);
    expect((await ask(`GET ${at}/${id}/raw`)).text).toBe(hello.content);
  });

  test('reads files by ref and path', async () => {
    const first = await ask(rawFile(52, 'main.py'));
    expect(first.headers.get('content-type')).toContain('text/plain');
    expect((await ask(`GET ${at}/52/raw`)).text).toBe(first.text);
    expect((await ask(rawFile(52, 'lib/util.py', 'HEAD'))).text).toContain('def period');
  });

  test('encodes special characters in the raw_url of a file, which returns its content', async () => {
    const json = { title: 'Odd', files: [{ file_path: 'a b/é#?%.txt', content: 'odd\n' }] };
    const { body } = await ask(`POST ${at}`, { json });
    const [{ raw_url }] = body.files;
    expect(raw_url).toMatch(/\/raw\/main\/a%20b\/%C3%A9%23%3F%25\.txt$/);
    expect((await ask(`GET ${new URL(raw_url).pathname}`)).text).toBe('odd\n');
  });

  test('creates a commit for each change to files', async () => {
    const { ask, sandbox } = await openTestSandbox();
    const before = (await ask(`GET ${at}/51/raw`)).text;
    await ask(`PUT ${at}/51`, { json: { files: [{ action: 'update', ...hello }] } });
    await ask(`PUT ${at}/51`, { json: { title: 'No new commit' } });
    const { versions } = sandbox.world.table<Snippet>('snippets').get(51) as Snippet;
    expect(versions).toHaveLength(2);
    const [old, now] = versions.map(({ sha }) => sha) as [string, string];
    expect((await ask(rawFile(51, 'hello.sh', old))).text).toBe(before);
    expect((await ask(rawFile(51, 'hello.sh', now.slice(0, 8)))).text).toBe(hello.content);
    expect((await ask(rawFile(51, 'hello.sh', 'f'.repeat(40)))).status).toBe(404);
  });

  test('creates, updates, deletes and moves files in order', async () => {
    const files = [
      { action: 'move', previous_path: 'lib/util.py', file_path: 'lib/tools.py' },
      { action: 'create', file_path: 'notes.txt', content: 'n' },
      { action: 'update', file_path: 'notes.txt', content: 'notes' },
      { action: 'move', previous_path: 'main.py', file_path: 'app.py', content: 'pass\n' },
      { action: 'create', file_path: 'gone.txt', content: '' },
      { action: 'delete', file_path: 'gone.txt' },
    ];
    const { status, body } = await ask(`PUT ${at}/52`, { json: { files } });
    expect([status, body.file_name]).toEqual([200, 'app.py']);
    const read = async (path: string) => {
      const { status: code, text } = await ask(rawFile(52, path));
      return code === 200 ? text : code;
    };
    expect(await read('app.py')).toBe('pass\n');
    expect(await read('lib/tools.py')).toContain('def period');
    expect(await read('notes.txt')).toBe('notes');
    for (const path of ['main.py', 'lib/util.py', 'gone.txt']) expect(await read(path)).toBe(404);
  });

  test('accepts content and file_name for a single file', async () => {
    const old = { title: 'Old', file_name: 'old.txt', content: 'one' };
    const { id } = (await ask(`POST ${at}`, { json: old })).body;
    expect((await ask(`GET ${at}/${id}/raw`)).text).toBe('one');
    await ask(`PUT ${at}/${id}`, { json: { content: 'two' } });
    expect((await ask(rawFile(id, 'old.txt'))).text).toBe('two');
    const moved = await ask(`PUT ${at}/${id}`, { json: { file_name: 'new.txt' } });
    expect(moved.body.file_name).toBe('new.txt');
    expect((await ask(rawFile(id, 'new.txt'))).text).toBe('two');
  });
});

describe('visibility of snippets', () => {
  /** Create a token of Ellen, an external user, as a member of the project or not. */
  function ellen({ sandbox }: TestSandbox, isMember: boolean) {
    const members = sandbox.world.table<Member>('members');
    const membership = members.find(({ user_id }) => user_id === 11) as Member;
    if (!isMember) members.remove(membership);
    return { as: 'none', headers: { 'private-token': sandbox.addToken('ellen') } };
  }

  test('shows private snippets to members and internal ones to signed-in, non-external users', async () => {
    const opened = await openTestSandbox();
    const list = async (how: object) => ids((await opened.ask(`GET ${at}?per_page=5`, how)).body);
    expect(await list({ as: 'guest' })).toEqual([53, 52, 51]);
    expect(await list({ as: 'outsider' })).toEqual([52, 51]);
    expect(await list(ellen(opened, true))).toEqual([53, 52, 51]);
    expect(await list(ellen(opened, false))).toEqual([51]);
    for (const call of [`GET ${at}/53`, `GET ${at}/53/raw`, rawFile(53, 'launch.md')]) {
      expect((await opened.ask(call, { as: 'guest' })).status).toBe(200);
    }
  });

  test('shows public snippets without a token', async () => {
    const anonymous = { as: 'none' };
    expect(ids((await ask(`GET ${at}`, anonymous)).body)).toEqual([51]);
    expect((await ask(`GET ${at}/51`, anonymous)).body.title).toBe('Hello');
    for (const call of [`GET ${at}/51/raw`, rawFile(51, 'hello.sh')]) {
      expect((await ask(call, anonymous)).status).toBe(200);
    }
  });

  test('shows snippets of a private project only to members', async () => {
    const calls = '/projects/101/snippets';
    await ask(`POST ${calls}`, { json: { title: 'x', files: [hello], visibility: 'public' } });
    expect((await ask(`GET ${calls}`, { as: 'none' })).status).toBe(404);
    expect((await ask(`GET ${calls}`, { as: 'outsider' })).status).toBe(404);
    expect((await ask(`GET ${calls}`, { as: 'guest' })).body).toHaveLength(1);
  });
});

describe('roles for snippets', () => {
  test('lets a maintainer change and delete the snippet of another user', async () => {
    expect((await ask(`PUT ${at}/51`, { as: 'maintainer', json: { title: 'Hello' } })).status).toBe(200);
    expect((await ask(`DELETE ${at}/51`, { as: 'maintainer' })).status).toBe(204);
  });

  test('shows user agent details only to administrators', async () => {
    expect((await ask(`GET ${at}/51/user_agent_detail`)).body).toEqual({
      user_agent: 'Mozilla/5.0',
      ip_address: '192.0.2.10',
      antispam_submitted: false,
    });
    const json = { title: 'x', files: [hello] };
    const { id } = (await ask(`POST ${at}`, { json, headers: { 'user-agent': 'pen/1' } })).body;
    expect((await ask(`GET ${at}/${id}/user_agent_detail`)).body.user_agent).toBe('pen/1');
  });
});

describe('the spam check (section 7)', () => {
  const json = { title: 'Cheap fuel', files: [hello] };

  test('discards the request without a CAPTCHA', async () => {
    const { ask } = await openTestSandbox({ spam: 'reject' });
    const response = await ask(`POST ${at}`, { json });
    expect([response.status, response.body]).toEqual([400, { message: { error: expect.any(String) } }]);
    expect((await ask(`PUT ${at}/51`, { json: { title: 'Cheap' } })).status).toBe(400);
    expect((await ask(`GET ${at}/51`)).body.title).toBe('Hello');
    expect((await ask(`GET ${at}`)).body).toHaveLength(3);
  });

  test.each(['service', 'vendor'])('accepts the solution of a CAPTCHA once (X-%s-…)', async (vendor) => {
    const { ask } = await openTestSandbox({ spam: 'captcha' });
    const { body } = await ask(`POST ${at}`, { json });
    expect(body).toEqual({
      needs_captcha_response: true,
      spam_log_id: expect.any(Number),
      captcha_site_key: expect.any(String),
      message: { error: expect.any(String) },
    });
    const repeat = (solution: string, as = 'admin') => {
      const id = String(body.spam_log_id);
      const headers = { [`x-${vendor}-captcha-response`]: solution, [`x-${vendor}-spam-log-id`]: id };
      return ask(`POST ${at}`, { json, headers, as });
    };
    expect((await repeat('solved', 'developer')).status).toBe(409);
    expect((await repeat('')).status).toBe(409);
    const made = await repeat('solved');
    expect(made.status).toBe(201);
    expect((await ask(`GET ${at}/${made.body.id}/user_agent_detail`)).body.antispam_submitted).toBe(true);
    expect((await repeat('solved')).status).toBe(409);
  });
});
