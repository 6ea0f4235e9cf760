import type { User } from '../../core/rows.ts';
import { addDays, seededRandom } from '../../seed/random.ts';
import type { Seeder } from '../../seed/seeder.ts';
import type { CustomAttribute, Identity } from './filter.ts';

const ldap = (uid: string): Identity => ({
  provider: 'ldapmain',
  extern_uid: `uid=${uid},ou=people,dc=example,dc=com`,
});
const saml = (uid: string): Identity => ({
  provider: 'group_saml',
  extern_uid: `${uid}@idp.example.com`,
  saml_provider_id: 5,
});
const department = (value: string): CustomAttribute => ({ key: 'department', value });

const more: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  root: { two_factor_enabled: true, note: 'Break glass' },
  olivia: {
    two_factor_enabled: true,
    job_title: 'Founder',
    organization: 'Acme',
    custom_attributes: [department('board')],
  },
  mia: {
    two_factor_enabled: true,
    identities: [ldap('mia')],
    custom_attributes: [department('engineering')],
  },
  devon: {
    identities: [ldap('devon')],
    job_title: 'Engineer',
    organization: 'Acme',
    website_url: 'https://devon.example.com',
    pronouns: 'they/them',
    custom_attributes: [department('engineering'), { key: 'desk', value: 'B2' }],
  },
  rita: { identities: [saml('rita')] },
  'amara.okafor': {
    scim_identities: [{ extern_uid: 'amara', group_id: 10, active: true }],
    provisioned_by_group_id: 10,
  },
  'chiara.rossi': { is_auditor: true },
};

const born = Date.parse('2026-01-20T08:00:00Z');

/** Sign-ins, identities and custom attributes of the users. */
export const users: Seeder = (world) => {
  const table = world.table<User>('users');
  const roll = seededRandom(7);
  for (const user of table.all()) {
    const seen = addDays(born, roll(50));
    table.update(user, {
      updated_at: addDays(born, roll(60)),
      last_activity_on: seen.slice(0, 10),
      confirmed_at: user.created_at,
      two_factor_enabled: false,
      is_auditor: false,
      identities: [],
      scim_identities: [],
      custom_attributes: [],
      ...(!user.bot
        ? {
            last_sign_in_at: addDays(Date.parse(seen), -3),
            current_sign_in_at: seen,
            last_sign_in_ip: '192.0.2.10',
            current_sign_in_ip: '192.0.2.11',
          }
        : { sign_in_count: 0 }),
      ...more[user.username],
    });
  }
};
