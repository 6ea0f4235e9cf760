import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createOutput } from '../../src/output/index.ts';
import { Sink, writeAll } from '../../src/output/sink.ts';
import { chunked, defaults } from './print.ts';

const code = (name: string): Error => Object.assign(new Error(name), { code: name });

describe('a slow stream', () => {
  test('applies backpressure', async () => {
    const out = new PassThrough({ highWaterMark: 10 });
    const sink = new Sink(out);
    let written = false;
    const writing = sink.write(['x'.repeat(20)]).then(() => {
      written = true;
    });
    await turn();
    expect(written).toBe(false);
    out.read();
    await writing;
    expect(written).toBe(true);
    expect(out.listenerCount('error')).toBe(0);
  });

  test('delays reading of a page', async () => {
    const out = new PassThrough({ highWaterMark: 10 });
    const output = createOutput({ ...defaults, format: 'ndjson' }, out);
    let read = 0;
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[0');
      for (; read < 100; read++) yield Buffer.from(`,"${'x'.repeat(700_000)}"`);
      yield Buffer.from(']');
    }
    const page = output.page(body());
    for (let count = 0; count < 20; count++) await turn();
    expect(read).toBeLessThan(5);
    out.resume();
    expect(await page).toMatchObject({ rows: 101 });
  });
});

describe('a reader that closes the pipe', () => {
  const options = { ...defaults, format: 'ndjson' as const };
  const body = (): AsyncGenerator<Uint8Array> => chunked('[1,2,3]');

  test('before anything is written', async () => {
    const out = new PassThrough();
    out.destroy();
    await expect(createOutput(options, out).page(body())).rejects.toMatchObject({ code: 'EPIPE' });
  });

  test('while the stream is full', async () => {
    const out = new PassThrough({ highWaterMark: 1 });
    const page = createOutput(options, out).page(body());
    await turn();
    out.destroy();
    await expect(page).rejects.toMatchObject({ code: 'EPIPE' });
  });

  test('with an error of the stream', async () => {
    const out = new Writable({ write: (_chunk, _encoding, done) => setImmediate(done, code('EPIPE')) });
    const output = createOutput(options, out);
    await expect(output.object(body())).rejects.toMatchObject({ code: 'EPIPE' });
    await turn();
    await expect(output.object(body())).rejects.toMatchObject({ code: 'EPIPE' });
  });

  test('while the last write is unconfirmed', async () => {
    const out = new Writable({ write: () => {} });
    const written = writeAll(body(), out);
    await turn();
    out.destroy();
    await expect(written).rejects.toMatchObject({ code: 'EPIPE' });
  });
});

test.each(['ENOSPC', 'EIO'])('rethrows %s, also from the last write', async (name) => {
  for (const highWaterMark of [1, 1000]) {
    const out = new Writable({
      highWaterMark,
      write: (_chunk, _encoding, done) => setImmediate(done, code(name)),
    });
    const output = createOutput({ ...defaults, format: 'csv' }, out);
    const printed = output.page(chunked('[{"a":1}]')).then(() => output.endList());
    await expect(printed).rejects.toMatchObject({ code: name });
    await turn();
  }
});

test('writeAll copies bytes and stops reading at an error', async () => {
  let stopped = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.from('x');
    } finally {
      stopped = true;
    }
  }
  const out = new Writable({ write: (_chunk, _encoding, done) => done(code('ENOSPC')) });
  await expect(writeAll(endless(), out)).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(stopped).toBe(true);
});
