import { area, inArea } from '../spec/compose.ts';
import { bool, choice, date, datetime, hash, int, number, object, pick, rows, text } from '../spec/field.ts';
import { person, profile } from './parts.ts';

const admin = { role: 'administrator' } as const;
const premium = { role: 'administrator', tier: 'premium' } as const;
const special = { ...admin, family: 'Filters for administrators' } as const;
const excluded = { family: 'Users to exclude' } as const;
const premiumUnset = { ...premium, nullable: true } as const;
const unset = { role: 'administrator', nullable: true } as const;

const summary = {
  ...pick(person, 'id', 'username', 'name', 'state'),
  locked: bool('Temporarily locked after failed sign-ins'),
  ...pick(person, 'avatar_url', 'web_url'),
};

const account = {
  ...pick(profile, 'created_at', 'bio'),
  bot: bool('Bot account'),
  ...pick(profile, 'location'),
  public_email: text('Public email address', { nullable: true }),
  ...pick(profile, 'social_1', 'social_2', 'social_3'),
  social_4: text('Fourth social account'),
  ...pick(profile, 'website_url'),
  organization: text('Organization', { nullable: true }),
  job_title: text('Job title', { nullable: true }),
  pronouns: text('Pronouns', { nullable: true }),
  work_information: text('Job title and organization combined', { nullable: true }),
  followers: int('Number of followers'),
  following: int('Number of users followed'),
  local_time: text('Local time of the user', { nullable: true }),
  is_followed: bool('You follow the user'),
  email: text('Email address for notifications', admin),
  is_admin: bool('Administrator of the instance', admin),
  last_sign_in_at: datetime('Time of the previous sign-in', unset),
  confirmed_at: datetime('Time of confirmation of the email address', unset),
  theme_id: int('Theme id of the web interface', unset),
  last_activity_on: date('Date of the last activity', unset),
  color_scheme_id: int('Color scheme id for code', admin),
  projects_limit: int('Maximum number of projects', admin),
  current_sign_in_at: datetime('Time of the latest sign-in', unset),
  note: text('Note for administrators', unset),
  identities: rows(
    'Identities at external sign-in providers',
    {
      provider: text('Name of the provider'),
      extern_uid: text('User id at the provider'),
      saml_provider_id: int('SAML provider id of a group', { nullable: true }),
    },
    admin,
  ),
  can_create_group: bool('Can create groups', admin),
  can_create_project: bool('Can create projects', admin),
  two_factor_enabled: bool('Two-factor authentication enabled', admin),
  external: bool('External user, limited to projects with membership', admin),
  private_profile: bool('Private profile', admin),
  commit_email: text('Email address for commits made in the web interface', unset),
  current_sign_in_ip: text('IP address of the latest sign-in', unset),
  last_sign_in_ip: text('IP address of the previous sign-in', unset),
  plan: text('Plan of the account, in the enterprise edition', unset),
  trial: bool('On trial, in the enterprise edition', unset),
  sign_in_count: int('Number of sign-ins', admin),
  namespace_id: int('Id of the personal namespace', unset),
  created_by: object('User who created the account; null after self-registration', summary, unset),
  email_reset_offered_at: datetime('Time of the offer to reset the email address', unset),
  shared_runners_minutes_limit: int('Monthly minutes on shared runners', premiumUnset),
  extra_shared_runners_minutes_limit: int('Purchased additional minutes on shared runners', premiumUnset),
  is_auditor: bool('Auditor with read access to the whole instance', premium),
  using_license_seat: bool('Uses a license seat', premium),
  provisioned_by_group_id: int('Id of the group that provisioned the account', premiumUnset),
  scim_identities: rows(
    'Identities provisioned through SCIM',
    {
      extern_uid: text('User id at the provider'),
      group_id: int('Group id'),
      active: bool('Active'),
    },
    premium,
  ),
  custom_attributes: rows(
    'Custom attributes, with --with-custom-attributes',
    { key: text('Name of the attribute'), value: text('Value of the attribute') },
    admin,
  ),
};

export const userFields = { ...summary, ...account };

const withCustomAttributes = bool('Include custom attributes', admin);

const endpoint = inArea('users', {
  noun: 'user',
  fields: userFields,
  columns: ['id', 'username', 'name', 'state', 'locked', 'web_url'],
});

export default area([
  endpoint('GET users', {
    summary: 'List or search users',
    doc: 'Administrators see all fields; other users see only the public fields. Without a token, the service supports only keyset pagination, which is then used automatically.',
    takes: {
      search: text('Part of a name or username, or a complete email address'),
      username: text('Only the user with this exact username, ignoring case', {
        suggest: 'users/list/username',
      }),
      active: bool('Only active users'),
      blocked: bool('Only blocked users'),
      external: bool('Only external users'),
      humans: bool('Only human users, without bots and internal users'),
      created_after: datetime('Only users created after this time'),
      created_before: datetime('Only users created before this time'),
      exclude_active: bool('Exclude active users', excluded),
      exclude_external: bool('Exclude external users', excluded),
      exclude_humans: bool('Exclude human users; keep bots and internal users', excluded),
      exclude_internal: bool(
        'Exclude internal users such as alert and support bots; keep bots of projects and groups',
        excluded,
      ),
      without_project_bots: bool('Exclude bots of projects', excluded),
      provider: text('Only users with an identity at this provider; scim requires the Premium tier', {
        ...special,
        placeholder: 'name',
      }),
      extern_uid: text('Only the user with this id at --provider', {
        ...special,
        placeholder: 'id',
      }),
      saml_provider_id: number('Only users of this SAML provider', { ...special, ...premium }),
      two_factor: choice(
        ['enabled', 'disabled'],
        'Only users with two-factor authentication enabled or disabled',
        special,
      ),
      without_projects: bool('Only users without project membership', special),
      admins: bool('Only administrators', special),
      auditors: bool('Only auditors', { ...special, ...premium }),
      skip_ldap: bool('Exclude LDAP users', { ...special, ...premium }),
      custom_attributes: hash('Only users with this value of a custom attribute', undefined, special),
      with_custom_attributes: withCustomAttributes,
      order_by: choice(
        ['id', 'name', 'username', 'created_at', 'updated_at'],
        'Sort field; with keyset pagination, all users can sort by id, name and username',
        { ...admin, default: 'id' },
      ),
      sort: choice(['asc', 'desc'], 'Sort direction; available to all users with keyset pagination', {
        ...admin,
        default: 'desc',
      }),
      pagination: choice(
        ['keyset'],
        'Pagination method; several pages are read with keyset if the sort field supports it; keyset is required for 50,000 or more results',
      ),
      page: int('Page to start from', {
        default: 1,
        min: 1,
        deprecated: 'use --all, --limit or --pagination keyset',
      }),
    },
    access: { anonymous: true },
    keyset: { order_by: ['id', 'name', 'username'], sort: ['desc', 'asc'] },
    examples: {
      'Find a user by name': '--search olivia',
      'List active users without two-factor authentication':
        '--two-factor disabled --active --fields id,username,email,last_activity_on',
    },
  }),
  endpoint('GET users/:id', {
    slots: { id: int('User id from `users list`', { suggest: 'users/list/id' }) },
    doc: 'Requires the numeric id, which `users list` finds by user name. Administrators see all fields.',
    takes: { with_custom_attributes: withCustomAttributes },
    access: { role: 'user' },
    examples: {
      'Show the previous sign-in and the last activity of a user':
        '4 --fields username,state,last_sign_in_at,last_activity_on',
    },
  }),
]);
