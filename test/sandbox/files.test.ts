/** Repository files over the API (section 4.4). */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { words } from '../support/svc.ts';
import { projectsPerTest, type TestResponse } from './ask.ts';

const { own, call } = projectsPerTest();

const file = (path: string) => `acme%2Frocket/repository/files/${encodeURIComponent(path)}`;
const change = (more: object = {}) => ({
  branch: 'develop',
  commit_message: 'Change',
  content: 'new\n',
  ...more,
});
const contentOf = async (path: string, ref = 'develop') =>
  (await call('GET', `${file(path)}/raw?ref=${encodeURIComponent(ref)}`)).bytes.toString();

/** Decode a header: its bytes are UTF-8. */
const header = (response: TestResponse, name: string) =>
  Buffer.from(response.headers.get(`x-service-${name}`) ?? '', 'latin1').toString('utf8');

describe('a file', () => {
  it('returns the content in base64 without a token', async () => {
    const { status, body } = await call('GET', `${file('docs/café menu.md')}?ref=main`);
    expect(status).toBe(200);
    const bytes = Buffer.from(body.content, 'base64');
    expect(body).toEqual({
      file_name: 'café menu.md',
      file_path: 'docs/café menu.md',
      size: bytes.length,
      encoding: 'base64',
      content: bytes.toString('base64'),
      content_sha256: createHash('sha256').update(bytes).digest('hex'),
      ref: 'main',
      // The blob id is the SHA-1 of its header and bytes.
      blob_id: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
      commit_id: seededShas.main,
      last_commit_id: seededShas['main~3'],
      execute_filemode: false,
    });
    expect(bytes.toString()).toContain('crème');
  });

  it.each(['', '/raw', '/blame'])('returns the same attributes as headers for HEAD%s', async (tail) => {
    const { body } = await call('GET', `${file('docs/café menu.md')}?ref=v1.1.0`);
    const head = await call('HEAD', `${file('docs/café menu.md')}${tail}?ref=v1.1.0`);
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    for (const [name, value] of Object.entries(body)) {
      if (name !== 'content') expect(header(head, name.replaceAll('_', '-')), name).toBe(String(value));
    }
  });

  it('reads a file at a branch with a slash, a tag, a SHA and a short SHA', async () => {
    const { 'v1.0.0': tagged, 'feature/login': login } = seededShas;
    for (const ref of ['feature/login', 'v1.0.0', tagged, tagged.slice(0, 8)]) {
      const { body } = await call('GET', `${file('src/main.ts')}?ref=${encodeURIComponent(ref)}`);
      expect([body.ref, body.commit_id]).toEqual([ref, ref === 'feature/login' ? login : tagged]);
    }
  });
});

describe('raw', () => {
  it('returns the exact bytes, from the default branch by default', async () => {
    const { body } = await call('GET', `${file('assets/logo.png')}?ref=main`);
    const raw = await call('GET', `${file('assets/logo.png')}/raw`);
    expect(raw.bytes.toString('base64')).toBe(body.content);
    expect(raw.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(header(raw, 'content-sha256')).toBe(createHash('sha256').update(raw.bytes).digest('hex'));
    expect((await call('GET', `${file('README.md')}/raw`)).headers.get('content-type')).toMatch(
      /^text\/plain/,
    );
  });

  it('returns a Git LFS pointer, or its content with lfs', async () => {
    const pointer = (await call('GET', `${file('models/nose.lfs')}/raw`)).bytes.toString();
    const large = await call('GET', `${file('models/nose.lfs')}/raw?lfs=true`);
    const hash = createHash('sha256').update(large.bytes).digest('hex');
    const { length } = large.bytes;
    expect(pointer).toContain(`oid sha256:${hash}\nsize ${length}\n`);
    const head = await call('HEAD', `${file('models/nose.lfs')}/raw?lfs=true`);
    expect([header(large, 'content-sha256'), header(head, 'size')]).toEqual([hash, String(length)]);
    expect((await call('GET', `${file('README.md')}/raw?lfs=true`)).text).toBe(
      await contentOf('README.md', 'main'),
    );
  });
});

it('blames the commit of each line', async () => {
  const { body, status } = await call('GET', `${file('src/main.ts')}/blame?ref=main`);
  expect(status).toBe(200);
  const lines = body.flatMap((range: { lines: string[] }) => range.lines);
  expect(`${lines.join('\n')}\n`).toBe(await contentOf('src/main.ts', 'main'));
  const attributes = words(`
      author_email author_name authored_date committed_date committer_email committer_name id message parent_ids`);
  expect(Object.keys(body[0].commit).sort()).toEqual(attributes);
});

describe('a write', () => {
  it('creates a file in one commit', async () => {
    const { status, body } = await call('POST', file('docs/new.md'), 'developer', {
      ...change(),
      author_name: 'Ada',
      author_email: 'ada@example.com',
    });
    expect(status).toBe(201);
    expect(body).toEqual({ file_path: 'docs/new.md', branch: 'develop' });
    expect(await contentOf('docs/new.md')).toBe('new\n');
    const { body: blame } = await call('GET', `${file('docs/new.md')}/blame?ref=develop`);
    expect(blame[0].commit).toMatchObject({
      message: 'Change',
      author_name: 'Ada',
      author_email: 'ada@example.com',
      committer_name: 'Devon Developer',
      committer_email: 'devon@example.com',
      parent_ids: [seededShas.develop],
    });
  });

  it('accepts base64 content and the executable flag', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 0]);
    const more = { content: bytes.toString('base64'), encoding: 'base64', execute_filemode: true };
    expect((await call('POST', file('bin/x'), 'developer', change(more))).status).toBe(201);
    const { body } = await call('GET', `${file('bin/x')}?ref=develop`);
    expect(body.content).toBe(bytes.toString('base64'));
    expect(body.execute_filemode).toBe(true);
  });

  it('updates a file and keeps the executable flag', async () => {
    const { status, body } = await call('PUT', file('bin/launch.sh'), 'developer', change());
    expect(status).toBe(200);
    expect(body).toEqual({ file_path: 'bin/launch.sh', branch: 'develop' });
    expect((await call('GET', `${file('bin/launch.sh')}?ref=develop`)).body.execute_filemode).toBe(true);
  });

  it('deletes a file with parameters in the query or the body', async () => {
    const inQuery = `${file('README.md')}?branch=develop&commit_message=Drop`;
    const query = await call('DELETE', inQuery, 'developer');
    expect([query.status, query.text]).toEqual([204, '']);
    const drop = { branch: 'develop', commit_message: 'Drop' };
    expect((await call('DELETE', file('CHANGELOG.md'), 'developer', drop)).status).toBe(204);
    for (const path of ['README.md', 'CHANGELOG.md'])
      expect((await call('GET', `${file(path)}?ref=develop`)).status).toBe(404);
  });

  it('creates a branch from start_branch', async () => {
    const more = { branch: 'feature/new', start_branch: 'main' };
    expect((await call('POST', file('new'), 'developer', change(more))).status).toBe(201);
    expect((await call('GET', `${file('new')}/blame?ref=feature%2Fnew`)).body[0].commit.parent_ids).toEqual([
      seededShas.main,
    ]);
  });

  it('rejects changes to a file that has changed since', async () => {
    const last = (await call('GET', `${file('README.md')}?ref=develop`)).body.last_commit_id;
    const put = async (content: string) =>
      (await call('PUT', file('README.md'), 'developer', change({ content, last_commit_id: last }))).status;
    expect([await put('new\n'), await put('x')]).toEqual([200, 400]);
    expect(await contentOf('README.md')).toBe('new\n');
  });

  it('returns the same message for every failed commit', async () => {
    const readme = await contentOf('README.md');
    const failures: [string, string, object][] = [
      ['POST', file('a/../b'), change()],
      ['POST', file('README.md'), change()],
      ['POST', file('x'), change({ branch: 'none' })],
      ['POST', file('x'), change({ branch: 'new', start_branch: 'none' })],
      ['POST', file('x'), change({ content: '?', encoding: 'base64' })],
      ['PUT', file('none'), change()],
      ['PUT', file('README.md'), change({ content: readme })],
      ['DELETE', file('none'), { branch: 'develop', commit_message: 'Drop' }],
    ];
    const messages = new Set<string>();
    for (const [method, target, body] of failures) {
      const response = await call(method, target, 'developer', body);
      expect(response.status, `${method} ${target}`).toBe(400);
      messages.add(response.body.message);
    }
    expect(messages.size).toBe(1);
    expect([...messages][0]).toEqual(expect.any(String));
    expect(own.events).toEqual([]);
  });

  it('emits a push event', async () => {
    await call('PUT', file('README.md'), 'developer', change({ commit_message: 'Say more\n\nMuch more.' }));
    const after = (await call('GET', `${file('README.md')}?ref=develop`)).body.commit_id;
    expect(own.events).toMatchObject([
      {
        kind: 'push',
        project_id: 100,
        user_id: 4,
        ref: 'refs/heads/develop',
        before: seededShas.develop,
        after,
        commits: [
          {
            id: after,
            title: 'Say more',
            message: 'Say more\n\nMuch more.',
            created_at: expect.stringMatching(/^\d{4}-/),
            author_name: 'Devon Developer',
            author_email: 'devon@example.com',
            added: [],
            modified: ['README.md'],
            removed: [],
          },
        ],
      },
    ]);
  });
});

it.each(['maintainer', 'admin'])('accepts a write to a protected branch as %j', async (token) => {
  expect((await call('POST', file('x'), token, change({ branch: 'main' }))).status).toBe(201);
});
