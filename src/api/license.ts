import { area, paging } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one, raw } from '../spec/endpoint.ts';
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

const slots = {
  id: int('License id from `license list`', { placeholder: 'id', suggest: 'license/list/id' }),
};
const admin = {
  section: '4.21',
  access: { role: 'administrator', offering: 'self-managed' },
} as const;
const summary = ['id', 'plan', 'starts_at', 'expires_at', 'expired', 'user_limit', 'overage'] as const;
const details = [
  ...summary,
  'active_users',
  'maximum_user_count',
  'historical_max',
  'licensee',
  'add_ons',
] as const;

export const getCurrentLicense = endpoint('GET license', {
  ...admin,
  command: 'get',
  summary: 'Show the current license, or one license by id',
  returns: one(license),
  columns: details,
  examples: [
    { does: 'Show the current license', run: 'license get' },
    {
      does: 'Print only the expiry date for a script',
      run: 'license get --fields expires_at -o tsv --no-header',
    },
  ],
});

export const getLicense = endpoint('GET license/:id', {
  ...admin,
  command: 'get <id>',
  summary: 'Show the current license, or one license by id',
  slots,
  returns: one(license),
  columns: details,
  examples: [
    { does: 'Show an earlier license', run: 'license get 1' },
    { does: 'Print the license holder as JSON', run: 'license get 2 --fields licensee --json' },
  ],
});

const listLicenses = endpoint('GET licenses', {
  ...admin,
  command: 'list',
  summary: 'List all licenses of the instance',
  takes: paging,
  noun: 'license',
  returns: listOf(license),
  columns: [...summary, 'licensee.Company'],
  examples: [
    { does: 'List all licenses', run: 'license list' },
    {
      does: 'Print plans and dates as CSV',
      run: 'license list --fields id,plan,starts_at,expires_at --csv',
    },
  ],
});

const addLicense = endpoint('POST license', {
  ...admin,
  command: 'add',
  summary: 'Add a license',
  takes: { license: secret('Text of the license', { required: true, exact: true }) },
  returns: one(license),
  columns: details,
  done: 'Added license {id} ({plan})',
  examples: [
    { does: 'Add a license from a file', run: 'license add --license @license.txt' },
    {
      does: 'Add a license and print the result as JSON',
      run: 'license add --license @license.txt --json',
    },
  ],
});

const refreshBillableUsers = endpoint('PUT license/:id/refresh_billable_users', {
  ...admin,
  command: 'refresh <id>',
  summary: 'Count the billable users of a license again',
  doc: 'The service counts in the background. Use `license get` to show the new numbers.',
  slots,
  returns: one({ success: bool('Count started') }),
  later: 'outcome',
  done: 'Refreshed the billable user count of license {id}',
  examples: [
    { does: 'Start the count', run: 'license refresh 2' },
    { does: 'Start the count and print the result as JSON', run: 'license refresh 2 --json' },
  ],
});

export const downloadUsage = endpoint('GET license/usage_export.csv', {
  ...admin,
  command: 'usage',
  summary: 'List the billable users of each day',
  doc: 'The file of the service describes the license and its holder in its first lines, then lists a date and a count per line.',
  returns: raw('text/csv'),
  examples: [
    { does: 'List the usage', run: 'license usage' },
    { does: 'Save the file of the service', run: 'license usage --output-file usage.csv' },
  ],
});

const deleteLicense = endpoint('DELETE license/:id', {
  ...admin,
  command: 'delete <id>',
  summary: 'Delete a license',
  slots,
  returns: nothing,
  confirm: 'name',
  done: 'Deleted license {id}',
  examples: [
    { does: 'Delete an expired license without confirmation', run: 'license delete 1 --yes' },
    { does: 'Print the request without sending it', run: 'license delete 1 --dry-run' },
  ],
});

export default area([
  getCurrentLicense,
  getLicense,
  listLicenses,
  addLicense,
  refreshBillableUsers,
  downloadUsage,
  deleteLicense,
]);
