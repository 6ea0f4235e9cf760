import { area, paging } from '../spec/compose.ts';
import { endpoint, listOf, one } from '../spec/endpoint.ts';
import { bool, choice, date, datetime, hash, int, number, object, rows, text, url } from '../spec/field.ts';

const admin = { role: 'administrator' } as const;
const premium = { role: 'administrator', tier: 'premium' } as const;
const unset = { role: 'administrator', nullable: true } as const;

const summary = {
  id: int('User id'),
  username: text('User name, as in @mentions'),
  name: text('Full name'),
  state: text('State of the account, such as active or blocked'),
  locked: bool('Locked out for a while after failed sign-ins'),
  avatar_url: url('Picture', { nullable: true }),
  web_url: url('Profile page'),
};

const profile = {
  created_at: datetime('When the account was made'),
  bio: text('What the user says of themselves', { nullable: true }),
  bot: bool('An account that no person uses'),
  location: text('Place', { nullable: true }),
  public_email: text('Address that everybody sees', { nullable: true }),
  social_1: text('First social account'),
  social_2: text('Second social account'),
  social_3: text('Third social account'),
  social_4: text('Fourth social account'),
  website_url: url('Web site'),
  organization: text('Organization', { nullable: true }),
  job_title: text('Job title', { nullable: true }),
  pronouns: text('Pronouns', { nullable: true }),
  work_information: text('Job title and organization in one', { nullable: true }),
  followers: int('How many follow the user'),
  following: int('How many the user follows'),
  local_time: text('Time where the user is', { nullable: true }),
  is_followed: bool('You follow the user'),
};

const account = {
  email: text('Address to which the service writes', admin),
  is_admin: bool('Administrator of the instance', admin),
  last_sign_in_at: datetime('Sign-in before the latest', unset),
  confirmed_at: datetime('When the address was confirmed', unset),
  theme_id: int('Theme of the pages', unset),
  last_activity_on: date('Last day with any activity', unset),
  color_scheme_id: int('Colors of code', admin),
  projects_limit: int('How many projects the user may have', admin),
  current_sign_in_at: datetime('Latest sign-in', unset),
  note: text('Note that administrators keep on the user', unset),
  identities: rows(
    'Accounts elsewhere that sign the user in',
    {
      provider: text('Provider of the identity'),
      extern_uid: text('Id of the user there'),
      saml_provider_id: int('SAML provider of a group', { nullable: true }),
    },
    admin,
  ),
  can_create_group: bool('May make groups', admin),
  can_create_project: bool('May make projects', admin),
  two_factor_enabled: bool('Signs in with a second factor', admin),
  external: bool('External: sees only projects that they are a member of', admin),
  private_profile: bool('Profile hidden from others', admin),
  commit_email: text('Address in commits made on the pages', unset),
  current_sign_in_ip: text('Address of the latest sign-in', unset),
  last_sign_in_ip: text('Address of the sign-in before', unset),
  plan: text('Plan of the account, in the enterprise edition', unset),
  trial: bool('On trial, in the enterprise edition', unset),
  sign_in_count: int('How often the user signed in', admin),
  namespace_id: int('Personal namespace', unset),
  created_by: object('Who made the account; null where the user registered themselves', summary, unset),
  email_reset_offered_at: datetime('When a new address was asked for', unset),
  shared_runners_minutes_limit: int('Monthly minutes on shared runners', { ...premium, nullable: true }),
  extra_shared_runners_minutes_limit: int('Further minutes that were bought', { ...premium, nullable: true }),
  is_auditor: bool('Auditor: reads everything on the instance', premium),
  using_license_seat: bool('Counts against the license', premium),
  provisioned_by_group_id: int('Group that made the account', { ...premium, nullable: true }),
  scim_identities: rows(
    'Accounts that a directory keeps in step (SCIM)',
    {
      extern_uid: text('Id of the user there'),
      group_id: int('Group of the directory'),
      active: bool('In use'),
    },
    premium,
  ),
  custom_attributes: rows(
    'Attributes of your own making, with --with-custom-attributes',
    { key: text('Name of the attribute'), value: text('Its value') },
    admin,
  ),
};

const user = { ...summary, ...profile, ...account };

const withCustomAttributes = bool('Show custom attributes too', admin);

export default area([
  endpoint('GET users', {
    section: '4.7',
    command: 'list',
    summary: 'List users, or find some',
    doc: 'Everybody gets the public facts of a user, an administrator all of them. Without a token the service offers keyset pagination only, which is then used automatically.',
    takes: {
      search: text('Part of a name or user name, or a whole e-mail address'),
      username: text('Exactly this user name, in upper or lower case'),
      active: bool('Only active users'),
      blocked: bool('Only blocked users'),
      external: bool('Only external users'),
      humans: bool('Only people: no bots, no internal users'),
      created_after: datetime('Only accounts made after this time'),
      created_before: datetime('Only accounts made before this time'),
      exclude_active: bool('Leave active users out'),
      exclude_external: bool('Leave external users out'),
      exclude_humans: bool('Leave people out: bots and internal users stay'),
      exclude_internal: bool('Leave alert and support bots out; bots of projects and groups stay'),
      without_project_bots: bool('Leave bots of projects out'),
      provider: text('Only users who sign in by this provider; scim needs the Premium tier', {
        ...admin,
        placeholder: 'name',
      }),
      extern_uid: text('Only the user with this id at --provider', { ...admin, placeholder: 'id' }),
      saml_provider_id: number('Only users of this SAML provider', premium),
      two_factor: choice(['enabled', 'disabled'], 'Only users with, or without, a second factor', admin),
      without_projects: bool('Only users who are members of no project', admin),
      admins: bool('Only administrators', admin),
      auditors: bool('Only auditors', premium),
      skip_ldap: bool('Leave users from LDAP directories out', premium),
      custom_attributes: hash('Only users with this value of a custom attribute', undefined, admin),
      with_custom_attributes: withCustomAttributes,
      order_by: choice(
        ['id', 'name', 'username', 'created_at', 'updated_at'],
        'Order; keyset pagination supports id, name and username, for every user',
        { ...admin, default: 'id' },
      ),
      sort: choice(['asc', 'desc'], 'Direction; with keyset pagination for every user', {
        ...admin,
        default: 'desc',
      }),
      pagination: choice(
        ['keyset'],
        'Pagination method; --all and --limit use keyset where the order allows it; required from 50,000 users on',
      ),
      ...paging,
      page: int('Page to start from', {
        default: 1,
        min: 1,
        deprecated: 'use --all, --limit or --pagination keyset',
      }),
    },
    returns: listOf(user),
    columns: ['id', 'username', 'name', 'state', 'locked', 'web_url'],
    access: { anonymous: true },
    keyset: { order_by: ['id', 'name', 'username'], sort: ['desc', 'asc'] },
    examples: [
      { does: 'Find somebody by name', run: 'users list --search olivia' },
      {
        does: 'All active people, as CSV',
        run: 'users list --active --humans --all --fields username,name --csv',
      },
      {
        does: 'Who signs in with a password alone',
        run: 'users list --two-factor disabled --active --fields id,username,email,last_activity_on',
      },
      {
        does: 'Who joined in the new year',
        run: 'users list --created-after 2026-01-01T00:00:00Z --limit 50',
      },
    ],
  }),
  endpoint('GET users/:id', {
    section: '4.7',
    command: 'get <id>',
    summary: 'Show one user',
    doc: 'Takes the number of a user; `users list --username NAME` finds it. An administrator sees the whole account.',
    slots: { id: int('User id, as `users list` shows it') },
    takes: { with_custom_attributes: withCustomAttributes },
    returns: one(user),
    access: { role: 'user' },
    examples: [
      { does: 'All that you may see', run: 'users get 2' },
      {
        does: 'When somebody was last here',
        run: 'users get 4 --fields username,state,last_sign_in_at,last_activity_on',
      },
    ],
  }),
]);
