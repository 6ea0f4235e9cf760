import { describe, expect, test } from 'vitest';
import { seededCalls } from '../sandbox/seeded-calls.ts';
import { calls } from '../support/catalogue.ts';
import { type Numbered, numbered } from '../support/numbered.ts';
import { openWorld } from '../support/sandbox.ts';
import { jsonLines, type Ran } from '../support/svc.ts';
import { ask, refused, root } from './service.ts';

const list = 'badges list -p 1 --per-page 2';
const ids = ({ out }: Ran): number[] => jsonLines(out).map(({ id }) => id);
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

async function run(line: string, model: Numbered) {
  const service = numbered(model);
  const ran = await ask(`${line} --retries 0`, undefined, { transport: service.transport });
  return { ...ran, ...service };
}

describe('every list of the seeded world prints the same with --parallel', () => {
  const isList = ({ endpoint }: (typeof calls)[number]) => endpoint.returns.kind === 'list';
  const examples = calls
    .filter((call) => isList(call) && 'per_page' in call.endpoint.takes)
    .flatMap(({ endpoint }) => endpoint.examples.map(({ run: line }) => line))
    .filter(
      (line) =>
        !/--(limit|all|per-page|page|jq|sort-by|watch|output-file|dry-run|pagination)\b|-L|[|>]/.test(line),
    );

  test.each(['json', 'table', 'csv'])('commands, with -o %s', async (format) => {
    const world = await openWorld({ now: () => Date.UTC(2026, 3, 1) });
    expect(examples.length).toBeGreaterThan(20);
    for (const example of examples) {
      const line = `${example.replace(/ (--json|--csv|-o \w+)\b/, '')} --all --per-page 2 -o ${format}`;
      const serial = await world.run(line);
      const parallel = await world.run(`${line} --parallel 4`);
      expect([line, serial.code]).toEqual([line, 0]);
      expect([line, parallel.code, parallel.out]).toEqual([line, serial.code, serial.out]);
    }
  });

  test('svc api', async () => {
    const world = await openWorld({ now: () => Date.UTC(2026, 3, 1) });
    for (const { request } of seededCalls('GET').filter(isList)) {
      const line = `api ${request.replace('GET /', '')}${request.includes('?') ? '&' : '?'}per_page=3 --all`;
      const serial = await world.run(line);
      const parallel = await world.run(`${line} --parallel 5`);
      expect([line, parallel.code, parallel.out]).toEqual([line, serial.code, serial.out]);
    }
  });
});

describe('--parallel N', () => {
  test('requests up to N pages at once, after the first one', async () => {
    const delay = (page: number) => (page % 2 === 0 ? 15 : 5);
    for (const n of [1, 2, 4, 8]) {
      const ran = await run(`${list} --all -o ndjson --parallel ${n}`, { total: 40, delay });
      expect([ran.code, ids(ran), ran.err]).toEqual([0, upTo(40), '']);
      expect(ran.most()).toBe(n);
      expect([...ran.requested].sort((a, b) => a - b)).toEqual(upTo(20));
    }
  });

  test('changes only the number in the link to the next page', async () => {
    const first = `${root}/projects/1/badges?x=%7E%20a&page=2&per_page=2&page_size=7`;
    const service = numbered({ total: 6 });
    const ran = await ask(`${list} --all --json --parallel 3`, ({ url }) => {
      const page = Number(new URL(url).searchParams.get('page') ?? 1);
      const to = (n: number, rel: string) => `<${first.replace('page=2', `page=${n}`)}>; rel="${rel}"`;
      const links = [...(page < 4 ? [to(page + 1, 'next')] : []), to(4, 'last')];
      return { body: `[{"id":${page}}]`, headers: [['link', links.join(', ')]] };
    });
    expect(service.requested).toEqual([]);
    expect(ran.requests.slice(1).map(({ url }) => url)).toEqual(
      [2, 3, 4].map((n) => first.replace('page=2', `page=${n}`)),
    );
  });

  test('uses X-Total-Pages if there is no link to the last page', async () => {
    const model = { total: 20, delay: () => 5, last: 'header' } as const;
    const ran = await run(`${list} --all -o ndjson --parallel 4`, model);
    expect([ids(ran), ran.most()]).toEqual([upTo(20), 4]);
  });

  test('reads one page at a time, and says so, if the last page is not known', async () => {
    const ran = await run(`${list} --all -o ndjson --parallel 4`, { total: 10, last: 'none' });
    expect([ids(ran), ran.most()]).toEqual([upTo(10), 1]);
    expect(ran.err).toBe('Fetching one page at a time: the service does not report the last page.\n');
  });

  test('starts at --page', async () => {
    const ran = await run(`${list} --all --page 3 -o ndjson --parallel 4`, { total: 11 });
    expect(ids(ran)).toEqual([5, 6, 7, 8, 9, 10, 11]);
  });

  test('uses offset pagination where the call has both, unless keyset pagination is requested', async () => {
    const sent = async (line: string) => {
      const ran = await ask(line, { body: '[]' });
      return new URL(ran.requests[0]?.url ?? '').searchParams.get('pagination');
    };
    expect(await sent('jobs list -p 1 --all')).toBe('keyset');
    expect(await sent('jobs list -p 1 --all --parallel 1')).toBe('keyset');
    expect(await sent('jobs list -p 1 --all --parallel 2')).toBe(null);
    expect(await sent('users list --all --parallel 2')).toBe(null);
    expect(await sent('jobs list -p 1 --all --parallel 2 --pagination keyset')).toBe('keyset');
  });

  test.each(['0', '33', '1.5', '-1', 'many', ''])('rejects the number %j', (n) =>
    refused(
      [...list.split(' '), '--all', `--parallel=${n}`],
      ['--parallel must be a whole number from 1 to 32'],
    ),
  );
});

describe('a page that fails', () => {
  test('ends the list at its place with the code of the failure', async () => {
    const ran = await run(`${list} --all -o ndjson --parallel 4`, {
      total: 40,
      // The later pages arrive first.
      delay: (page) => 30 - page,
      instead: (page) => (page === 6 ? { status: 403, body: '{"message":"no"}' } : undefined),
    });
    expect([ran.code, ids(ran)]).toEqual([4, upTo(10)]);
    const { error } = JSON.parse(ran.err);
    expect(error.url).toBe(`${root}/projects/1/badges?per_page=2&page=6`);
    expect(JSON.stringify(error)).toContain('after 10 results');
    expect(JSON.stringify(error)).toContain(`continue with: svc api GET '${error.url}' --all`);
    expect(Math.max(...ran.requested)).toBeLessThan(10);
  });

  test('is not hidden if a page before it fails too', async () => {
    const ran = await run(`${list} --all -o ndjson --parallel 8`, {
      total: 40,
      instead: (page) => (page >= 4 ? { status: 400 + page, body: '{}' } : undefined),
    });
    expect([ran.code, ids(ran), JSON.parse(ran.err).error.status]).toEqual([5, upTo(6), 404]);
  });
});

describe('a list that changes while it is read', () => {
  test.each(['--parallel 3', '--quiet'])(
    'is warned about once with %s, and read to its new end',
    async (flag) => {
      const grown = await run(`${list} --all -o ndjson ${flag}`, {
        total: 10,
        totalAt: (page) => (page < 4 ? 10 : 15),
      });
      expect([grown.code, ids(grown)]).toEqual([0, upTo(15)]);
      expect(grown.err).toMatch(/^warning: the list changed from 10 to 15 badges while it was read: .*\n$/);
      const shrunk = await run(`${list} --all -o ndjson ${flag}`, {
        total: 20,
        totalAt: (page) => (page < 3 ? 20 : 7),
      });
      expect([shrunk.code, ids(shrunk)]).toEqual([0, upTo(7)]);
      expect(shrunk.err).toMatch(/^warning: the list changed from 20 to 7 badges while it was read: .*\n$/);
    },
  );

  test('follows the links if they lead elsewhere', async () => {
    const ran = await ask(`${list} --all -o ndjson --parallel 4`, ({ url }) => {
      const at = new URL(url).searchParams.get('page') ?? '1';
      const after: Record<string, string> = { 1: '2', 2: '7', 7: '8' };
      const next = after[at];
      const to = (n: string, rel: string) => `<${root}/projects/1/badges?page=${n}>; rel="${rel}"`;
      const links = [...(next ? [to(next, 'next')] : []), to('5', 'last')];
      return { body: `[{"id":${at}}]`, headers: [['link', links.join(', ')]] };
    });
    expect([ran.code, ids(ran)]).toEqual([0, [1, 2, 7, 8]]);
  });
});
