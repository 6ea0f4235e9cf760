import { resolve } from 'node:path';
import { pathsOf } from '../../config/paths.ts';
import {
  checkProfileName,
  chooseProfile,
  findProfile,
  noCurrentProfile,
  type Profiles,
  readProfiles,
} from '../../config/profiles.ts';
import { type Profile, profileKeys } from '../../config/setting-table.ts';
import { usage } from '../../errors.ts';
import { formats } from '../../output/formats.ts';
import { choice, text } from '../../spec/field.ts';
import { mask } from '../../support/mask.ts';
import { suggest } from '../../support/suggest.ts';
import { withoutUser } from '../../support/url.ts';
import { type Options, sharedFlags } from '../argv/flags.ts';
import { printRows, printValue } from '../call/print.ts';
import type { Context } from '../context.ts';
import { withSession } from '../session/session.ts';
import { confirmChange } from '../terminal/log.ts';
import { confirmAction } from '../terminal/prompt.ts';
import { type Builtin, command, printing } from './define.ts';

/** Mask the secrets of a profile. */
function withoutSecrets(profile: Profile): Record<string, unknown> {
  const { token, base_url: url, origin } = profile;
  return {
    ...profile,
    ...(token === undefined ? {} : { token: mask }),
    ...(url === undefined ? {} : { base_url: withoutUser(url) }),
    ...(origin === undefined ? {} : { origin: withoutUser(origin) }),
  };
}

const load = (context: Context): Profiles => readProfiles(pathsOf(context.env));

/** Keys that only login sets. A token on the command line could be read by others. */
const ofLogin: ReadonlySet<string> = new Set(['token', 'user', 'scopes']);
const settable = Object.keys(profileKeys).filter((key) => !ofLogin.has(key));

const isProfileKey = (name: string): name is keyof Profile => settable.includes(name);

/** Parse `key value` or `key=value`. */
function parseAssignment(args: readonly string[]): [key: keyof Profile, value: string] {
  const [first = '', second] = args;
  const at = first.indexOf('=');
  const [key, value] =
    second === undefined && at > 0 ? [first.slice(0, at), first.slice(at + 1)] : [first, second];
  const name = key.replaceAll('-', '_');
  if (name === 'token')
    throw usage(
      'cannot set a token on the command line, where others can read it',
      'use svc login, token_command or token_env',
    );
  if (!isProfileKey(name))
    throw usage(`unknown setting ${JSON.stringify(withoutUser(key))}`, [
      ...suggest(name, settable),
      `settings: ${settable.join(', ')}`,
    ]);
  if (value === undefined)
    throw usage(
      `${key} requires a value`,
      `use svc profiles set ${key} <value>, or "" to remove the setting`,
    );
  return [name, value];
}

function currentName(options: Options, profiles: Profiles): string {
  const name = options.profile ?? profiles.current;
  if (name === undefined) throw noCurrentProfile(Object.keys(profiles.profiles));
  return name;
}

const profileName = { name: text('Name of the profile', { suggest: 'profile' }) };

export default {
  commands: [
    command({
      name: 'list',
      args: '',
      summary: 'List profiles',
      flags: printing,
      examples: [{ does: 'List all profiles', run: 'profiles list' }],
      async run({ options }, context) {
        await withSession(options, context, (session) => {
          const { profiles, current } = load(context);
          const rows = Object.entries(profiles).map(([name, one]) => ({
            name,
            current: name === current,
            base_url: withoutSecrets(one)['base_url'] ?? null,
            project: one.project ?? null,
            group: one.group ?? null,
          }));
          if (rows.length === 0) session.notes.say('No profiles. Create one with: svc login');
          return printRows(session, rows);
        });
        return 0;
      },
    }),
    command({
      name: 'show',
      args: '[name]',
      of: profileName,
      summary: 'Show a profile with its token masked',
      flags: printing,
      examples: [{ does: 'Show the current profile', run: 'profiles show' }],
      async run({ words, options }, context) {
        await withSession(options, context, async (session) => {
          const profiles = load(context);
          const name = words[0] ?? currentName(options, profiles);
          return printValue(session, { name, ...withoutSecrets(findProfile(profiles, name)) });
        });
        return 0;
      },
    }),
    command({
      name: 'use',
      args: '<name>',
      of: profileName,
      summary: 'Make a profile the current one',
      flags: sharedFlags('quiet'),
      examples: [{ does: 'Use a profile by default', run: 'profiles use work' }],
      async run({ words, options }, context) {
        const { useProfile } = await import('../../config/store.ts');
        const [name = ''] = words;
        await useProfile(pathsOf(context.env), name);
        confirmChange(context, options, `Using profile ${name}`);
        return 0;
      },
    }),
    command({
      name: 'set',
      args: '<setting> [value]',
      of: { setting: choice(settable, 'Setting') },
      summary: 'Set a setting of a profile; an empty value removes it',
      doc: `Settings: ${settable.join(', ')}. To set a token, use svc login, which hides the input.`,
      flags: sharedFlags('profile', 'quiet'),
      examples: [
        { does: 'Set a default project', run: 'profiles set project acme/rocket' },
        { does: 'Read the token from a password manager', run: 'profiles set token_command "pass show svc"' },
      ],
      async run({ words, options }, context) {
        const [key, value] = parseAssignment(words);
        const name = options.profile ?? load(context).current ?? 'default';
        const { saveProfile } = await import('../../config/store.ts');
        const { checkStored } = await import('../../config/settings.ts');
        const typed = profileKeys[key] === 'switch' ? value === 'true' : value;
        if (profileKeys[key] === 'switch' && !/^(true|false|)$/.test(value))
          throw usage(`${key} must be true or false`);
        // Resolved here, because commands run in other folders.
        const stored = profileKeys[key] === 'path' && value !== '' ? resolve(context.cwd, value) : typed;
        checkProfileName(name);
        checkStored(name, { [key]: stored }, formats);
        await saveProfile(pathsOf(context.env), name, { [key]: value === '' ? undefined : stored });
        confirmChange(
          context,
          options,
          `${value === '' ? 'Removed' : 'Set'} ${key} ${value === '' ? 'from' : 'in'} profile ${name}`,
        );
        return 0;
      },
    }),
    command({
      name: 'remove',
      args: '<name>',
      of: profileName,
      summary: 'Remove a profile and its token',
      flags: sharedFlags('yes', 'no-input', 'quiet'),
      examples: [{ does: 'Remove a profile without a prompt', run: 'profiles remove old --yes' }],
      async run({ words, options }, context) {
        const [name = ''] = words;
        checkProfileName(name);
        const { base_url: url } = findProfile(load(context), name);
        await confirmAction(
          context,
          options,
          `remove profile ${name}${url ? ` (${withoutUser(url)})` : ''} and its token`,
        );
        const { removeProfile } = await import('../../config/store.ts');
        const { current, profiles } = await removeProfile(pathsOf(context.env), name);
        const next = current === undefined ? chooseProfile(Object.keys(profiles)) : [];
        confirmChange(context, options, [`Removed profile ${name}`, ...next]);
        return 0;
      },
    }),
  ],
} satisfies Builtin;
