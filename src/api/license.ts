import { area, inArea } from '../spec/compose.ts';
import { one, raw } from '../spec/endpoint.ts';
import { bool, date, datetime, int, object, secret, text } from '../spec/field.ts';

const license = {
  id: int('License id'),
  plan: text('Name of the plan: premium or ultimate'),
  created_at: datetime('Time when the license was added'),
  starts_at: date('Start date'),
  expires_at: date('Expiry date', { nullable: true }),
  historical_max: int('Highest number of billable users at any time'),
  maximum_user_count: int('Highest number of billable users in the term of the license'),
  expired: bool('Expired'),
  overage: int('Current billable users (the highest number if the license has expired) minus licensed users'),
  user_limit: int('Number of licensed users'),
  active_users: int('Current number of billable users'),
  licensee: object('Holder of the license', {
    Name: text('Name of the person'),
    Email: text('Email address of the person'),
    Company: text('Name of the company'),
  }),
  add_ons: object('Add-on products with the quantity of each'),
};

const summary = ['id', 'plan', 'starts_at', 'expires_at', 'expired', 'user_limit', 'overage'] as const;
const endpoint = inArea('license', {
  noun: 'license',
  access: { role: 'administrator', offering: 'self-managed' },
  fields: license,
  columns: [...summary, 'licensee.Company'],
  details: [...summary, 'active_users', 'maximum_user_count', 'historical_max', 'licensee', 'add_ons'],
  slots: { id: int('License id from `license list`', { suggest: 'license/list/id' }) },
  sample: '1',
});

export const getCurrentLicense = endpoint('GET license', {
  summary: 'Show the current license, or one license by id',
  returns: one(license),
  examples: { 'Print only the expiry date for a script': '--fields expires_at -o tsv --no-header' },
});

export const getLicense = endpoint('GET license/:id', {
  summary: getCurrentLicense.summary,
  examples: { 'Print the license holder as JSON': '2 --fields licensee --json' },
});

export const downloadUsage = endpoint('GET license/usage_export.csv', {
  command: 'usage',
  summary: 'List the billable users of each day',
  doc: 'The file of the service describes the license and its holder in its first lines, then lists a date and a count per line.',
  returns: raw('text/csv'),
  examples: { 'Save the file of the service': '--output-file usage.csv' },
});

export default area([
  getCurrentLicense,
  getLicense,
  endpoint('GET licenses', {
    examples: { 'Print plans and dates as CSV': '--fields id,plan,starts_at,expires_at --csv' },
  }),
  endpoint('POST license', {
    command: 'add',
    summary: 'Add a license',
    takes: { license: secret('Text of the license', { required: true, exact: true }) },
    done: 'Added license {id} ({plan})',
    examples: { 'Add a license from a file': '--license @license.txt' },
  }),
  endpoint('PUT license/:id/refresh_billable_users', {
    command: 'refresh',
    summary: 'Count the billable users of a license again',
    doc: 'The service counts in the background. Use `license get` to show the new numbers.',
    returns: one({ success: bool('Count started') }),
    background: 'outcome',
    done: 'Refreshed the billable user count of license {id}',
    examples: { 'Start the count and print the result as JSON': '2 --json' },
  }),
  downloadUsage,
  endpoint('DELETE license/:id', { confirm: 'name' }),
]);
