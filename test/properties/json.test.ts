// JSON output keeps every number for any chunk boundaries, with the scanner alone.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { jsonText } from '../output/arbitraries.ts';
import { chunked, list, object } from '../output/print.ts';
import { runs } from '../support/runs.ts';

vi.mock('../../src/support/runtime.ts', async (original) => ({
  ...(await original<object>()),
  nativeJsonBytes: () => 0,
}));

const size = fc.integer({ min: 1, max: 24 });

describe('json at any chunk boundary', () => {
  it('keeps the bytes of every row of every page', async () => {
    const page = fc.array(jsonText, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(page, page, size, async (first, second, cut) => {
        const rows = [...first, ...second];
        const printed = await list(
          { format: 'json' },
          [`[${first.join(',')}]`, ` [ ${second.join(' , ')} ] `],
          cut,
        );
        const pages = [first.join(','), second.join(' , ')].filter((text) => text !== '');
        expect(printed).toBe(rows.length === 0 ? '[]\n' : `[\n${pages.join(',\n')}\n]\n`);
      }),
      { numRuns: runs },
    );
  });

  it('keeps the bytes of one value', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, size, async (json, cut) => {
        expect(await object({ format: 'json' }, json, cut)).toBe(`${json}\n`);
      }),
      { numRuns: runs },
    );
  });

  it('rejects incomplete JSON and trailing data', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, size, fc.nat(), async (json, cut, at) => {
        const bytes = Buffer.from(`[${json}]`);
        const short = bytes.subarray(0, at % bytes.length);
        const { output } = (await import('../output/print.ts')).open({ format: 'json' });
        await expect(output.page(chunked(short, cut))).rejects.toMatchObject({ kind: 'server_error' });
      }),
      { numRuns: runs },
    );
  });
});
