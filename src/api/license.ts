import { area, paging } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one, raw } from '../spec/endpoint.ts';
import { bool, date, datetime, int, object, secret, text } from '../spec/field.ts';

const license = {
  id: int('License id'),
  plan: text('What it grants: premium or ultimate'),
  created_at: datetime('When it was added to the instance'),
  starts_at: date('First day that it is good for'),
  expires_at: date('Day that it ends', { nullable: true }),
  historical_max: int('Most billable users at any time'),
  maximum_user_count: int('Most billable users in the term of the license'),
  expired: bool('Past its last day'),
  overage: int(
    'Billable users minus licensed users: the users now, or the most there were if the license has expired',
  ),
  user_limit: int('Users that it is good for'),
  active_users: int('Users who count now'),
  licensee: object('Who it is made out to', {
    Name: text('Name of the person'),
    Email: text('Address of the person'),
    Company: text('Name of the company'),
  }),
  add_ons: object('Further products in it, and how many of each'),
};

const slots = { id: int('License id, as `license list` shows it', { placeholder: 'id' }) };
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

const calls = [
  endpoint('GET license', {
    ...admin,
    command: 'get',
    summary: 'Show a license: the current one, or the one with this id',
    returns: one(license),
    columns: details,
    examples: [
      { does: 'What the instance may do, and until when', run: 'license get' },
      {
        does: 'The last day, for a script',
        run: 'license get --fields expires_at -o tsv --no-header',
      },
    ],
  }),
  endpoint('GET license/:id', {
    ...admin,
    command: 'get <id>',
    summary: 'Show a license: the current one, or the one with this id',
    slots,
    returns: one(license),
    columns: details,
    examples: [
      { does: 'An earlier one', run: 'license get 1' },
      { does: 'Who one is made out to', run: 'license get 2 --fields licensee --json' },
    ],
  }),
  endpoint('GET licenses', {
    ...admin,
    command: 'list',
    summary: 'List every license that the instance was given',
    takes: paging,
    returns: listOf(license),
    columns: [...summary, 'licensee.Company'],
    examples: [
      { does: 'All of them, with what they are good for', run: 'license list' },
      { does: 'Plans and terms as CSV', run: 'license list --fields id,plan,starts_at,expires_at --csv' },
    ],
  }),
  endpoint('POST license', {
    ...admin,
    command: 'add',
    summary: 'Add a license',
    takes: { license: secret('Text of the license', { required: true }) },
    returns: one(license),
    columns: details,
    examples: [
      { does: 'From the file that was sent to you', run: 'license add --license @license.txt' },
      { does: 'The same, for a script', run: 'license add --license @license.txt --json' },
    ],
  }),
  endpoint('PUT license/:id/refresh_billable_users', {
    ...admin,
    command: 'refresh <id>',
    summary: 'Count the billable users of a license again',
    doc: 'The service counts in the background: a moment later `license get` shows the new numbers.',
    slots,
    returns: one({ success: bool('The count was started') }),
    later: 'outcome',
    examples: [
      { does: 'Start the count', run: 'license refresh 2' },
      { does: 'Whether it was started', run: 'license refresh 2 --json' },
    ],
  }),
  endpoint('GET license/usage_export.csv', {
    ...admin,
    command: 'usage',
    summary: 'Print the billable users of each day as CSV',
    doc: 'The first lines tell the license and its holder, then come rows of a date and a count.',
    returns: raw('text/csv'),
    examples: [
      { does: 'Print it', run: 'license usage' },
      { does: 'Save it', run: 'license usage --output-file usage.csv' },
    ],
  }),
  endpoint('DELETE license/:id', {
    ...admin,
    command: 'delete <id>',
    summary: 'Delete a license',
    slots,
    returns: nothing,
    confirm: 'name',
    examples: [
      { does: 'Remove one that has expired', run: 'license delete 1 --yes' },
      { does: 'See the request before it is made', run: 'license delete 1 --dry-run' },
    ],
  }),
] as const;

export const [, getLicense] = calls;

export default area(calls);
