/** The texts of the progress indicator. */
import { showDuration, showSize } from '../../support/number.ts';

/** Format milliseconds in whole seconds: `4s`, `6m54s`, `2h5m`. */
export function lasting(ms: number): string {
  return showDuration(Math.max(0, Math.round(ms / 1000)));
}

/** Milliseconds of work before the remaining time is estimated. */
const estimateAfter = 3000;

interface Amount {
  readonly done: number;
  readonly total: number | undefined;
  /** Milliseconds since the work began. */
  readonly elapsed: number;
}

/** Estimate the remaining time, once enough of the work is done to judge its speed: `, 12s left`. */
export function timeLeft({ done, total, elapsed }: Amount): string {
  if (total === undefined || elapsed < estimateAfter || done >= total || done / total < 0.02) return '';
  return `, ${lasting((elapsed / done) * (total - done))} left`;
}

/** `120 of 280 jobs, 12s left`, or `120 jobs` if the total is not known. */
export function countText(amount: Amount, noun: string): string {
  const { done, total } = amount;
  return total === undefined ? `${done} ${noun}` : `${done} of ${total} ${noun}${timeLeft(amount)}`;
}

/** `received 3.2 MiB of 10 MiB (32%), 1.2 MiB/s, 6s left` */
export function transferText(amount: Amount, verb: string): string {
  const { done, total, elapsed } = amount;
  const share = total ? ` of ${showSize(total)} (${Math.min(100, Math.floor((done / total) * 100))}%)` : '';
  const rate = elapsed < 1000 || done === 0 ? '' : `, ${showSize(Math.floor((done / elapsed) * 1000))}/s`;
  return `${verb} ${showSize(done)}${share}${rate}${timeLeft(amount)}`;
}
