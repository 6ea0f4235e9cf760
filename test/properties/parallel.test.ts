import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask } from '../interface/service.ts';
import { numbered } from '../support/numbered.ts';
import { forAllAsync } from '../support/runs.ts';

const model = fc.record({
  total: fc.integer({ min: 0, max: 24 }),
  size: fc.integer({ min: 1, max: 9 }),
  parallel: fc.integer({ min: 2, max: 9 }),
  limit: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  delays: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 7 }),
  /** Pages that fail once, and a page that always fails. */
  unsteady: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
  broken: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
  last: fc.constantFrom('link' as const, 'header' as const, 'none' as const),
  format: fc.constantFrom('json', 'ndjson', 'csv', 'table'),
});

const unavailable = { status: 503, headers: [['retry-after', '0']] } as const;

describe('--parallel', () => {
  it('prints what one page at a time prints, whatever page is slow or fails', async () => {
    await forAllAsync(
      model,
      async ({ total, size, parallel, limit, delays, unsteady, broken, last, format }) => {
        const read = async (flags: string) => {
          const service = numbered({
            total,
            last,
            delay: (page) => delays[page % delays.length] ?? 0,
            instead: (page, attempt) => {
              if (page === broken) return { status: 404, body: '{"message":"404 Not Found"}' };
              return attempt === 1 && unsteady.includes(page) ? unavailable : undefined;
            },
          });
          const amount = limit === undefined ? '--all' : `--limit ${limit}`;
          const line = `badges list -p 1 --per-page ${size} ${amount} -o ${format} ${flags}`;
          const { code, out, err } = await ask(line, undefined, service);
          const said = err.replace(/^(service unavailable .*|Fetching one page .*)\n/gm, '');
          return { code, out, said, most: service.most(), requested: service.requested };
        };
        const serial = await read('');
        const { code, out, said, most, requested } = await read(`--parallel ${parallel}`);
        expect({ code, out, said }).toEqual({ code: serial.code, out: serial.out, said: serial.said });
        expect(most).toBeLessThanOrEqual(parallel);
        const pages = Math.max(1, Math.ceil(Math.min(total, limit ?? total) / size));
        expect(Math.max(...requested)).toBeLessThanOrEqual(pages);
      },
    );
  });
});
