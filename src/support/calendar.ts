/** Whether the calendar has the day at the start of an ISO 8601 text; 2026-02-30 does not exist. */
export function isDay(value: string): boolean {
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value.slice(0, 10));
}
