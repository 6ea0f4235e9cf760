// Changes that a service can make between the comparison and the last write. Nothing may be deleted or sent by mistake.
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../src/http/transport.ts';
import {
  apply,
  at,
  changing,
  exited,
  expectCode,
  isRead,
  isWrite,
  prune,
  stateWorldPerTest,
  withBody,
  withStatus,
  withText,
  writes,
  wroteNothing,
} from './world.ts';

const world = stateWorldPerTest();

const start = 'svc: 1\nproject: acme/rocket\n';
const badges = `${start}badges: [{ name: build }]\n`;

test('a kind of a plan with --prune that is forbidden: nothing is sent for any kind', async () => {
  const file = `${start}variables: [{ key: A, value: b }]\nbadges: []\n`;
  const forbidden = withStatus(at(/badges/), 403);
  await wroteNothing(4, world.state(`${prune} --max-deletes 100`, file, forbidden));
});

test.each([
  ['approval_rules', /s_hidden_groups":false/g, 's_hidden_groups":true', 'group_ids'],
  ['protected_branches', /"push_access_levels":\[/g, '$&{"user_id":3},', 'push_access_level'],
])('%s: copy and export name an attribute that the service does not show', async (kind, old, text, name) => {
  const intercept = withText(isRead, (body) => body.replace(old, text));
  const ran = await exited(11, world.state(`copy ${kind} --from 100 --to 101 --yes`, '', intercept));
  expect(ran.err).toContain(`copied without ${name}, which cannot be read: `);
  const { err } = await exited(0, world.state(`export ${kind} -p 100`, '', intercept));
  expect(err).toContain('attributes not included, because they cannot be read: ');
});

test('two rows with the declared identity: reported, neither is changed or deleted', async () => {
  const twice = withText(isRead, (text) => text.replace(/"name": ?"coverage"/g, '"name":"build"'));
  const file = `${start}badges: [{ name: build, link_url: https://new.example }]\n`;
  const ran = await wroteNothing(11, world.state(prune, file, twice));
  expect(ran.out).toContain('! badge build: update: 2 existing ones have this identity');
});

describe('a service that omits an identifying attribute', () => {
  const omit = (name: string) =>
    withText(isRead, (text) =>
      JSON.stringify(JSON.parse(text).map(({ [name]: _, ...others }: Record<string, unknown>) => others)),
    );
  const urls = (host: string) =>
    `link_url: "https://${host}.example", image_url: "https://${host}.example/a.svg"`;

  test.each(['build', 'new'])('badges without name: %s is not created, and none is deleted', async (name) => {
    const file = `${start}badges: [{ name: ${name}, ${urls('other')} }]\n`;
    const ran = await wroteNothing(11, world.state(prune, file, omit('name')));
    const reason = 'the service returned it without its identity';
    expect(ran.out).toContain(`! badge ${name}: create: it may exist: ${reason}`);
    expect(ran.out.match(new RegExp(`! badge .* delete: ${reason}`, 'g'))).toHaveLength(2);
  });

  test('badges without name: the URLs find a badge, and tell badges apart that are declared without a name', async () => {
    const own = `${start}badges: [{ name: own, ${urls('own')} }]\n`;
    await exited(0, world.state(apply, own));
    await exited(0, world.state('diff -f -', own, omit('name')));
    const unnamed = `${start}badges: [{ ${urls('other')} }]\n`;
    const created = await world.state('diff -f - --prune', unnamed, omit('name'));
    expect(created.out).toContain('Plan: 1 to create, 0 to update, 3 to delete.');
  });

  test('wiki pages without slug: the titles find them', async () => {
    const pages = (more: string) =>
      `svc: 1\ngroup: acme\nwikis: [{ title: One, content: X }, { title: Two, content: X }${more}]\n`;
    await exited(0, world.state(apply, pages('')));
    await wroteNothing(0, world.state(apply, pages(''), omit('slug')));
    const three = pages(', { title: Three, content: X }');
    const third = await exited(0, world.state(apply, three, omit('slug')));
    expect(writes(third)).toEqual(['POST /groups/acme/wikis']);
    const four = pages(', { slug: four, title: Four, content: X }');
    await wroteNothing(11, world.state(prune, four, omit('slug')));
  });
});

test('a row on two pages: another row is missing, so nothing is sent', async () => {
  const repeated = changing(isRead, (reply) => {
    const headers = reply.headers.filter(([name]) => !/^x-total$/i.test(name));
    return withBody({ ...reply, headers }, (text) => {
      const rows: unknown[] = JSON.parse(text);
      return JSON.stringify([...rows, rows[0]]);
    });
  });
  const ran = await wroteNothing(8, world.state(prune, badges, repeated));
  expect(ran.err).toContain('error: the badges of acme/rocket changed while they were read');
});

test('429 during the execution: the request is repeated, every change is made', async () => {
  const file = `${start}variables: [{ key: A, value: b }, { key: C, value: d }]\n`;
  let listed: Reply | undefined;
  let isLimited = false;
  const ran = await world.state(apply, file, (request, send) => {
    if (!isWrite(request))
      return send().then((reply) => {
        listed = reply;
        return reply;
      });
    if (isLimited || !listed) return undefined;
    isLimited = true;
    return withBody({ ...listed, status: 429, headers: [['retry-after', '0']] }, () => '{}');
  });
  expectCode(ran, 0);
  expect(ran.err).toContain('rate limited (429)');
  expect(ran.err).toContain('2 created, 0 updated, 0 deleted.');
  expect(writes(ran)).toHaveLength(3);
});
