/** Numbers and durations as users type them (`5`, `0.5`, `90s`, `2h`, `1h30m`, `95%`), and durations and sizes as they are shown. */

const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
type Unit = keyof typeof milliseconds;

/** Return the milliseconds of a duration. A number without a unit is in seconds. @returns undefined if the text is not a duration */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?|(\d+(\.\d+)?(ms|[smhdw]))+)$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smhdw])?/g)];
  return parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * milliseconds[unit as Unit], 0);
}

/** A duration before now, or a time in ISO 8601, as users type them. */
export const momentPattern =
  /^(?:(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?)$/;

/** Return the milliseconds since the epoch of text that matches `momentPattern`. @returns undefined for a time that does not exist */
export function parseMoment(text: string, now: number): number | undefined {
  const ago = parseDuration(text);
  return ago === undefined ? parseTime(text) : Math.max(0, now - ago);
}

/** Return the milliseconds since the epoch of a time in ISO 8601, which is in UTC without a zone. @returns undefined for other text */
export function parseTime(given: string): number | undefined {
  const text = given.toUpperCase().replace(',', '.');
  if (!momentPattern.test(text) || !isDay(text)) return undefined;
  const time = Date.parse(text.replace(' ', 'T').replace(/T[\d:.]+$/, '$&Z'));
  return Number.isNaN(time) ? undefined : time;
}

/** The numbers that are valid. */
export interface NumberRange {
  readonly kind: 'int' | 'number';
  readonly min?: number;
  readonly max?: number;
  /** A number of seconds may have another unit (`2m`), and a percentage may end with %. */
  readonly unit?: 'seconds' | 'percent';
}

/** Parse a number. @returns undefined if it is not valid */
export function parseNumber(text: string, { kind, unit, min, max }: NumberRange): number | undefined {
  const isBare = /^-?\d{1,15}(\.\d{1,30})?%?$/.test(text);
  const number =
    unit === 'seconds'
      ? (parseDuration(text) ?? Number.NaN) / 1_000
      : isBare && (unit === 'percent' || !text.endsWith('%'))
        ? Number.parseFloat(text)
        : Number.NaN;
  const isValid =
    (kind === 'number' || Number.isInteger(number)) &&
    number >= (min ?? Number.NEGATIVE_INFINITY) &&
    number <= (max ?? Number.MAX_VALUE);
  return isValid ? number : undefined;
}

/** The numbers that are valid, for errors: `a whole number from 1 to 32`. */
export function numberText({ kind, unit, min, max }: NumberRange): string {
  if (unit === 'percent') return 'a percentage such as 95%';
  const name = unit === 'seconds' ? 'a number of seconds' : kind === 'int' ? 'a whole number' : 'a number';
  if (min === undefined) return name;
  return max === undefined ? `${name}, ${min} or more` : `${name} from ${min} to ${max}`;
}

const scales = (['d', 'h', 'm', 's'] as const).map((name) => [milliseconds[name] / 1_000, name] as const);

/** Return `6m54s` for seconds: the two largest units, whole seconds from 10 seconds, milliseconds below one second. */
export function showDuration(seconds: number): string {
  if (seconds < 0) return `-${showDuration(-seconds)}`;
  if (seconds === 0) return '0s';
  if (seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))}ms`;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))}s`;
  const whole = Math.round(seconds);
  const at = scales.findIndex(([size]) => whole >= size);
  const [large, name] = scales[at] as (typeof scales)[number];
  const [small, smallName] = scales[at + 1] ?? [large, ''];
  const rest = Math.floor((whole % large) / small);
  return `${Math.floor(whole / large)}${name}${rest > 0 ? `${rest}${smallName}` : ''}`;
}

/** Return `1.2 MiB` for bytes, with one decimal below 10. */
export function showSize(bytes: number): string {
  if (Math.abs(bytes) < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes / 1024;
  // 1023.95 KiB would be printed as 1024 KiB.
  for (; Math.abs(value) >= 1023.5 && units.length > 1; value /= 1024) units.shift();
  return `${Math.abs(value) < 9.95 ? Number(value.toFixed(1)) : Math.round(value)} ${units[0]}`;
}

/** Whether the calendar has the day at the start of an ISO 8601 text; 2026-02-30 does not exist. */
function isDay(value: string): boolean {
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value.slice(0, 10));
}
