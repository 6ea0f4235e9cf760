/** Random cases per property: 200, and 10,000 in CI. `PROPERTY_RUNS` sets another number. */
export const runs = Number(process.env['PROPERTY_RUNS']);
