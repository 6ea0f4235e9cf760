// --since and --until: the period of a list, and the pages that are read for it.
import { describe, expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { momentPattern, parseMoment } from '../../src/support/number.ts';
import type { Canned } from '../support/svc.ts';
import { ask, planned, refused, root } from './service.ts';

const now = () => Date.parse('2026-11-10T12:00:00Z');

/** Nine jobs in pages of three, each a day older than the one before, created at noon. */
function nine({ url }: Request): Canned {
  const page = Number(new URL(url).searchParams.get('page') ?? 1);
  const rows = [0, 1, 2].map((at) => {
    const day = 10 - 3 * (page - 1) - at;
    return `{"id":${day},"created_at":"2026-11-${String(day).padStart(2, '0')}T12:00:00.000Z","coverage":1.50}`;
  });
  const link = ['link', `<${root}/projects/1/jobs?page=${page + 1}>; rel="next"`] as const;
  return { body: `[${rows.join(',')}]`, headers: page < 3 ? [link] : [] };
}

test.each([
  ['--since 2d', [10, 9, 8], 2],
  ['--since 2026-11-08T12:00:00Z', [10, 9, 8], 2],
  ['--since 2026-11-08T12:00:01Z', [10, 9], 1],
  ['--since 4d --until 2d', [7, 6], 2],
  ['--until 2026-11-04', [3, 2], 3],
  ['--since 30d --limit 4', [10, 9, 8, 7], 2],
  ['--until 5d --limit 1', [4], 3],
])('jobs list %s prints jobs %j from %i pages', async (flags, ids, pages) => {
  const ran = await ask(`jobs list -p 1 --json ${flags}`, nine, { now });
  expect(JSON.parse(ran.out).map(({ id }: { id: number }) => id)).toEqual(ids);
  expect([ran.code, ran.err, ran.requests.length]).toEqual([0, '', pages]);
});

test('keeps the digits of numbers, and says when the period is empty', async () => {
  expect((await ask('jobs list -p 1 --since 0h --json', nine, { now })).out).toContain('"coverage":1.50');
  const none = await ask('jobs list -p 1 --until 2026-01-01', nine, { now });
  expect([none.code, none.out, none.err]).toEqual([0, '', 'No jobs found in this period.\n']);
});

test('deliveries without a time are kept, and counted', async () => {
  const rows = [
    { id: 3 },
    { id: 2, response_headers: { Date: 'Tue, 10 Nov 2026 11:00:00 GMT' } },
    { id: 1, response_headers: { Date: 'Tue, 10 Nov 2026 09:00:00 GMT' } },
  ];
  const line = 'hooks events 301 -g acme --since 2h --fields id';
  const ran = await ask(line, { body: JSON.stringify(rows) }, { now });
  expect([ran.out, ran.err]).toEqual(['ID\n3\n2\n', 'Included 1 delivery without a time.\n']);
  expect(ran.requests[0]?.url).toMatch(/per_page=20$/);
});

test('pipelines are selected by the service', async () => {
  const { url } = await planned('pipelines list -p 1 --since 2d --until 2026-11-09', { now });
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    updated_after: '2026-11-08T12:00:00.000Z',
    updated_before: '2026-11-09T00:00:00.000Z',
    per_page: '100',
  });
});

describe('before anything is sent, rejects', () => {
  test.each([
    ['jobs list --since yesterday', '--since must be a duration such as 2h, or a time'],
    ['jobs list --since 5', '--since must be a duration'],
    ['jobs list --until 2026-02-30', '--until: there is no such time'],
    ['jobs list --since 1h --until 2h', '--since must be earlier than --until'],
    ['jobs list --since 1h --all --limit 1', '--all and --limit cannot be used together'],
    ['jobs list --since 1h --page 2', '--since and --until cannot be used with --page'],
    ['pipelines list --since 1h --updated-after 2026-01-01', 'cannot be used with --updated-after'],
  ])('%s', (line, message) => refused(`${line} -p 1`, [message], { now }));
});

test.each([
  ['1h30m', '2026-11-10T10:30:00Z'],
  ['999999999d', '1970-01-01T00:00:00Z'],
  ['2026-11-01', '2026-11-01T00:00:00Z'],
  ['2026-11-01 08:30', '2026-11-01T08:30:00Z'],
  ['2026-11-01T08:30:00+02:00', '2026-11-01T06:30:00Z'],
])('%s is %s', (text, time) => {
  expect(text).toMatch(momentPattern);
  expect(parseMoment(text, now())).toBe(Date.parse(time));
});
