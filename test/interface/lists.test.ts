import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import type { Header, Request } from '../../src/http/transport.ts';
import { breaking } from '../support/catalogue.ts';
import { openWorld } from '../support/sandbox.ts';
import { type Canned, jsonLines } from '../support/svc.ts';
import { ask, refused, root } from './service.ts';

const list = 'badges list -p 1';
const next = (url: string): Header => ['link', `<${url}>; rel="next"`];
const pageUrl = (n: number) =>
  `${root}/projects/1/badges?per_page=2&page=${n}&token_of_ours=${'x'.repeat(n)}`;
const ids = (out: string): number[] => (JSON.parse(out) as { id: number }[]).map(({ id }) => id);

/** A list of seven items in pages of two, each linked to the next by an unpredictable URL. */
function seven(more: (n: number) => readonly Header[] = () => []): (request: Request) => Canned {
  return ({ url }) => {
    const n = Number(new URL(url).searchParams.get('page') ?? 1);
    const rows = [2 * n - 1, 2 * n].filter((id) => id <= 7).map((id) => ({ id }));
    return {
      body: JSON.stringify(rows),
      headers: [...(n < 4 ? [next(pageUrl(n + 1))] : []), ...more(n)],
    };
  };
}

/** The same, with a header for the number of results. */
const counted = (total: string) => seven(() => [['x-total', total]]);

const query = (request: Request | undefined) =>
  Object.fromEntries(new URL((request as Request).url).searchParams);

test('a list command requests one page of 20 by default', async () => {
  const ran = await ask(`${list} --json`, seven());
  expect([ran.code, ran.requests.length, ids(ran.out)]).toEqual([0, 1, [1, 2]]);
  const { per_page: perPage } = query(ran.requests[0]);
  expect(['20', undefined]).toContain(perPage);
  const world = await openWorld();
  expect(await world.json('jobs list -p acme/rocket')).toHaveLength(20);
});

test('a page after the last one is not called an empty list', async () => {
  const none = () => ({ body: '[]' });
  const notes = [];
  for (const flags of ['', ' --page 1', ' --page 9']) notes.push((await ask(`${list}${flags}`, none)).err);
  expect(notes).toEqual(['No badges found.\n', 'No badges found.\n', 'No badges on page 9.\n']);
});

describe('--limit N follows Link until N results', () => {
  test.each([1, 2, 3, 5, 7])('%i', async (limit) => {
    const ran = await ask(`${list} --json --limit ${limit}`, seven());
    expect(ids(ran.out)).toEqual([1, 2, 3, 4, 5, 6, 7].slice(0, limit));
  });
  test('a limit above the total returns all results', async () => {
    const ran = await ask(`${list} --json --limit 50`, seven());
    expect([ids(ran.out).length, ran.err]).toEqual([7, '']);
  });
  test('requests no unnecessary page', async () => {
    const ran = await ask(`${list} --json --limit 2 --per-page 2`, seven());
    expect(ran.requests).toHaveLength(1);
  });
});

describe('--all and --limit 0 fetch all results', () => {
  test.each(['--all', '--limit 0', '--all --limit 0'])('%s', async (flags) => {
    const ran = await ask(`${list} --json ${flags}`, seven());
    expect([ids(ran.out), ran.err]).toEqual([[1, 2, 3, 4, 5, 6, 7], '']);
  });
  test('requests 100 results per page', async () => {
    expect(query((await ask(`${list} --all`, seven())).requests[0])['per_page']).toBe('100');
  });
  test('sends --page and --per-page unchanged', async () => {
    expect(query((await ask(`${list} --page 3 --per-page 7`, seven())).requests[0])).toEqual({
      page: '3',
      per_page: '7',
    });
    expect(query((await ask(`${list} --all --per-page 7`, seven())).requests[0])['per_page']).toBe('7');
  });
  test('rejects --all with --limit', () => refused(`${list} --all --limit 5`, [/--all/, /--limit/]));
});

describe('keyset pagination (section 8 of the specification)', () => {
  const asked = async (line: string, env = {}) =>
    query((await ask(line, { body: '[]' }, { env })).requests[0]);
  const keyset = (order_by: string, sort: string, per_page = '100') => {
    return { pagination: 'keyset', order_by, sort, per_page };
  };
  const anonymous = { SVC_TOKEN: '' };

  test.each([
    ['jobs list -p 1 --all', keyset('id', 'desc')],
    ['jobs list -p 1 --limit 500', keyset('id', 'desc')],
    ['jobs list -p 1 --limit 7 --per-page 5', keyset('id', 'desc', '5')],
    ['jobs list -p 1 --all --order-by id', keyset('id', 'desc')],
    ['users list --all', keyset('id', 'desc')],
    ['users list --limit 60000', keyset('id', 'desc')],
    ['users list --all --sort asc', keyset('id', 'asc')],
    ['users list --all --order-by name', keyset('name', 'desc')],
    ['users list --all --order-by username --sort asc', keyset('username', 'asc')],
  ])('is used if pages are followed in a supported order: %s', async (line, sent) => {
    expect(await asked(line)).toEqual(sent);
  });
  test.each([
    ['jobs list -p 1 --pagination keyset', ['id', 'desc']],
    ['users list --pagination keyset', ['id', 'desc']],
    ['users list --pagination keyset --sort asc', ['id', 'asc']],
    ['users list --pagination keyset --order-by name', ['name', 'desc']],
  ])('sends its three parameters together: %s', async (line, [order_by, sort]) => {
    expect(await asked(line)).toEqual({ pagination: 'keyset', order_by, sort });
  });
  test.each([
    ['users list --all --order-by created_at', { order_by: 'created_at', per_page: '100' }],
    ['users list --all --page 3', { page: '3', per_page: '100' }],
    ['users list', {}],
    ['users list --limit 50', { per_page: '50' }],
    ['users list --order-by name', { order_by: 'name' }],
    [`${list} --all`, { per_page: '100' }],
  ])('is not used for one page, or for an unsupported order or endpoint: %s', async (line, sent) => {
    expect(await asked(line)).toEqual(sent);
  });
  test('is the only pagination of users without a token, and not available for jobs', async () => {
    expect(await asked('users list', anonymous)).toEqual({
      pagination: 'keyset',
      order_by: 'id',
      sort: 'desc',
    });
    expect(await asked('jobs list -p 1 --all', anonymous)).toEqual({ per_page: '100' });
  });
  test('keeps the default order of the list', async () => {
    const world = await openWorld();
    const ids = async (flags: string) =>
      (await world.json(`users list ${flags}`)).map(({ id }: { id: number }) => id);
    const all = await ids('--all');
    expect(all).toEqual([...all].sort((a, b) => b - a));
    expect(all.slice(0, 20)).toEqual(await ids(''));
  });
  test('is suggested for a 405 beyond the maximum offset', async () => {
    const body = '{"error":"Offset pagination has a maximum allowed offset of 50000"}';
    const ran = await ask('users list --all --order-by created_at', { status: 405, body });
    expect(ran.err).toContain('use --pagination keyset, with --order-by id or name or username');
    expect(ran.err).not.toContain('base URL');
  });
});

describe('an incomplete list is always reported', () => {
  test('with the number of results, the total and the flags for more', async () => {
    for (const format of ['table', 'json', 'csv', 'ndjson', 'yaml', 'tsv']) {
      const ran = await ask(`${list} -o ${format}`, counted('7'));
      expect(ran.err, format).toBe('Showing 2 of 7 badges. Use --all or --limit N for more.\n');
    }
  });
  test.each([
    ['9007199254740993', '9007199254740993'],
    ['007', '7'],
  ])('with every digit of the total %s', async (total, shown) => {
    const ran = await ask(list, counted(total));
    expect(ran.err).toBe(`Showing 2 of ${shown} badges. Use --all or --limit N for more.\n`);
    const short = await ask(list, { body: '[{"id":1},{"id":2}]', headers: [['x-total', total]] });
    expect(short.err).toBe(`warning: incomplete list: 2 of ${shown} badges arrived\n`);
  });
  test('without a known total', async () => {
    const ran = await ask(list, seven());
    expect(ran.err).toBe('Showing 2 badges of a longer list. Use --all or --limit N for more.\n');
  });
  test('with the noun in the singular for one result', async () => {
    const one = (more: readonly Header[]) => ({ body: '[{"id":1}]', headers: [next(pageUrl(2)), ...more] });
    expect((await ask(list, one([]))).err).toMatch(/Showing 1 badge of a longer list\./);
    expect((await ask(list, one([['x-total', '9']]))).err).toMatch(/Showing 1 of 9 badges\./);
    expect((await ask('branches list -p 1', one([]))).err).toMatch(/Showing 1 branch of a longer list\./);
    expect((await ask('branches list -p 1', one([['x-total', '9']]))).err).toMatch(
      /Showing 1 of 9 branches\./,
    );
  });
  test('except after a limit that was reached, which is what the user asked for', async () => {
    expect((await ask(`${list} --limit 3`, counted('7'))).err).toBe('');
    expect((await ask(`${list} --limit 2 --per-page 2`, seven())).err).toBe('');
    expect((await ask(`${list} --limit 1`, { body: '[{"id":1},{"id":2}]' })).err).toBe('');
  });
  test('if an empty page links to a next page', async () => {
    const ran = await ask(list, { body: '[]', headers: [next(pageUrl(2))] });
    expect([ran.code, ran.out]).toEqual([0, '']);
    expect(ran.err).toBe('Showing 0 badges of a longer list. Use --all or --limit N for more.\n');
  });
  test.each(['1', 'many', '-3', ''])('without a total that is not plausible: %j', async (total) => {
    const { err } = await ask(list, counted(total));
    expect(err).toBe('Showing 2 badges of a longer list. Use --all or --limit N for more.\n');
  });
  test('and every list of the catalogue has a noun', () => {
    expect(
      breaking(({ endpoint }) => endpoint.returns.kind === 'list' && !endpoint.noun && 'has no noun'),
    ).toEqual([]);
  });
  test('unless all results were printed', async () => {
    expect((await ask(`${list} --all`, seven())).err).toBe('');
    expect((await ask(list, { body: '[{"id":1}]' })).err).toBe('');
  });
  test('without counting results before a later first page', async () => {
    expect((await ask(`${list} --page 4 --per-page 2`, counted('7'))).err).toBe('');
  });
});

describe('a list that ends before all announced results arrived', () => {
  /** Seven results, of which each page announces another number. */
  const announcing = (total: (page: number) => string | undefined) =>
    seven((page) => (total(page) === undefined ? [] : [['x-total', String(total(page))]]));
  const short = 'warning: incomplete list: 7 of 9 badges arrived\n';

  test.each([
    ['--all', short],
    ['--limit 8', short],
    ['--all --json --sort-by=-id', short],
    ["--all --jq '.[].id'", short],
    ['--page 4 --per-page 2', short.replace('7 of 9', '1 of 3')],
    ['--page 3 --per-page 2 --all', short.replace('7 of 9', '3 of 5')],
    ['--limit 7', ''],
    ['--limit 3', ''],
  ])('prints a warning with %s', async (flags, warning) => {
    const ran = await ask(`${list} ${flags}`, counted('9'));
    expect([ran.code, ran.err]).toEqual([0, warning]);
  });
  test('or has no results', async () => {
    const ran = await ask(list, { body: '[]', headers: [['x-total', '3']] });
    expect([ran.code, ran.err]).toEqual([0, 'warning: incomplete list: 0 of 3 badges arrived\n']);
  });
  test.each([
    ['is not announced', () => undefined],
    ['is not a number', () => '7 or 9'],
  ])('is complete if the total %s', async (_, total) => {
    expect((await ask(`${list} --all`, announcing(total))).err).toBe('');
  });
  test('is incomplete if only earlier pages announce the total', async () => {
    const early = announcing((page) => (page < 4 ? '9' : undefined));
    expect((await ask(`${list} --all`, early)).err).toBe(short);
  });
  test.each([
    ['fails a command that decides by it', '9', 'incomplete list: 3 of 9 results arrived'],
    ['fails it too if the total changes', '3', 'the list changed from 9 to 3 results while it was read'],
  ])('%s', async (_, last, message) => {
    const page = (n: number) => `${root}/projects/1/variables?per_page=2&page=${n}`;
    const common = { value: 'v', variable_type: 'env_var', environment_scope: '*' };
    const rows = [1, 2, 3].map((n) => ({ key: `K${n}`, ...common }));
    const ran = await ask('variables export -p 1', ({ url }) =>
      url.includes('page=2')
        ? { body: JSON.stringify(rows.slice(2)), headers: [['x-total', last]] }
        : { body: JSON.stringify(rows.slice(0, 2)), headers: [next(page(2)), ['x-total', '9']] },
    );
    expect([ran.code, ran.err]).toEqual([8, expect.stringContaining(message)]);
  });
  test('is reported with --parallel too', async () => {
    const ran = await ask(`${list} --all --parallel 3`, counted('9'));
    expect([ran.code, ran.err.endsWith(short)]).toEqual([0, true]);
  });
});

describe('only Link headers determine the next page', () => {
  test('which is requested unchanged', async () => {
    const { requests } = await ask(`${list} --all`, seven());
    expect(requests.slice(1).map(({ url }) => url)).toEqual([pageUrl(2), pageUrl(3), pageUrl(4)]);
  });
  test('without a link there is no next page', async () => {
    const ran = await ask(`${list} --all --json`, { body: '[{"id":1}]', headers: [['x-total-pages', '9']] });
    expect(ran.requests).toHaveLength(1);
  });
});

describe('a list whose next page is announced without a link', () => {
  const announced: readonly Header[] = Object.entries({ 'x-next-page': '2', 'x-total': '7' });
  const unlinked = { body: '[{"id":1},{"id":2}]', headers: announced };

  test.each(['--all', '--limit 5', '--all --parallel 2'])(
    'is an error with %s, after its results',
    async (flags) => {
      const ran = await ask(`${list} ${flags} -o ndjson`, unlinked);
      expect([ran.code, ran.out.trim().split('\n').length]).toEqual([8, 2]);
      expect(ran.err).toContain('announces another page');
    },
  );
  test('is reported with one page', async () => {
    const ran = await ask(`${list} -o ndjson`, unlinked);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('Showing 2 of 7')]);
  });
  test('is complete if the header is empty, or if the limit is reached', async () => {
    const last: Canned = { body: '[{"id":1}]', headers: [['x-next-page', '']] };
    expect(await ask(`${list} --all -o ndjson`, last)).toMatchObject({ code: 0, err: '' });
    expect(await ask(`${list} --limit 2 -o ndjson`, unlinked)).toMatchObject({ code: 0, err: '' });
  });
});

describe('an interrupted list', () => {
  const failing =
    (status: number) =>
    (request: Request): Canned =>
      request.url === pageUrl(3) ? { status, body: '{"message":"no"}' } : seven()(request);

  test('suggests a command that prints the missing results', async () => {
    const advice = async (answer: Parameters<typeof ask>[1]) =>
      (await ask(`${list} --all --retries 0 --csv`, answer)).err
        .match(/hint: (.*): svc api GET '(.*)' --all/)
        ?.slice(1);
    expect(await advice(failing(500))).toEqual(['continue with', pageUrl(3)]);
    const half: Parameters<typeof ask>[1] = (request) =>
      request.url === pageUrl(2) ? { body: '[{"id":3},{"id"' } : seven()(request);
    expect(await advice(half)).toEqual(['print this page again and continue', pageUrl(2)]);
    const quoted: Parameters<typeof ask>[1] = (request) =>
      request.url.includes("it's")
        ? { status: 500, body: '{}' }
        : { body: '[{"id":1}]', headers: [['link', "</api/v4/it's>; rel=next"]] };
    expect((await ask(`${list} --all --retries 0 --csv`, quoted)).err).toContain(`/api/v4/it'\\''s' --all`);
    const connected = await ask(`${list} --all --retries 0 --csv --auth access --insecure`, failing(500));
    expect(connected.err).toContain(`'${pageUrl(3)}' --all --auth access --insecure`);
    const strange: Parameters<typeof ask>[1] = () => ({
      body: '[{"id":1}]',
      headers: [['link', '<https://other.example/x>; rel="next"']],
    });
    expect(await advice(strange)).toBeUndefined();
  });
  test('reports the number of printed results after an interruption', async () => {
    const stop = new AbortController();
    const ran = await ask(
      `${list} --all --csv`,
      (request) => {
        if (request.url !== pageUrl(3)) return seven()(request);
        stop.abort(new Failure('interrupted', 'interrupted'));
        throw stop.signal.reason;
      },
      { signal: stop.signal },
    );
    expect([ran.code, ran.err]).toEqual([130, 'error: interrupted (after 4 results)\n']);
  });
  test('is reported as JSON with --json', async () => {
    const ran = await ask(`${list} --all --retries 0 -o ndjson`, failing(500));
    const { error } = JSON.parse(ran.err);
    expect(error.url).toBe(pageUrl(3));
    expect(JSON.stringify(error)).toMatch(/\b4 results\b/);
  });
  test.each([
    ['<html></html>', 2],
    ['nonsense', 2],
    ['{"message":"no"}', 2],
    ['[{"id":3},{"id":4},{"id"', 4],
  ])('is reported if a page is not a list: %s', async (body, rows) => {
    const ran = await ask(`${list} --all -o ndjson`, (request) =>
      request.url === pageUrl(2) ? { body } : seven()(request),
    );
    const printed = jsonLines(ran.out).map(({ id }) => id);
    expect([ran.code, printed]).toEqual([8, [1, 2, 3, 4].slice(0, rows)]);
    const { error } = JSON.parse(ran.err);
    expect(error.url).toBe(pageUrl(2));
    expect(JSON.stringify(error)).toContain(`${rows} results`);
  });
  test('is reported if the first page fails after its first results', async () => {
    const ran = await ask(`${list} -o ndjson`, { body: '[{"id":1},{"id":2},' });
    expect([ran.code, ran.out]).toEqual([8, '{"id":1}\n{"id":2}\n']);
    expect(ran.err).toMatch(/\b2 results\b/);
  });
});

describe('a response that is not a list of objects', () => {
  const bodies = ['null', '"text"', '{}', '[1,null,[1]]', '[123456789012345678901]', '[null]'];
  const other = ['--fields id --csv', '--sort-by id', '--jq .[].id', '--jq length'];
  const lines = ['--json', '-o ndjson', '-o table', ...other];
  test.each(bodies.flatMap((body) => lines.map((flags) => [body, flags] as const)))(
    '%s is an error with %s',
    async (body, flags) => {
      const { code, out, err } = await ask(`${list} ${flags}`, { body }, { env: { SVC_ERRORS: 'text' } });
      expect([code, out], err).toEqual([8, '']);
      expect(err).toContain('the response is not a list');
    },
  );

  test('is printed up to its first item that is not an object', async () => {
    const { code, out, err } = await ask(`${list} -o ndjson`, { body: '[{"id":1},2]' });
    expect([code, out]).toEqual([8, '{"id":1}\n']);
    expect(err).toContain('not a list of objects (after 1 result)');
  });

  test.each(['-o table', '--csv', '--json'])('is an error of its target in each %s', async (flags) => {
    const { out, err } = await ask(
      `each --projects - ${flags} -- jobs list`,
      { body: '[1,"a"]' },
      { stdin: 'acme/a\n' },
    );
    expect(out + err).toContain('the response is not a list of objects');
    expect(out).not.toMatch(/^value/i);
  });

  test('is printed by svc api, whose paths may return any list', async () => {
    const { code, out } = await ask('api projects/1/languages -o ndjson', { body: '[1,"a"]' });
    expect([code, out]).toEqual([0, '1\n"a"\n']);
  });
});
