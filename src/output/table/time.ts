import type { TimeStyle } from '../model.ts';

const timestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|UTC|[+-]\d\d:?\d\d)$/;

const units: readonly (readonly [name: string, seconds: number, brief: string])[] = [
  ['year', 31_557_600, 'y'],
  ['month', 2_629_800, 'mo'],
  ['week', 604_800, 'w'],
  ['day', 86_400, 'd'],
  ['hour', 3600, 'h'],
  ['minute', 60, 'm'],
];

/**
 * Format a timestamp of the service in the requested style. Other texts, such as dates, are unchanged.
 * @param now milliseconds since the epoch
 */
export function showTime(text: string, style: TimeStyle, now: () => number): string {
  if (style === 'iso' || !timestamp.test(text)) return text;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return text;
  return style === 'relative' ? relativeTime(at, now()) : localTime(new Date(at));
}

/** Return `3 hours ago`, `in 2 days`, or `just now` for less than a minute. Times are in milliseconds. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.abs(now - at) / 1000;
  const unit = units.find(([, size]) => seconds >= size);
  if (!unit) return 'just now';
  const [name, size] = unit;
  const count = Math.floor(seconds / size);
  const span = `${count} ${name}${count === 1 ? '' : 's'}`;
  return at <= now ? `${span} ago` : `in ${span}`;
}

/** Abbreviate a relative time for narrow tables: `3h ago`, `in 2d`, `now`. Other texts are unchanged. */
export function briefTime(text: string): string {
  if (text === 'just now') return 'now';
  return text.replace(
    /^(in )?(\d+) (year|month|week|day|hour|minute)s?( ago)?$/,
    (whole, before = '', count, unit, after = '') => {
      const [, , brief] = units.find(([name]) => name === unit) ?? [];
      return before || after ? `${before}${count}${brief}${after}` : whole;
    },
  );
}

/** Return `2026-05-01 14:03:59` in the local time zone. Avoids `Intl`, which is slow to start. */
function localTime(date: Date): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':')}`;
}
