// What a service can do between the comparison and the last write. Nothing may be deleted or sent by mistake.
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../src/http/transport.ts';
import {
  exited,
  expectCode,
  type Intercept,
  isWrite,
  stateWorldPerTest,
  withBody,
  writes,
  wroteNothing,
} from './world.ts';

const world = stateWorldPerTest();

const start = 'svc: 1\nproject: acme/rocket\n';
const badges = `${start}badges: [{ name: build }]\n`;

test('a kind of a plan with --prune that is forbidden: nothing is sent for any kind', async () => {
  const file = `${start}variables: [{ key: A, value: b }]\nbadges: []\n`;
  const ran = await world.state('apply -f - --prune --max-deletes 100 --yes', file, ({ url }, send) =>
    /badges/.test(url) ? send().then((reply) => ({ ...reply, status: 403 })) : undefined,
  );
  expectCode(ran, 4);
  expect(writes(ran)).toEqual([]);
});

test('two rows with the declared identity: reported, neither is changed or deleted', async () => {
  const twice = (text: string) =>
    text
      .replaceAll('"name":"coverage"', '"name":"build"')
      .replaceAll('"name": "coverage"', '"name": "build"');
  const file = `${start}badges: [{ name: build, link_url: https://new.example }]\n`;
  const ran = await world.state('apply -f - --prune --yes', file, (request, send) =>
    isWrite(request) ? undefined : send().then((reply) => withBody(reply, twice)),
  );
  expectCode(ran, 11);
  expect(ran.out).toContain('! badge build: update: 2 existing ones have this identity');
  expect(writes(ran)).toEqual([]);
});

describe('a service that omits an identifying attribute', () => {
  const omit =
    (name: string): Intercept =>
    (request, send) =>
      isWrite(request)
        ? undefined
        : send().then((reply) => {
            const strip = (row: object) =>
              Object.fromEntries(Object.entries(row).filter(([own]) => own !== name));
            return withBody(reply, (text) => JSON.stringify(JSON.parse(text).map(strip)));
          });
  const urls = (host: string) =>
    `link_url: "https://${host}.example", image_url: "https://${host}.example/a.svg"`;

  test.each(['build', 'new'])(
    'badges without name: %s is neither created nor is a badge deleted',
    async (name) => {
      const file = `${start}badges: [{ name: ${name}, ${urls('other')} }]\n`;
      const ran = await wroteNothing(11, world.state('apply -f - --prune --yes', file, omit('name')));
      expect(ran.out).toContain(
        `! badge ${name}: create: it may exist: the service returned it without its identity`,
      );
      expect(ran.out.match(/! badge .* delete: the service returned it without its identity/g)).toHaveLength(
        2,
      );
    },
  );

  test('badges without name: the URLs find a badge, and tell badges apart that are declared without a name', async () => {
    const own = (name: string) => `${start}badges: [{ ${name}${urls('own')} }]\n`;
    await exited(0, world.state('apply -f - --yes', own('name: own, ')));
    await exited(0, world.state('diff -f -', own('name: own, '), omit('name')));
    const created = await world.state(
      'diff -f - --prune',
      `${start}badges: [{ ${urls('other')} }]\n`,
      omit('name'),
    );
    expect(created.out).toContain('Plan: 1 to create, 0 to update, 3 to delete.');
  });

  test('wiki pages without slug: the titles find them', async () => {
    const pages =
      'svc: 1\ngroup: acme\nwikis:\n  - { title: One, content: X }\n  - { title: Two, content: X }\n';
    await exited(0, world.state('apply -f - --yes', pages));
    await wroteNothing(0, world.state('apply -f - --yes', pages, omit('slug')));
    const third = await world.state(
      'apply -f - --yes',
      `${pages}  - { title: Three, content: X }\n`,
      omit('slug'),
    );
    expectCode(third, 0);
    expect(writes(third)).toEqual(['POST /groups/acme/wikis']);
    const hidden = await world.state(
      'apply -f - --prune --yes',
      `${pages}  - { slug: four, title: Four, content: X }\n`,
      omit('slug'),
    );
    expectCode(hidden, 11);
    expect(writes(hidden)).toEqual([]);
  });
});

test('a row on two pages: another row is missing, so nothing is sent', async () => {
  const repeat = (text: string) => {
    const rows = JSON.parse(text) as unknown[];
    return JSON.stringify([...rows, rows[0]]);
  };
  const ran = await world.state('apply -f - --prune --yes', badges, (request, send) =>
    isWrite(request)
      ? undefined
      : send().then((reply) => {
          const headers = reply.headers.filter(([name]) => !/^x-total$/i.test(name));
          return withBody({ ...reply, headers }, repeat);
        }),
  );
  expectCode(ran, 8);
  expect(ran.err).toContain('error: the badges of acme/rocket changed while they were read');
  expect(writes(ran)).toEqual([]);
});

test('429 during the execution: the request is repeated, every change is made', async () => {
  const file = `${start}variables: [{ key: A, value: b }, { key: C, value: d }]\n`;
  let listed: Reply | undefined;
  let isLimited = false;
  const ran = await world.state('apply -f - --yes', file, (request, send) => {
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
