import { describe, expect, test, vi } from 'vitest';
import { pause } from '../../src/support/waiting/pause.ts';

const reason = new Error('interrupted');

describe('a pause', () => {
  test('ends after its time', async () => {
    vi.useFakeTimers();
    try {
      const ended = vi.fn();
      void pause(1000, new AbortController().signal).then(ended);
      await vi.advanceTimersByTimeAsync(999);
      expect(ended).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(ended).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('fails with the reason as soon as it is canceled, and at once if it was', async () => {
    const cancel = new AbortController();
    const waiting = pause(60_000, cancel.signal);
    cancel.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(pause(60_000, cancel.signal)).rejects.toBe(reason);
  });
});
