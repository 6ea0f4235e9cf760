// Output of a buffered body lets the event loop run, which handles signals.
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createOutput } from '../../src/output/index.ts';
import type { OutputOptions } from '../../src/output/model.ts';
import { defaults, setPartSize, terminal } from './print.ts';

// A megabyte of empty objects takes seconds on a terminal.
setPartSize(64 * 1024);

/** Millions of rows: more than can be printed before a timer fires. */
const most = 300;
const rows = Buffer.from('{},'.repeat(20_000));

/** A list that ends when a timer has fired. */
async function* untilTimer(): AsyncGenerator<Uint8Array> {
  let fired = false;
  setTimeout(() => {
    fired = true;
  }, 1);
  yield Buffer.from('[');
  for (let count = 0; !fired && count < most; count++) yield rows;
  if (!fired) throw new Error('no timer fired');
  yield Buffer.from('{}]');
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

describe('a list of millions of empty objects', () => {
  const cases: readonly (readonly [string, Partial<OutputOptions>])[] = [
    ['table', { format: 'table', columns: [{ path: 'id', label: 'ID', kind: 'id' }] }],
    [
      'a table on a terminal',
      { format: 'table', columns: [{ path: 'id', label: 'ID', kind: 'id' }], terminal },
    ],
    ['json', { format: 'json' }],
    ['json on a terminal', { format: 'json', terminal }],
    ['ndjson', { format: 'ndjson' }],
    ['csv', { format: 'csv', fields: ['id'] }],
    ['tsv', { format: 'tsv', fields: ['id'] }],
    ['yaml', { format: 'yaml' }],
    ['raw', { format: 'raw' }],
  ];

  test.each(cases)('lets timers run while it is printed as %s', async (_, options) => {
    const output = createOutput({ ...defaults, ...options }, nowhere());
    await output.page(untilTimer());
  });

  test('is written in small parts, even if it is received at once', async () => {
    let writes = 0;
    const out = new Writable({
      write(_chunk, _encoding, done) {
        writes++;
        done();
      },
    });
    const output = createOutput({ ...defaults, format: 'csv', fields: ['id'] }, out);
    async function* once() {
      yield Buffer.from(`[${'{},'.repeat(99_999)}{}]`);
    }
    await output.page(once());
    expect(writes).toBeGreaterThan(10);
  });
});
