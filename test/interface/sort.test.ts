import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/spec/field.ts';
import { calls, plainRun, returned } from '../support/catalogue.ts';
import { jsonLines, words } from '../support/svc.ts';
import { ask, refused, root } from './service.ts';

const sort = async (rows: string, flags: string) => {
  const { out, err, code } = await ask(`api GET things ${flags}`, { body: rows });
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
};
/** The values of `v`, sorted. */
const values = async (list: readonly unknown[], key = 'v') => {
  const rows = list.map((v, id) => (v === undefined ? { id } : { id, v }));
  return (await sort(JSON.stringify(rows), `--sort-by ${key}`)).map(({ v }: { v: unknown }) => v);
};

describe('orders', () => {
  test.each([
    ['numbers by value', [10, 9, -1, 1.5], [-1, 1.5, 9, 10]],
    ['booleans: false first', [true, false, true], [false, true, true]],
    ['texts by collation, not by code', ['b', 'a', 'C', 'ä', 'Z'], ['a', 'ä', 'b', 'C', 'Z']],
    ['numbers in texts as texts', ['10', '9'], ['10', '9']],
    [
      'times by instant',
      ['2026-01-01T10:00:00+05:00', '2026-01-01T06:00:00Z', '2026-01-01T00:00:00-01:00'],
      ['2026-01-01T00:00:00-01:00', '2026-01-01T10:00:00+05:00', '2026-01-01T06:00:00Z'],
    ],
    [
      'times by their microseconds',
      ['2026-01-01T00:00:00.123457Z', '2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.1234559Z'],
      ['2026-01-01T00:00:00.1234559Z', '2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123457Z'],
    ],
    ['dates', ['2026-02-01', '2025-12-31', '2026-01-15'], ['2025-12-31', '2026-01-15', '2026-02-01']],
    ['null, missing and empty values last', [null, 'b', undefined, '', 'a'], ['a', 'b', null, undefined, '']],
  ])('%s', async (_, given, expected) => {
    expect(await values(given)).toEqual(expected);
  });
  test('in descending order with a leading dash, empty values still last', async () => {
    expect(await values([1, null, 3, 2], '-v')).toEqual([3, 2, 1, null]);
  });
  test('equal values in the order of the service, also in descending order', async () => {
    const rows = '[{"id":1,"v":"a"},{"id":2,"v":"b"},{"id":3,"v":"a"},{"id":4,"v":"b"}]';
    const ids = async (flags: string) => (await sort(rows, flags)).map(({ id }: { id: number }) => id);
    expect(await ids('--sort-by v')).toEqual([1, 3, 2, 4]);
    expect(await ids('--sort-by -v')).toEqual([2, 4, 1, 3]);
    expect(await ids('--sort-by -v,-id')).toEqual([4, 2, 3, 1]);
  });
  test('numbers beyond the precision of floating point, byte for byte', async () => {
    const { out } = await ask('api GET things --sort-by v', {
      body: '[{"v":9007199254740993},{"v":9007199254740992},{"v": 1.10}]',
    });
    expect(out).toBe('[\n{"v": 1.10},\n{"v":9007199254740992},\n{"v":9007199254740993}\n]\n');
  });
  test('nested fields', async () => {
    const rows = '[{"a":{"b":2}},{"a":{"b":1}}]';
    expect(await sort(rows, '--sort-by a.b')).toEqual([{ a: { b: 1 } }, { a: { b: 2 } }]);
  });
});

test('works with every format, with --fields and with --jq', async () => {
  const body = '[{"id":2,"name":"b"},{"id":1,"name":"c"}]';
  const out = async (flags: string) => (await ask(`users list --sort-by id ${flags}`, { body })).out;
  expect(await out('--csv --fields name')).toBe('name\r\nc\r\nb\r\n');
  expect(await out('-o ndjson')).toBe('{"id":1,"name":"c"}\n{"id":2,"name":"b"}\n');
  expect(await out('-o tsv --fields name --no-header')).toBe('c\nb\n');
  expect(await out('-o yaml --fields id')).toBe('- id: 1\n- id: 2\n');
  expect(await out('--fields name --no-header')).toBe('c\nb\n');
  expect(await out("--jq '.[].name'")).toBe('"c"\n"b"\n');
  expect(await out("--jq 'map(.name)'")).toBe('["c","b"]\n');
});

describe('over several pages', () => {
  const pages = ({ url }: { readonly url: string }) => {
    const n = Number(new URL(url).searchParams.get('page') ?? 1);
    return {
      body: JSON.stringify([{ id: 10 - n }, { id: 20 - n }]),
      headers: [
        ...(n < 3 ? [['link', `<${root}/users?page=${n + 1}>; rel="next"`] as const] : []),
        ['x-total', '6'] as const,
      ],
    };
  };
  const ids = (out: string) => jsonLines(out).map(({ id }) => id);

  test('--all sorts all rows', async () => {
    const { out, err } = await ask('users list --all --sort-by id -o ndjson', pages);
    expect([ids(out), err]).toEqual([[7, 8, 9, 17, 18, 19], '']);
  });
  test('--limit sorts the rows that were fetched, and says so', async () => {
    const { out, err } = await ask('users list --limit 3 --sort-by id -o ndjson', pages);
    expect(ids(out)).toEqual([8, 9, 19]);
    expect(err).toMatch(/Sorted the first 3 users; the list has more\.\n$/);
  });
  test('one page sorts that page, and says so', async () => {
    const { out, err } = await ask('users list --sort-by -id -o ndjson', pages);
    expect(ids(out)).toEqual([19, 9]);
    expect(err).toMatch(/Showing 2 of 6 users; only these are sorted\. Use --all or --limit N for more\.\n$/);
  });
  test('a page that fails prints nothing, because the order is not known yet', async () => {
    const { code, out } = await ask('users list --all --retries 0 --sort-by id -o ndjson', (request) =>
      request.url.includes('page=2') ? { status: 500, body: '{}' } : pages(request),
    );
    expect([code, out]).toEqual([8, '']);
  });
});

describe('rejects', () => {
  test('a field that does not exist, as --fields does', async () => {
    const { code, out, err } = await ask('users list --sort-by usrname', { body: '[{"id":1}]' });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/--sort-by: unknown field "usrname"\n.*Did you mean username\?/);
  });
  test.each([
    ['users list --sort-by ,', /--sort-by contains an empty name/],
    ['users list --sort-by -', /--sort-by contains an empty name/],
  ])('%s before sending', (line, says) => refused(line, [says]));
});

/** Five values in ascending order, which no other type would order the same way. */
const samples: Partial<Record<Field['kind'], readonly unknown[]>> = {
  int: [-2, 1, 9, 10, 100],
  number: [-2.5, 1, 9.5, 10, 100],
  text: ['alpha', 'Beta', 'gamma', 'Österreich', 'zulu'],
  date: ['2024-12-31', '2025-01-01', '2025-02-01', '2025-10-01', '2026-01-01'],
  datetime: [
    '2026-01-01T01:00:00+03:00',
    '2025-12-31T23:00:00Z',
    '2026-01-01T09:00:00+09:00',
    '2025-12-31T23:30:00-01:00',
    '2026-01-01T01:00:00Z',
  ],
};
const shuffled = [3, 0, 4, 2, 1];

describe('every list sorts by a field of each kind', () => {
  const lists = calls.filter(({ endpoint }) => endpoint.returns.kind === 'list');
  test.each(lists.map((call) => [call.title, call] as const))('%s', async (_, { endpoint }) => {
    const line = plainRun(endpoint);
    const byKind = new Map(Object.entries(returned(endpoint)).map(([name, { kind }]) => [kind, name]));
    for (const [kind, name] of byKind) {
      const sample = samples[kind];
      const rows = shuffled.map((at) => ({ at, [name]: sample?.[at] ?? { a: at } }));
      const body = JSON.stringify([{ at: -1, [name]: null }, ...rows]);
      const run = async (key: string) => {
        const ran = await ask([...words(line), '-o', 'ndjson', '--quiet', '--sort-by', key], { body });
        expect([name, ran.code, ran.err.replace(/^.*deprecated.*\n/, '')]).toEqual([name, 0, '']);
        return jsonLines(ran.out).map(({ at }) => at);
      };
      if (name === 'at') continue;
      if (!sample) {
        expect((await run(name)).at(-1)).toBe(-1);
        continue;
      }
      expect([name, await run(name)]).toEqual([name, [0, 1, 2, 3, 4, -1]]);
      expect([name, await run(`-${name}`)]).toEqual([name, [4, 3, 2, 1, 0, -1]]);
    }
  });
});
