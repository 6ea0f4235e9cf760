import { describe, expect, test } from 'vitest';
import { pause } from '../../src/support/waiting/pause.ts';

const reason = new Error('interrupted');

describe('a pause', () => {
  test('ends after its time', async () => {
    const start = performance.now();
    await pause(50, new AbortController().signal);
    expect(performance.now() - start).toBeGreaterThan(45);
  });

  test('fails with the reason as soon as it is canceled, and at once if it was', async () => {
    const cancel = new AbortController();
    const waiting = pause(60_000, cancel.signal);
    cancel.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(pause(60_000, cancel.signal)).rejects.toBe(reason);
  });
});
