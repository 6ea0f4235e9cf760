/** Random cases per property: 200, and 1,000 in CI. `PROPERTY_RUNS` sets another number. */
export const runs = Number(process.env['PROPERTY_RUNS']);
