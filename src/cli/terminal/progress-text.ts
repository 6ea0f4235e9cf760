/** The texts of the progress indicator. */

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Format a number of bytes: `12.3 MiB`. */
export function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${power === 0 ? Math.floor(bytes) : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

/** Format milliseconds as a person would say them: `4s`, `6m54s`, `2h05m`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes === 0) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}

/** Milliseconds of work before the remaining time is estimated. */
const estimateAfter = 3000;

export interface Amount {
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

/** `received 3.0 MiB of 10.0 MiB (30%), 1.2 MiB/s, 6s left` */
export function transferText(amount: Amount, verb: string): string {
  const { done, total, elapsed } = amount;
  const share = total ? ` of ${sizeOf(total)} (${Math.min(100, Math.floor((done / total) * 100))}%)` : '';
  const rate = elapsed < 1000 || done === 0 ? '' : `, ${sizeOf((done / elapsed) * 1000)}/s`;
  return `${verb} ${sizeOf(done)}${share}${rate}${timeLeft(amount)}`;
}
