/** What the tasks of `svc license` print. */
import { getCurrentLicense } from '../../api/license.ts';
import { type Endpoint, one } from '../../spec/endpoint.ts';
import { bool, date, int, number, text } from '../../spec/field.ts';

export const report: Endpoint = {
  ...getCurrentLicense,
  returns: one({
    license_id: int('License id'),
    plan: text('Name of the plan'),
    seats: int('Number of licensed users', { nullable: true }),
    used: int('Current number of billable users'),
    used_percent: number('Current billable users in percent of the licensed users', { nullable: true }),
    overage: int('Billable users above the licensed users'),
    peak: int('Highest number of billable users in the usage export', { nullable: true }),
    peak_day: date('First day of the peak', { nullable: true }),
    historical_max: int('Highest number of billable users at any time'),
    expires_at: date('Expiry date', { nullable: true }),
    days_to_expiry: int('Days until the license expires; negative if it has expired', { nullable: true }),
    expired: bool('Expired'),
  }),
  columns: [
    ...['plan', 'seats', 'used', 'used_percent', 'overage', 'peak'],
    ...['peak_day', 'historical_max', 'expires_at', 'days_to_expiry', 'expired'],
  ],
};
