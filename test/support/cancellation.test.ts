import { describe, expect, test, vi } from 'vitest';
import { abortSignal, Cancel } from '../../src/support/waiting/cancellation.ts';
import { pause } from '../../src/support/waiting/pause.ts';

const reason = new Error('interrupted');

describe('a cancellation', () => {
  // The rules of AbortSignal in the DOM standard, section 3.
  test.each([
    ['of svc', () => new Cancel(), (one: Cancel | AbortController) => one as Cancel],
    [
      'of the platform',
      () => new AbortController(),
      (one: Cancel | AbortController) => (one as AbortController).signal,
    ],
  ] as const)('%s calls its listeners once, with the first reason', (_, make, signalOf) => {
    const owner = make();
    const signal = signalOf(owner);
    const [called, removed] = [vi.fn(), vi.fn()];
    signal.addEventListener('abort', called);
    signal.addEventListener('abort', called);
    signal.addEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
    signal.throwIfAborted();
    owner.abort(reason);
    owner.abort(new Error('again'));
    expect(called).toHaveBeenCalledTimes(1);
    expect(removed).not.toHaveBeenCalled();
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
    expect(() => signal.throwIfAborted()).toThrow(reason);
  });

  test('becomes an AbortSignal for functions of Node, before and after it is aborted', () => {
    const cancel = new Cancel();
    const early = abortSignal(cancel);
    expect(early.aborted).toBe(false);
    cancel.abort(reason);
    expect([early.reason, abortSignal(cancel).reason]).toEqual([reason, reason]);
    expect(abortSignal(early)).toBe(early);
  });
});

describe('a pause', () => {
  test('ends after its time', async () => {
    vi.useFakeTimers();
    try {
      const ended = vi.fn();
      void pause(1000, new Cancel()).then(ended);
      await vi.advanceTimersByTimeAsync(999);
      expect(ended).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(ended).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test('fails with the reason as soon as it is canceled, and at once if it was', async () => {
    const cancel = new Cancel();
    const waiting = pause(60_000, cancel);
    cancel.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(pause(60_000, cancel)).rejects.toBe(reason);
  });
});
