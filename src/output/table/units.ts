/** Durations and sizes for people. */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** Return `6m54s` for seconds: the two largest units, whole seconds from 10 seconds, milliseconds below one second. */
export function showDuration(seconds: number): string {
  if (seconds < 0) return `-${showDuration(-seconds)}`;
  if (seconds === 0) return '0s';
  if (seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))}ms`;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))}s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole}s`;
  if (whole < HOUR) return two(whole, MINUTE, 'm', 1, 's');
  if (whole < DAY) return two(whole, HOUR, 'h', MINUTE, 'm');
  return two(whole, DAY, 'd', HOUR, 'h');
}

function two(value: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((value % large) / small);
  return `${Math.floor(value / large)}${largeName}${rest > 0 ? `${rest}${smallName}` : ''}`;
}

const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Return `1.2 MiB` for bytes, with one decimal below 10. */
export function showSize(bytes: number): string {
  if (Math.abs(bytes) < 1024) return `${bytes} B`;
  let value = bytes;
  let unit = -1;
  // 1023.95 KiB would be printed as 1024 KiB.
  while (Math.abs(value) >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Math.abs(value) < 9.95 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}
