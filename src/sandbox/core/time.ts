/** Durations in milliseconds, and the time format of the API. */
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Format milliseconds since the epoch as ISO 8601. */
export const iso = (moment: number): string => new Date(moment).toISOString();
