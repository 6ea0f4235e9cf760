/** `svc export`, `svc diff` and `svc apply` against the sandbox. */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { resources } from '../../../src/api/resources.ts';
import { Failure } from '../../../src/errors.ts';
import type { Reply, Request } from '../../../src/http/transport.ts';
import { scopeOf } from '../../../src/spec/resource.ts';
import { baseUrl } from '../../support/sandbox.ts';
import { bodyText, jsonLines } from '../../support/svc.ts';
import { changesByKind as changed, group, instance, project } from './changes-by-kind.ts';
import {
  apply,
  at,
  changing,
  exited,
  expectCode,
  type Intercept,
  intercepted,
  isRead,
  isWrite,
  openStateWorld,
  prune,
  respond,
  type StateWorld,
  stateWorldPerTest,
  withBody,
  withStatus,
  withText,
  writes,
  wroteNothing,
} from './world.ts';

const world = stateWorldPerTest();
const any = () => true;

const loaded = await Promise.all(
  Object.entries(resources).map(async ([kind, load]) => [kind, await load()] as const),
);
const kindsByScope = loaded.flatMap(([kind, { calls }]) => calls.map((one) => [kind, scopeOf(one)] as const));

describe('every kind', () => {
  test('has a change in this table', () => {
    expect(Object.keys(changed).sort()).toEqual(Object.keys(resources).sort());
  });

  test.each(Object.keys(resources))('%s: a second apply sends no write', async (kind) => {
    const prune = kind === 'variables' || kind === 'snippets' || kind === 'badges' ? ' --prune' : '';
    const file = changed[kind] ?? '';
    const first = await exited(0, world.state(`apply -f -${prune} --yes`, file));
    expect(writes(first).length).toBeGreaterThan(0);
    const second = await wroteNothing(0, world.state(`apply -f -${prune} --yes`, file));
    expect(second.out).toContain('No changes.');
    await exited(0, world.state(`diff -f -${prune}`, file));
  });

  test.each(Object.keys(resources))('%s: the plan shown equals the requests sent', async (kind) => {
    const file = changed[kind] ?? '';
    const plan = await exited(10, world.state('diff -f - -o ndjson', file));
    const planned = jsonLines(plan.out)
      .map((line) => line.request)
      .map(({ method, url }) => `${method} ${url.replace(/^.*\/api\/v4/, '')}`);
    expect(writes(await world.state(apply, file))).toEqual(planned);
  });

  test.each(Object.keys(resources))(
    '%s: an interruption at any request loses and repeats nothing',
    async (kind) => {
      const file = changed[kind] ?? '';
      const whole = await openStateWorld();
      const expected = writes(await whole.state(apply, file));
      for (let last = 0; last < expected.length; last += 1) {
        const interrupted = await openStateWorld();
        let sent = 0;
        const first = await interrupted.state(apply, file, (request) => {
          if (!isWrite(request) || sent++ < last) return undefined;
          throw new Failure('interrupted', 'interrupted');
        });
        expectCode(first, 130);
        const next = await exited(0, interrupted.state(apply, file));
        expect(writes(next)).toEqual(expected.slice(last));
      }
    },
  );

  test.each(kindsByScope)('%s of a %s: an export is a state without changes', async (kind, scope) => {
    const at = { project: '-p acme/rocket', group: '-g acme', instance: '--instance' }[scope];
    for (const format of ['yaml', 'json']) {
      const exported = await exited(0, world.run(`export ${kind} ${at} -o ${format}`));
      const env = { SECRET_API_TOKEN: 'not-a-real-token' };
      const compared = await exited(0, world.state('diff -f -', exported.out, undefined, env));
      expect(compared.out).toContain('No changes.');
    }
  });
});

describe('prune', () => {
  test('deletes after the creations of all kinds', async () => {
    const file = `${project}badges: []\nvariables: [{ key: BRAND_NEW, value: abc }]\n`;
    const ran = await world.state(`${prune} --max-deletes 100`, file);
    const methods = writes(ran).map((line) => line.split(' ', 1)[0]);
    expect([methods[0], new Set(methods.slice(1))]).toEqual(['POST', new Set(['DELETE'])]);
  });

  test('leaves out the badges that a project inherits from its group', async () => {
    await exited(0, world.state(prune, `${project}badges: []\n`));
    expect(JSON.parse((await world.run('badges list -g acme --json')).out).length).toBeGreaterThan(0);
  });

  test('rejects more deletions than --max-deletes before anything is sent', async () => {
    const ran = await wroteNothing(2, world.state(`${prune} --max-deletes 4`, `${project}variables: []\n`));
    expect(ran.err).toContain('--max-deletes 4');
  });

  test('deletes nothing because of an attribute that it does not know', async () => {
    const exported = await world.run('export variables badges -p acme/rocket --with-secrets');
    const more = withText(any, (text) => text.replaceAll('{"', '{"brand_new":{"a":1},"'));
    await wroteNothing(0, world.state(prune, exported.out, more));
  });

  test('deletes nothing that the service returned without its identity', async () => {
    const exported = await world.run('export variables -p acme/rocket --with-secrets');
    const renamed = withText(any, (text) => text.replaceAll('"key":', '"renamed":'));
    const ran = await world.state(prune, exported.out, renamed);
    expect(writes(ran).filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });
});

describe('a list that does not arrive as a whole', () => {
  const announcing = (total: string) =>
    changing(isRead, ({ headers, ...reply }) => ({
      ...reply,
      headers: [...headers.filter(([name]) => !/^x-total$/i.test(name)), ['x-total', total]],
    }));

  test.each<[string, Intercept, number, string]>([
    ['a page that fails', withStatus(at(/page=2/), 500), 8, ''],
    ['a page that is forbidden', withStatus(at(/page=2/), 403), 4, ''],
    ['fewer rows than the service announced', announcing('199'), 8, 'incomplete list: 156 of 199'],
    ['a body that is not a list', withText(any, () => '{"message":"maintenance"}'), 8, ''],
  ])('%s: nothing is sent', async (_, intercept, code, message) => {
    const row = { value: 'v', environment_scope: 's' };
    const stdin = JSON.stringify(Array.from({ length: 150 }, (__, n) => ({ ...row, key: `K${n}` })));
    await exited(0, world.run('variables import - -p acme/rocket --yes', { stdin }));
    const line = `${prune} --max-deletes 999 --retries 0`;
    const ran = await wroteNothing(code, world.state(line, `${project}variables: []\n`, intercept));
    expect(ran.err).toContain(message);
  });
});

describe('failures during the execution', () => {
  const file = `${project}variables:
  - { key: A, value: one }
  - { key: B, value: two }
  - { key: C, value: three }
`;

  test('a lost response: reported as unknown, nothing is doubled', async () => {
    const lost = changing(isWrite, () => {
      throw new Failure('network', 'connection lost');
    });
    const ran = await exited(11, world.state(apply, file, lost));
    expect(ran.err).toContain('unknown: create variable A (scope *)');
    expect(ran.err).toContain('3 unknown.');
    await wroteNothing(0, world.state(apply, file));
  });

  const rejected = JSON.stringify({ message: { value: ['is too long', 'is reserved'] } });

  test('a rejected change: the others are made, the summary names it with its fields, exit 11', async () => {
    const ran = await world.state(apply, file, (request, send) =>
      isWrite(request) && bodyText(request).includes('"B"') ? respond(send, 400, rejected) : undefined,
    );
    expectCode(ran, 11);
    expect(writes(ran)).toHaveLength(3);
    const failed = /^failed: create variable B \(scope \*\): .*\n {2}value: is too long, is reserved$/m;
    expect(ran.err).toMatch(failed);
    expect(ran.err).toContain('2 created, 0 updated, 0 deleted, 1 failed.');
  });

  test.each([
    ['a body that is cut', '{"key":"A","va'],
    ['no body', ''],
  ])('201 with %s is unknown, because the service probably made the change', async (_, text) => {
    const isFirst = (request: Request) => isWrite(request) && bodyText(request).includes('"A"');
    const cut = withText(isFirst, () => text);
    const ran = await exited(11, world.state(apply, file, cut));
    const unknown = /^unknown: create variable A \(scope \*\): the response .*, so it may have been done$/m;
    expect(ran.err).toMatch(unknown);
    expect(ran.err).toContain('2 created, 0 updated, 0 deleted, 1 unknown.');
  });

  describe('each step as JSON', () => {
    const steps = (out: string): Record<string, unknown>[] =>
      out.startsWith('[') ? JSON.parse(out) : jsonLines(out);
    const planned = async () =>
      steps((await world.state('diff -f - -o ndjson', file)).out).map((line) =>
        expect.objectContaining(line),
      );

    test.each(['json', 'ndjson'])('%s has the line of the plan, a result and an error', async (format) => {
      const lines = await planned();
      const ran = await world.state(`${apply} -o ${format}`, file, (request, send) => {
        if (!isWrite(request)) return undefined;
        if (bodyText(request).includes('"B"')) return respond(send, 400, rejected);
        if (bodyText(request).includes('"C"')) throw new Failure('network', 'connection lost');
        return undefined;
      });
      expectCode(ran, 11);
      expect(steps(ran.out)).toEqual(lines);
      const page = await readFile('docs/state-files.md', 'utf8');
      for (const key of Object.keys(steps(ran.out)[0] ?? {})) expect(page).toContain(`\`${key}\``);
      const error = { kind: 'rejected', status: 400, method: 'POST', body: JSON.parse(rejected) };
      expect(steps(ran.out).map((step) => [step['result'], step['error']])).toEqual([
        ['done', null],
        ['failed', expect.objectContaining(error)],
        ['unknown', expect.objectContaining({ kind: 'network', message: 'connection lost', status: null })],
      ]);
    });

    test.each([
      ['no confirmation', 'apply -f - -o json'],
      ['too many deletions', 'apply -f - -o json --yes --prune --max-deletes 0'],
    ])('%s: no step was started', async (_, line) => {
      const ran = await wroteNothing(2, world.state(line, file));
      expect(new Set(steps(ran.out).map(({ result }) => result))).toEqual(new Set(['not_started']));
    });
  });

  const notFound = async (url: string): Promise<Reply> => ({
    ...{ status: 404, headers: [['content-type', 'application/json']], url, discard: async () => {} },
    body: Readable.from([Buffer.from('{"message":"404 Not found"}')]),
  });

  test.each([
    ['badges', '[]', ''],
    ['variables', '[]', ''],
    ['badges', '[]', 'svc: 1\ngroup: acme\nbadges: []\n---\n'],
  ])('%s (%s) that the service still lists after a 404 are not deleted', async (kind, declared, before) => {
    const file = `${before}${project}${kind}: ${declared}\n`;
    for (let run = 0; run < 2; run += 1) {
      const ran = await world.state(prune, file, ({ method, url }) =>
        method === 'DELETE' && url.includes('/projects/') ? notFound(url) : undefined,
      );
      expectCode(ran, 11);
      expect(ran.err).toMatch(/0 updated, \d+ deleted, [2-9] failed/);
      expect(ran.err).toMatch(/failed: delete (badge|variable) .*not found/i);
    }
  });

  test('a list that cannot be read after a 404: the command fails, and the summary names the deletion', async () => {
    let isDeleted = false;
    const intercept: Intercept = (request, send) => {
      if (!isDeleted && request.method !== 'DELETE') return undefined;
      isDeleted = true;
      return send().then((reply) => ({ ...reply, status: request.method === 'DELETE' ? 404 : 500 }));
    };
    const ran = await exited(8, world.state(`${prune} --retries 0`, `${project}badges: []\n`, intercept));
    expect(ran.err).toContain('0 created, 0 updated, 0 deleted, 2 failed.');
  });

  test('a resource that is already gone counts as deleted', async () => {
    const gone = withStatus(({ method }) => method === 'DELETE', 404);
    await exited(0, world.state(prune, `${project}badges: []\n`, gone));
  });
});

describe('a wiki page is the page that the service made of its title', () => {
  const prune = 'apply -f - --prune --max-deletes 100 --yes';
  type Page = { title: string; slug: string };
  const lastPart = (title: string) => title.replace(/^.*\//, '').normalize('NFC');
  const titles = async () =>
    (await world.json('wikis list -g acme')).map(({ title }: { title: string }) => title);

  test.each([
    ['a slug that is not that of the title', '{ slug: start, title: Welcome, content: X }', 'Welcome'],
    ['a page whose title changes', '{ slug: home, title: Welcome, content: X }', 'Welcome'],
    ['a title with folders', '{ title: guides/new page, content: X }', 'guides/new page'],
    ['spaces around and within', '{ title: " lead  and  more ", content: X }', 'lead  and  more'],
    ['decomposed letters', '{ title: "U\u0308ni\u0308code  Page", content: X }', 'U\u0308ni\u0308code  Page'],
  ])('%s: the second apply sends nothing and deletes nothing', async (_, entry, title) => {
    const file = `${group}wikis: [${entry}]\n`;
    await exited(0, world.state(prune, file));
    expect(await titles()).toEqual([title]);
    await wroteNothing(0, world.state(prune, file));
    expect(await titles()).toEqual([title]);
    const changed = await exited(0, world.state(prune, file.replace('content: X', 'content: Y')));
    expect(writes(changed)).toEqual([expect.stringMatching(/^PUT /)]);
  });

  test.each([
    ['a path in lower case', (row: Page) => ({ ...row, slug: row.slug.toLowerCase() })],
    ['only the last part of a title', (row: Page) => ({ ...row, title: lastPart(row.title) })],
  ])('a service that returns %s', async (_, change) => {
    const file = `${group}wikis: [{ title: Guides/New U\u0308, content: X }, { title: New U\u0308, content: X }]\n`;
    await exited(0, world.state(prune, file));
    const changed = withText(isRead, (text) => JSON.stringify(JSON.parse(text).map(change)));
    await wroteNothing(0, world.state(prune, file, changed));
  });

  test('a new title that belongs to another page: neither is changed or deleted', async () => {
    await exited(0, world.run('wikis create -g acme --title Welcome --content Y'));
    const file = `${group}wikis: [{ slug: home, title: Welcome, content: X }]\n`;
    const ran = await exited(11, world.state(prune, file));
    expect(ran.out).toContain('! wiki page home: update: 2 existing ones have this identity');
    expect(await titles()).toEqual(['Welcome', 'home']);
  });

  test('two entries that describe one page are rejected with both positions', async () => {
    await exited(0, world.run('wikis create -g acme --title Welcome --content Y'));
    const file = `${group}wikis:\n  - { slug: start, title: Welcome }\n  - { title: Welcome, content: X }\n`;
    const ran = await wroteNothing(2, world.state(prune, file));
    expect(ran.err).toContain('-:5:5: duplicate of the wiki page at -:4:5');
  });

  test.each([
    ['is rejected', 400, 'failed'],
    ['has no response', undefined, 'unknown'],
    ['may have been made', 502, 'unknown'],
  ])('a creation that %s: nothing of the kind is deleted', async (_, status, result) => {
    const before = await titles();
    const file = `${group}wikis: [{ title: New, content: X }]\n---\n${project}badges: []\n`;
    const ran = await world.state(prune, file, (request, send) => {
      if (request.method !== 'POST') return undefined;
      if (status === undefined) return Promise.reject(new Failure('network', 'connection lost'));
      return respond(send, status, '{"message":"no"}');
    });
    expectCode(ran, 11);
    expect(writes(ran).filter((line) => line.includes('/groups/'))).toEqual(['POST /groups/acme/wikis']);
    expect(writes(ran).filter((line) => line.startsWith('DELETE /projects/'))).toHaveLength(2);
    const kept =
      'not started: delete wiki page home of acme: a wiki page could not be created, so none is deleted';
    expect(ran.err).toContain(kept);
    expect(ran.err).toContain(`0 created, 0 updated, 2 deleted, 1 ${result}, 4 not started.`);
    expect(await titles()).toEqual(expect.arrayContaining(before));
  });
});

describe('documents that name one target in different ways', () => {
  const one = 'svc: 1\nproject: acme/rocket\nvariables: [{ key: A, value: a }]\n';
  const other = (name: string, entry: string) => `---\nsvc: 1\nproject: ${name}\nvariables: [${entry}]\n`;

  test.each(['100', 'Acme/Rocket', '0100'])('acme/rocket and %s are merged', async (name) => {
    const file = `${one}${other(name, '{ key: B, value: b }')}`;
    const first = await exited(0, world.state(prune, file));
    expect(first.err).toContain(`acme/rocket and ${name} are the same project`);
    await wroteNothing(0, world.state(prune, file));
    expect(await world.json('variables list -p 100')).toMatchObject([{ key: 'A' }, { key: 'B' }]);
  });

  test('what they declare differently is rejected with both positions, what they declare alike is not', async () => {
    const equal = await exited(10, world.state('diff -f -', `${one}${other('100', '{ key: A, value: a }')}`));
    expect(equal.out.match(/variable A/g)).toHaveLength(1);
    const ran = await exited(2, world.state(prune, `${one}${other('100', '{ key: A, value: b }')}`));
    expect(ran.err).toContain('-:7:13: duplicate of the variable at -:3:13');
    expect(writes(ran)).toEqual([]);
    const single = 'svc: 1\nproject: acme/rocket\napprovals: { reset_approvals_on_push: true }\n';
    const twice = `${single}---\n${single.replace('acme/rocket', '100').replace('true', 'false')}`;
    const rejected = await exited(2, world.state(prune, twice));
    expect(rejected.err).toContain('-:7:12: duplicate of the approval settings at -:3:12');
  });

  test('entries of different kinds are never the same', async () => {
    const badges = 'svc: 1\nproject: acme/rocket\nbadges: [{ name: build }]\n';
    const file = `${badges}---\nsvc: 1\nproject: 100\nprotected_branches: [{ name: build }]\n`;
    expect((await world.state('diff -f -', file)).out).toContain('+ protected branch build');
  });

  test('different targets stay apart, also of a service that does not show projects', async () => {
    const file = `${one}${other('acme/website', '{ key: A, value: a }')}`;
    const ran = await exited(10, world.state('diff -f -', file, withStatus(at(/projects\/[^/]+$/), 404)));
    expect(ran.out).toContain('2 projects: acme/rocket, acme/website\n');
    expect(ran.out).toContain('Plan: 2 to create');
    expect(ran.err).toContain('cannot tell whether acme/website and acme/rocket are the same project\n');
  });

  test.each([
    ['403', 403, '{"message":"403 Forbidden"}'],
    ['404', 404, '{"message":"404 Not Found"}'],
    ['200 without an id', 200, '{}'],
    ['200 with an id that is none', 200, '{"id":true}'],
    ['200 with an empty id', 200, '{"id":""}'],
  ])('with --prune, nothing is sent if a look-up is answered with %s', async (_, status, body) => {
    const unknown = (name: RegExp) =>
      changing(at(name), (reply) => withBody({ ...reply, status }, () => body));
    const rocket = unknown(/projects\/acme%2Frocket$/);
    const file = `${one}${other('100', '{ key: B, value: b }')}`;
    for (const line of [apply, 'apply -f - --dry-run', 'diff -f -', 'variables import - --yes']) {
      const ran = await wroteNothing(2, world.state(`${line} --prune`, file, rocket));
      expect(ran.err).toContain('cannot tell whether 100 and acme/rocket are the same project');
    }
    const kept = await exited(0, world.state(apply, file, rocket));
    expect(kept.err).toContain('warning: cannot tell whether 100 and acme/rocket are the same project\n');
    const transport = intercepted(world, unknown(/projects\/[^/]+$/));
    const copy = 'variables copy --from acme/rocket --to acme/website --to 101 --yes';
    await exited(11, world.run(copy, { transport }));
    const others = `${one}---\n${group}badges: []\n`;
    await exited(0, world.state(`${prune} --dry-run`, others, rocket));
  });

  test('a single target is not looked up', async () => {
    const ran = await world.state('diff -f -', `${one}---\n${group}badges: []\n`);
    expect(ran.requests.filter(at(/(projects|groups)\/[^/]+$/))).toEqual([]);
  });

  test('nothing is sent if a target cannot be looked up', async () => {
    const file = `${one}${other('100', '{ key: B, value: b }')}`;
    const failing = withStatus(at(/projects\/[^/]+$/), 500);
    await wroteNothing(8, world.state(`${prune} --retries 0`, file, failing));
  });
});

describe('attributes that the service does not return', () => {
  const custom = `${instance}notifications: { level: custom, new_note: true }\n`;
  const bodies = ({ requests }: Awaited<ReturnType<StateWorld['state']>>) =>
    requests.filter(isWrite).map((request) => JSON.parse(bodyText(request)));

  test('are sent with a change of their resource', async () => {
    const plan = await world.state('diff -f -', custom);
    expect(plan.out).toContain('level: participating → custom, new_note: unknown → yes');
    const first = await exited(0, world.state(apply, custom));
    expect(bodies(first)).toEqual([{ level: 'custom', new_note: true }]);
    const shown = await world.json('notifications get');
    expect(shown).toMatchObject({ level: 'custom', events: { new_note: true } });
    const second = await exited(0, world.state('diff -f -', custom));
    expect(second.out).not.toContain('not compared');
  });

  test('are reported, and are no reason for a change', async () => {
    const file = `${instance}notifications: { level: participating, new_note: true }\n`;
    const ran = await wroteNothing(0, world.state(apply, file));
    expect(ran.out).toBe('instance\n  1 not compared: new_note of notification settings\nNo changes.\n');
    const json = await exited(0, world.state('diff -f - -o json', file));
    expect(JSON.parse(json.out)).toEqual([]);
    expect(json.err).toBe('instance: 1 not compared: new_note of notification settings\n');
  });

  test('are counted apart from what is unchanged, in one line for each target', async () => {
    const entries = '{ key: HIDDEN_KEY, value: secret-value }, { key: DEPLOY_USER, value: deployer }';
    const file = `${project}variables: [${entries}]\nbadges: [{ name: build }]\n`;
    const ran = await exited(0, world.state('diff -f -', file));
    const uncompared = '1 not compared: value of variable HIDDEN_KEY (scope *)';
    expect(ran.out).toBe(
      `acme/rocket\n  2 unchanged, ${uncompared}; apply with --rewrite-secrets to send secrets\nNo changes.\n`,
    );
  });

  test('a secret is sent with a change, masked', async () => {
    const file = `${project}variables: [{ key: HIDDEN_KEY, value: n3w-hidden, description: changed }]\n`;
    const plan = await world.state('diff -f -', file);
    expect(plan.out).toMatch(/description: \S+ → changed, value sent|value sent, description: .* → changed/);
    const json = await world.state('diff -f - -o json', file);
    expect(JSON.parse(json.out)[0].changes.value).toEqual([null, '***']);
    const ran = await exited(0, world.state(apply, file));
    expect(bodies(ran)).toEqual([{ value: 'n3w-hidden', description: 'changed' }]);
    expect(plan.out + plan.err + json.out + ran.out + ran.err).not.toContain('n3w-hidden');
  });

  test('svc copy copies every file of a snippet, and names and counts those that it deletes', async () => {
    const files = ['--file', 'file_path=a.txt,content=x', '--file', 'file_path=b.txt,content=x'];
    await exited(0, world.run(['snippets', 'create', '--title', 'Orbits', '-p', 'acme/website', ...files]));
    const copy = 'copy snippets --from acme/rocket --to acme/website --yes';
    const refusal = await wroteNothing(2, world.run(`${copy} -o ndjson --max-deletes 1`));
    expect(refusal.err).toContain('the plan deletes 2 resources and files of snippets');
    expect(refusal.out).toContain('"deleted_files":["a.txt","b.txt"]');
    expect((await exited(0, world.run(copy))).out).toContain('files changed (a.txt, b.txt deleted)');
    const copies = await world.json('snippets list -p acme/website');
    const { id } = copies.find(({ title }: { title: string }) => title === 'Orbits');
    const file = 'main lib/util.py -p';
    const copied = await world.run(`snippets raw-file ${id} ${file} acme/website`);
    expect(copied.out).toBe((await world.run(`snippets raw-file 52 ${file} acme/rocket`)).out);
    expect(copied.out).toContain('def period');
  });

  test('two resources with the same name are reported by export, and copied once', async () => {
    const create = ['snippets', 'create', '--title', 'dup', '--visibility', 'private', '-p', 'acme/rocket'];
    for (let times = 0; times < 2; times += 1)
      await exited(0, world.run([...create, '--file', 'file_path=a.txt,content=x']));
    const { err } = await world.run('export snippets -p acme/rocket');
    expect(err).toContain('snippets: named more than once, which svc diff and svc apply refuse: snippet dup');
    for (const created of [1, 0]) {
      const copied = await exited(11, world.run('copy snippets --from acme/rocket --to acme/website --yes'));
      expect(copied.err).toContain('not copied, because another one has the same title: snippet dup');
      expect(writes(copied).length > 0).toBe(created === 1);
    }
  });

  test('export names the webhooks whose URLs may be secret', async () => {
    const url = 'http://user:word@127.0.0.1:9/x?token=abc';
    await exited(0, world.run(['hooks', 'create', '--url', url, '-p', 'acme/rocket']));
    const note = /URLs with user information or a query, which may be secret: webhook (.*)/;
    const { err } = await world.run('export hooks --no-secrets -p acme/rocket');
    expect(note.exec(err)?.[1]).toBe('http://***@127.0.0.1:9/x?token=***');
    expect((await world.run('export hooks --with-secrets -p acme/rocket')).err).not.toMatch(note);
  });

  test('a snippet whose files cannot be read keeps them', async () => {
    const file = `${project}snippets: [{ title: Hello, files: [{ file_path: hello.sh, content: x }] }]\n`;
    const ran = await wroteNothing(0, world.state(apply, file, withStatus(at(/\/raw$/), 404)));
    expect(ran.out).toContain('1 not compared: files of snippet Hello');
    const inBranch = withText(isRead, (text) => text.replaceAll('raw/main/', 'raw/v2/'));
    const { requests } = await world.state(apply, file, inBranch);
    expect(requests.filter(({ url }) => url.endsWith('/files/v2/hello.sh/raw'))).toHaveLength(1);
  });
});

describe('approval rules', () => {
  const file = `${project}approval_rules:
  - { name: Engines, approvals_required: 2, user_ids: [3], protected_branch_ids: [2] }
  - { name: Legal, approvals_required: 1, group_ids: [10], applies_to_all_protected_branches: true }
`;

  test('of a project are created, changed and deleted; a second run sends no write', async () => {
    const ran = await exited(0, world.state(prune, file));
    expect(writes(ran).map((one) => one.replace(/\d+$/, 'ID'))).toEqual([
      'PUT /projects/acme%2Frocket/approval_rules/ID',
      'POST /projects/acme%2Frocket/approval_rules',
      'DELETE /projects/acme%2Frocket/approval_rules/ID',
    ]);
    const again = await exited(0, world.state(prune, file));
    expect(again.out).toContain('2 unchanged\nNo changes.');
  });

  test('with a user that the service ignores: the update failed, exit 11', async () => {
    const unknown = file.replace('[3]', '[3, 99999]');
    const ran = await exited(11, world.state(apply, unknown));
    expect(ran.err).toContain('update approval rule Engines: the response has another value of user_ids\n');
    expect(ran.err).toContain('1 created, 0 updated, 0 deleted, 1 failed.');
    const made = await exited(11, world.state(apply, unknown.replace('Engines', 'Wings')));
    expect(made.err).toContain('create approval rule Wings: the response has another value of user_ids\n');
  });

  test('of a group are not deleted', async () => {
    const ran = await exited(10, world.state('diff -f - --prune', `${group}approval_rules: []\n`));
    expect(ran.out).toContain('! approval rule Security: delete: the API does not delete it');
  });

  test('an attribute of projects is rejected in a group, with its position', async () => {
    const rule = '{ name: Security, applies_to_all_protected_branches: true }';
    const ran = await exited(2, world.state('diff -f -', `${group}approval_rules:\n  - ${rule}\n`));
    expect(ran.err).toMatch(/-:4:\d+: approval_rules of a group have no applies_to_all_protected_branches/);
  });
});

test('--rewrite-secrets sends the token and the header values of webhooks', async () => {
  const file = `${project}hooks:
  - { url: http://127.0.0.1:9/deploys, token: t0ken-secret, custom_headers: [{ key: X-A, value: v4lue-secret }] }
`;
  const ran = await exited(0, world.state('apply -f - --yes --rewrite-secrets --trace', file));
  expect(ran.out).toContain('~ webhook http://127.0.0.1:9/deploys: token sent, custom_headers sent');
  expect(writes(ran)).toHaveLength(1);
  expect(ran.out + ran.err).not.toMatch(/t0ken|v4lue/);
  await wroteNothing(0, world.state(apply, file));
});

describe('protected branches', () => {
  const isList = (request: Request) => isRead(request) && /\/protected_branches(\?|$)/.test(request.url);
  const unlisted: Intercept = (request, send) =>
    isRead(request) && /\/protected_branches/.test(request.url)
      ? respond(send, 405, '{"message":"405"}')
      : undefined;
  const byPattern = async () => {
    await exited(0, world.run('branches unprotect release/1.x -p acme/rocket --yes'));
    await exited(0, world.run('branches protect "release/*" -p acme/rocket'));
  };

  test.each(['[{ name: main }]', '[{ name: main }, { name: release/* }]'])(
    'a branch that a pattern protects is not deleted: %s',
    async (declared) => {
      await byPattern();
      const ran = await wroteNothing(0, world.state(prune, `${project}protected_branches: ${declared}\n`));
      expect(ran.out).toContain('No changes.');
    },
  );

  test('a protection of its own is deleted', async () => {
    const ran = await exited(0, world.state(prune, `${project}protected_branches: [{ name: main }]\n`));
    expect(writes(ran)).toEqual(['DELETE /projects/acme%2Frocket/protected_branches/release%2F1.x']);
  });

  test('levels are changed in place, so that the branch is protected all the time', async () => {
    const file = `${project}protected_branches: [{ name: main, push_access_level: 0, allow_force_push: true, code_owner_approval_required: true }, { name: v*, merge_access_level: 30 }]\n`;
    const ran = await exited(0, world.state(apply, file));
    const changes = 'push_access_level: 40 → 0, allow_force_push: no → yes';
    expect(ran.out).toContain(`~ protected branch main: ${changes}`);
    expect(writes(ran)).toEqual([
      'PATCH /projects/acme%2Frocket/protected_branches/main',
      'POST /projects/acme%2Frocket/protected_branches',
    ]);
    const again = await exited(0, world.state(apply, file));
    expect(again.out).toContain('2 unchanged\nNo changes.');
    expect(await world.json('branches protection main -p acme/rocket')).toMatchObject({
      push_access_levels: [{ access_level: 0 }],
      merge_access_levels: [{ access_level: 40 }],
      allow_force_push: true,
      code_owner_approval_required: true,
    });
  });

  test('a rule of a role is replaced by its id; rules of users are not compared', async () => {
    const rules = (...rows: object[]) =>
      withText(isList, (text) =>
        JSON.stringify(JSON.parse(text).map((row: object) => ({ ...row, push_access_levels: rows }))),
      );
    const file = `${project}protected_branches: [{ name: main, push_access_level: 0 }]\n`;
    const role = rules({ id: 7, access_level: 30, user_id: null, group_id: null });
    const dry = await world.state('apply -f - --dry-run', file, role);
    expect(jsonLines(dry.out)).toEqual([
      expect.objectContaining({ method: 'PATCH', body: { allowed_to_push: [{ id: 7, access_level: 0 }] } }),
    ]);
    const user = rules({ id: 7, access_level: 40, user_id: 3, group_id: null });
    const ran = await wroteNothing(0, world.state(apply, file, user));
    expect(ran.out).toContain('1 not compared: push_access_level of protected branch main');
  });

  test('a service without the call to change it: the change failed, exit 11', async () => {
    const file = `${project}protected_branches: [{ name: main, push_access_level: 0 }]\n`;
    const missing = withStatus(({ method }) => method === 'PATCH', 405);
    const ran = await exited(11, world.state(apply, file, missing));
    expect(ran.err).toContain('failed: update protected branch main: ');
    expect(writes(ran)).toEqual(['PATCH /projects/acme%2Frocket/protected_branches/main']);
  });

  test('a protection of a group is not deleted', async () => {
    const own = /"inherited":\s*false/g;
    const inherited = withText(isList, (text) => text.replaceAll(own, '"inherited":true'));
    await wroteNothing(0, world.state(prune, `${project}protected_branches: []\n`, inherited));
  });

  test('of a service that does not list them: what nothing shows is not sent', async () => {
    const file = `${project}protected_branches: [{ name: main }, { name: next }, { name: v* }, { name: develop }, { name: release/* }]\n`;
    const ran = await exited(11, world.state(apply, file, unlisted));
    expect(writes(ran)).toHaveLength(1);
    const unknown = 'create: the service does not show whether it is protected';
    for (const name of ['next', 'v*']) expect(ran.out).toContain(`! protected branch ${name}: ${unknown}`);
    expect(ran.out).toContain('+ protected branch develop');
    expect(ran.out).toContain('2 unchanged');
    expect(writes(await world.state(apply, file, unlisted))).toEqual([]);
  });

  test('of a service that does not list them: a deletion that finds nothing failed', async () => {
    await byPattern();
    const file = `${project}protected_branches: [{ name: main }]\n`;
    const ran = await exited(11, world.state(prune, file, unlisted));
    expect(ran.err).toContain('failed: delete protected branch release/1.x: ');
    expect(ran.err).toContain('0 deleted, 1 failed.');
  });
});

test('differences that cannot be resolved: diff exits 10, apply does the rest and exits 11', async () => {
  const file = `${project}approval_rules: [{ name: Engines, rule_type: any_approver }]\napprovals: { reset_approvals_on_push: false }\n`;
  const compared = await exited(10, world.state('diff -f -', file));
  expect(compared.out).toContain(
    '! approval rule Engines: rule_type: regular → any_approver; update: rule_type can only be set at creation',
  );
  const applied = await exited(11, world.state(apply, file));
  expect(writes(applied)).toEqual(['POST /projects/acme%2Frocket/approvals']);
  const hidden = 'variables: [{ key: HIDDEN_KEY, value: secret-value }]\n';
  const json = await wroteNothing(11, world.state(`${apply} -o json`, `${file}${hidden}`));
  expect(json.err).toMatch(/"message": ?"0 created, 0 updated, 0 deleted, 1 not possible\."/);
});

test('a change that the service only accepted is unknown', async () => {
  const file = `${project}variables: [{ key: A, value: b }]\n`;
  const ran = await exited(11, world.state(apply, file, withStatus(isWrite, 202)));
  expect(ran.err).toContain('unknown: create variable A (scope *): the service accepted the request');
});

describe('secrets', () => {
  const file = `${project}variables:
  - { key: HIDDEN_KEY, value: n3w-hidden }
  - { key: API_TOKEN, value: { env: TOKEN } }
`;
  const env = { TOKEN: 's3cret-token' };

  test('are in no output, plan or trace', async () => {
    for (const line of ['diff -f -', 'diff -f - -o json', `${apply} --trace`, 'apply -f - --dry-run']) {
      const { out, err } = await world.state(line, file, undefined, env);
      expect(out + err).not.toMatch(/s3cret-token|not-a-real-token|n3w-hidden/);
    }
  });

  test('that cannot be read count as unchanged, unless --rewrite-secrets is given', async () => {
    expect((await world.state('diff -f -', file, undefined, env)).out).not.toMatch(/[+~] .*HIDDEN_KEY/);
    const ran = await world.state('apply -f - --rewrite-secrets --yes', file, undefined, env);
    expect(writes(ran)[0]).toContain('/variables/HIDDEN_KEY');
  });
});

describe('errors of a state file', () => {
  test.each([
    [`${project}variable: []`, '-:3:1: unknown kind "variable"'],
    ['svc: 1\nproject: a\nprojct: b\n', '-:3:1: unknown kind "projct"\nhint: Did you mean project?'],
    [`${project}badges: [{ name: { env: "" } }]`, '-:3:18: env must not be empty'],
    [`${project}variables:\n  - key: A\n    valeu: b`, '-:5:5: unknown attribute "valeu" of a variable'],
    [
      `${project}variables:\n  - { key: A, value: a }\n  - { key: A, value: b, environment_scope: "*" }`,
      '-:5:5: duplicate of the variable at -:4:5',
    ],
    [
      `${project}variables: [{ key: A, value: { env: NO } }]`,
      '-:3:30: the environment variable NO is not set',
    ],
    [
      `${project}variables: [{ key: A, value: { env: BYTES } }]`,
      '-:3:30: the environment variable BYTES is not UTF-8 text',
    ],
    [`${project}variables:\n  - { key: A, value: { file: /nope/x } }`, '-:4:22: '],
    [`${project}variables: [{ key: NEW }]`, '-:3:13: value is missing, which the new variable NEW requires'],
    [
      `${project}variables: [{ key: B, hidden: true }]`,
      '-:3:13: value is missing, which the new variable B requires\nhint: the value of a hidden variable cannot be read',
    ],
    [`${project}variables: [{ value: x }]`, '-:3:13: a variable requires key and environment_scope'],
    [`${project}variables: [{ key: A, value: x, masked: maybe }]`, '-:3:41: masked must be true or false'],
    [`${project}variables: [{ key: A-B, value: x }]`, '-:3:20: key takes letters'],
    [`${project}variables: { A: b }`, '-:3:14: variables must be a list, or have entries and absent'],
    ['project: acme/rocket\n', '-:1:1: svc: 1 is missing'],
    ['svc: 2\nproject: acme/rocket\n', '-:1:1: unsupported format version'],
    [`${group}variables: []`, '-:3:1: variables belong to a project, not to a group'],
    [`${instance}badges: []`, '-:3:1: badges belong to a project or a group, not to the instance'],
    [`${project}group: acme\n`, '-:3:1: a document has only one of project, group and instance'],
    ['svc: 1\nvariables: []\n', '-:1:1: no target'],
    [`${project}variables: [`, '-:'],
    ['', '-:1:1: '],
    ['- a\n', '-:1:1: a state file must be a mapping'],
  ])('%j: %s', async (file, message) => {
    const ran = await wroteNothing(2, world.state(apply, file, undefined, { BYTES: 'a\ufffdb' }));
    expect(ran.err).toContain(`error: ${message}`);
    expect(ran.out).toBe('');
  });
});

describe('the target', () => {
  const file = `${project}variables: [{ key: A, value: b }]\n`;
  const unnamed = 'svc: 1\nvariables: [{ key: A, value: b }]\n';

  test.each([
    ['of a flag replaces that of the file', '-p acme/website', file, {}],
    ['of the settings is used for a file without one', '', unnamed, { SVC_PROJECT: 'acme/website' }],
  ])('%s', async (_, flags, text, env) => {
    const ran = await world.state(`${apply} ${flags}`, text, undefined, env);
    expect(writes(ran)).toEqual(['POST /projects/acme%2Fwebsite/variables']);
  });

  test('of a flag is rejected for files that name several', async () => {
    const several = `${file}---\nsvc: 1\nproject: acme/website\nvariables: []\n`;
    await exited(2, world.state('diff -f - -p acme/rocket', several));
    const ran = await world.state('diff -f -', several);
    expect(ran.out).toContain('acme/rocket\n');
    expect(ran.out).toContain('acme/website\n');
  });
});

test('a text attribute is taken as written', async () => {
  const file = `${project}variables:\n  - { key: A, value: yes }\n  - { key: B, value: 0x10 }\n  - { key: C, value: 1.0 }\n  - { key: D, value: null }\n`;
  await exited(0, world.state(apply, file));
  const rows: { key: string; value: string }[] = await world.json('variables list -p acme/rocket');
  const values = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  expect(values).toMatchObject({ A: 'yes', B: '0x10', C: '1.0', D: 'null' });
});

test('a plan is wrapped between words on a terminal, below the text after the sign, and not in a pipe', async () => {
  const key = 'A_KEY_THAT_IS_LONGER_THAN_MOST_KEYS_ARE_AND_IN_A_SCOPE';
  const file = `${project}variables:
  - { key: DATABASE_URL, environment_scope: production, value: new, masked: false, protected: false, raw: true, description: Address of the database }
  - { key: ${key}, environment_scope: review/a-branch-with-a-long-name, value: v }
`;
  const env = { NO_COLOR: '1' };
  const piped = (await world.run('diff -f -', { stdin: file, env })).out;
  const lines = piped.trimEnd().split('\n');
  expect(lines.filter((line) => line.length > 80)).toHaveLength(2);
  const { out } = await world.run('diff -f -', { stdin: file, env, terminal: 80 });
  const shown = out.trimEnd().split('\n');
  expect(shown.filter((line) => line.length > 80)).toEqual([]);
  expect(shown.length).toBeGreaterThan(lines.length);
  for (const line of shown.slice(1, -1)) expect(line).toMatch(/^ {2}([+~] |\d+ unchanged| {2}\S)/);
  const asPiped = shown.join('\n').replace(/\n {4}(?=\S)/g, ' ');
  expect(asPiped).toBe(lines.join('\n'));
});

test('--fields selects attributes of a plan', async () => {
  const file = `${project}variables: [{ key: A, value: b }, { key: DEPLOY_USER, value: c }]\n`;
  const line = 'diff -f - -o csv --no-header --fields';
  const plan = await exited(10, world.state(`${line} action,identity.key`, file));
  expect(plan.out).toBe('create,A\r\nupdate,DEPLOY_USER\r\n');
  const unknown = await exited(2, world.state(`${line} nope`, file));
  expect(unknown.err).toContain('unknown field "nope"');
});

test('without a terminal, a plan that is not empty requires --yes, or --dry-run, which prints the writes', async () => {
  const file = `${project}variables: [{ key: A, value: b }]\n`;
  await wroteNothing(2, world.state('apply -f -', file));
  await exited(0, world.state('apply -f -', `${project}approvals: {}\n`));
  const ran = await wroteNothing(0, world.state('apply -f - --dry-run', file));
  expect(JSON.parse(ran.out)).toMatchObject({ method: 'POST', body: { key: 'A', value: '***' } });
});

test.each([
  ['project: acme/labs/probe\n', ''],
  ['', 'using the project acme/rocket; for the group, use --group acme\n'],
])('%j: names the default target only if it is used', async (target, note) => {
  const env = { SVC_PROJECT: 'acme/rocket', SVC_GROUP: 'acme' };
  const ran = await world.state('diff -f -', `svc: 1\n${target}approvals: {}\n`, undefined, env);
  expect([ran.code, ran.err]).toEqual([0, note]);
});

test.each(['yaml', 'json'])(
  'an export in %s leaves out kinds that are forbidden, and says so',
  async (format) => {
    const ran = await exited(0, world.run(`export -p acme/rocket -o ${format}`, { as: 'developer' }));
    expect(ran.err).toMatch(/^variables: not included: /m);
    if (format === 'yaml') expect(ran.out).toMatch(/^# variables: not included: /m);
    expect(ran.out).toMatch(/\bbadges"?:/);
  },
);

describe('masked values in an export', () => {
  type Row = { key: string; environment_scope: string; value?: { env: string }; masked: boolean };
  const create = async (key: string, scope: string, value: string) => {
    const line = `variables create ${key} ${value} --masked --environment-scope "${scope}" -p acme/rocket`;
    await exited(0, world.run(line));
  };

  test('one reference for each, which another machine can apply', async () => {
    const references = [
      ['deploy', '*', 'first-secret', 'SECRET_DEPLOY_3'],
      ['DEPLOY', '*', 'second-secret', 'SECRET_DEPLOY'],
      ['DEPLOY_2', '*', 'third-secret', 'SECRET_DEPLOY_2'],
      ['DEPLOY', 'review/*', 'fourth-secret', 'SECRET_DEPLOY__REVIEW__'],
      ['PATH', '*', 'fifth-secret', 'SECRET_PATH'],
    ] as const;
    for (const [key, scope, value] of references) await create(key, scope, value);
    const exported = await exited(0, world.run('export variables -p acme/rocket -o json'));
    const { variables }: { variables: Row[] } = JSON.parse(exported.out);
    const found = variables.filter(({ masked, value }) => masked && value !== undefined);
    const all = [...references, ['API_TOKEN', '*', 'not-a-real-token', 'SECRET_API_TOKEN']] as const;
    expect(found.map(({ key, environment_scope, value }) => [key, environment_scope, value]).sort()).toEqual(
      all.map(([key, scope, , name]) => [key, scope, { env: name }]).sort(),
    );
    expect(exported.err).toContain(
      'variables: masked values replaced by references to environment variables: ',
    );
    for (const name of ['SECRET_DEPLOY_3', 'SECRET_DEPLOY__REVIEW__']) expect(exported.err).toContain(name);
    expect(exported.out + exported.err).not.toMatch(/(first|second|third|fourth|fifth)-secret|not-a-real/);
    const env = Object.fromEntries(all.map(([, , value, name]) => [name, value]));
    const same = await exited(0, world.state('diff -f -', exported.out, undefined, env));
    expect(same.out).toContain('No changes.');
    await exited(2, world.state('diff -f -', exported.out));
  });

  test('the names do not depend on the order of the list', async () => {
    const created = [...['*', 'x.y', 'x/y'].map((scope) => ['A_B', scope]), ['a_b', '*'], ['A_b', '*']];
    for (const [key = '', scope = ''] of created) await create(key, scope, `secret-of-${key}-${scope}`);
    const names = async (order: (rows: unknown[]) => unknown[]) => {
      const ordered = withText(at(/variables/), (text) => JSON.stringify(order(JSON.parse(text))));
      const { out } = await world.state('export variables -p acme/rocket -o json', '', ordered);
      const { variables }: { variables: Row[] } = JSON.parse(out);
      return variables.map((row) => `${row.key} ${row.environment_scope} ${row.value?.env}`).sort();
    };
    const listed = await names((rows) => rows);
    expect(listed).toContain('A_B * SECRET_A_B');
    expect(listed).toContain('a_b * SECRET_A_B_3');
    expect(await names((rows) => rows.reverse())).toEqual(listed);
    expect(await names((rows) => [...rows.slice(3), ...rows.slice(0, 3)])).toEqual(listed);
  });

  test('--with-secrets includes them, --no-secrets leaves out every value, both are refused', async () => {
    const line = 'variables export -p acme/rocket';
    const all = await world.run(`${line} --with-secrets`);
    expect(all.out).toContain('value: not-a-real-token');
    const none = await world.run(`${line} --no-secrets`);
    expect(none.out).not.toMatch(/value:|env:/);
    expect(none.err).toContain('variables: secret values not included: variable DEPLOY_USER (scope *)');
    await exited(2, world.run(`${line} --no-secrets --with-secrets`));
  });
});

describe('text of the service', () => {
  test('a line break in a name adds no line to a plan or to a comment of an export', async () => {
    const badge = { name: 'a\n  - badge b', link_url: 'https://x.example', image_url: 'https://x.example/b' };
    const file = JSON.stringify({ svc: 1, project: 'acme/rocket', badges: [badge] });
    const ran = await world.state('diff -f -', file);
    expect(ran.out).toContain('  + badge a   - badge b\n');
    const broken = withText(any, (text) => text.replace('"HIDDEN_KEY"', '"X\\nproject: acme/website"'));
    const exported = await world.state('export variables --project acme/rocket', '', broken);
    expect(exported.out).toMatch(/^# variables: secret values not included.*X project: acme\/website/);
  });
});

test('a plan that cannot be saved: the error names the file', async () => {
  const file = `${project}variables: [{ key: A, value: b }]\n`;
  const ran = await wroteNothing(2, world.state('apply -f - --save-plan missing-folder/plan', file));
  expect(ran.err).toContain('cannot write missing-folder/plan: ');
});

test('people see the values of variables that are neither masked, hidden nor given by reference', async () => {
  const file = `${project}variables:
  - { key: DEPLOY_USER, value: deployer2 }
  - { key: API_TOKEN, value: token-of-ours }
  - { key: KUBECONFIG, value: contents, masked: true, description: ${'x'.repeat(41)} }
  - { key: DATABASE_URL, environment_scope: staging, value: { env: OWN_URL } }
  - { key: DATABASE_URL, environment_scope: production, value: 'postgres://us:pw@host' }
`;
  const env = { OWN_URL: 'from-outside' };
  const [, ...lines] = (await world.state('diff -f -', file, undefined, env)).out.split('\n');
  expect(lines.slice(0, 5)).toEqual([
    '  ~ variable DEPLOY_USER (scope *): value: deployer → deployer2',
    '  ~ variable API_TOKEN (scope *): value changed',
    '  ~ variable KUBECONFIG (scope *): value changed, masked: no → yes, description changed',
    '  ~ variable DATABASE_URL (scope staging): value changed',
    '  ~ variable DATABASE_URL (scope production): value changed',
  ]);
  for (const format of ['json', 'ndjson'])
    expect((await world.state(`diff -f - -o ${format}`, file, undefined, env)).out).not.toContain('deployer');
});

describe('a project that is named in another way', () => {
  const forms = ['/acme/rocket/', 'acme%2Frocket', `${baseUrl}/acme/rocket/-/jobs`];

  test.each(forms)('%s: by a flag', async (form) => {
    const flag = `--project ${form}`;
    const plain = await exited(0, world.run('export badges --project acme/rocket'));
    expect((await exited(0, world.run(`export badges ${flag}`))).out).toBe(plain.out);
    expect((await exited(0, world.state(`diff -f - ${flag}`, 'svc: 1\nbadges: []\n'))).out).toMatch(
      /^acme\/rocket\n/,
    );
    await exited(0, world.run(`variables export ${flag}`));
    const copied = await exited(0, world.run(`copy badges --from ${form} --to /acme/website/ --yes`));
    expect(writes(copied)[0]).toBe('POST /projects/acme%2Fwebsite/badges');
    await exited(2, world.run(`variables copy --from acme/rocket --to ${form} --yes`));
  });

  test.each(forms)('%s: by a state file or a list', async (form) => {
    const file = `svc: 1\nproject: ${form}\nbadges: []\n---\n${project}variables: []\n`;
    expect((await exited(0, world.state('diff -f -', file))).out).toMatch(/^acme\/rocket\n/);
    const each = 'each --projects - -- badges list --fields name';
    const listed = await exited(0, world.state(each, `${form}\nacme/rocket\n`));
    expect(listed.err).toContain('acme/rocket is listed more than once');
  });

  test('a command to continue with has its path, without the password of a URL', async () => {
    const url = baseUrl.replace('//', '//user:pass-word@');
    const ran = await exited(0, world.run(`jobs digest 1011 --project ${url}/acme/rocket`));
    expect(ran.out).toContain('svc jobs log 5234 --project acme/rocket\n');
    expect(ran.out).not.toContain('pass-word');
  });

  test('the URL of a page of another host is an error with its position', async () => {
    const file = 'svc: 1\nproject: https://other.example/acme/rocket\nbadges: []\n';
    const ran = await wroteNothing(2, world.state('diff -f -', file));
    expect(ran.err).toContain('-:2:10: other.example is not the host of the base URL');
  });
});

test('--jq and --fields print the outcome of each change', async () => {
  const file = `${project}variables: [{ key: A, value: b }]\nbadges: { absent: [{ name: build }] }\n`;
  const ran = await exited(0, world.state(['apply', '-f', '-', '--yes', '--jq', '.[] | .result'], file));
  expect(ran.out).toBe('"done"\n"done"\n');
  const line = 'variables import - --yes --fields action,result -o tsv';
  const listed = await exited(0, world.state(line, `${project}variables: [{ key: A, value: c }]\n`));
  expect(listed.out).toBe('action\tresult\nupdate\tdone\n');
});

test('an export of a project that does not exist, or of the instance with a project, fails', async () => {
  await exited(5, world.run('export -p acme/nowhere'));
  const ran = await exited(2, world.run('export appearance --instance --project acme/rocket'));
  expect(ran.err).toContain('--instance cannot be used with --project or --group');
});
