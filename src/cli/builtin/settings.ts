/** `svc profiles` and `svc config`. */
import { resolve } from 'node:path';
import { pathsOf } from '../../config/paths.ts';
import {
  checkProfileName,
  chooseProfile,
  findProfile,
  noCurrentProfile,
  readProfiles,
} from '../../config/profiles.ts';
import { type Profile, profileKeys } from '../../config/setting-table.ts';
import { explain } from '../../config/settings.ts';
import { usage } from '../../errors.ts';
import { choice, text } from '../../spec/field.ts';
import { mask } from '../../support/mask.ts';
import { suggest } from '../../support/suggest.ts';
import { withoutUser } from '../../support/url.ts';
import { sharedFlags } from '../argv/flags.ts';
import { confirmChange } from '../terminal/log.ts';
import { confirmAction } from '../terminal/prompt.ts';
import { type Builtin, command, connection, printing } from './define.ts';
import { printData } from './print-data.ts';

/** Mask the secrets of a profile. */
function maskedProfile(profile: Profile): Record<string, unknown> {
  const { token, base_url: url, origin } = profile;
  return {
    ...profile,
    ...(token === undefined ? {} : { token: mask }),
    ...(url === undefined ? {} : { base_url: withoutUser(url) }),
    ...(origin === undefined ? {} : { origin: withoutUser(origin) }),
  };
}

/** Keys that only login sets. A token on the command line could be read by others. */
const ofLogin = ['token', 'user', 'scopes'];
const settable = Object.keys(profileKeys).filter((key) => !ofLogin.includes(key));
const isProfileKey = (name: string): name is keyof Profile => settable.includes(name);

/** Parse `key value` or `key=value`. */
function parseAssignment([first = '', second]: readonly string[]): [key: keyof Profile, value: string] {
  const at = second === undefined ? first.indexOf('=') : -1;
  const [key, value] = at > 0 ? [first.slice(0, at), first.slice(at + 1)] : [first, second];
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
  if (value === undefined) {
    const hint = `use svc profiles set ${key} <value>, or "" to remove the setting`;
    throw usage(`${key} requires a value`, hint);
  }
  return [name, value];
}

const profileName = { name: text('Name of the profile', { suggest: 'profile' }) };

export const profiles: Builtin = {
  commands: [
    command({
      name: 'list',
      args: '',
      summary: 'List profiles',
      flags: printing,
      examples: [{ does: 'List all profiles', run: 'profiles list' }],
      run: ({ options }, context) =>
        printData(options, context, ({ notes }) => {
          const { profiles: all, current } = readProfiles(pathsOf(context.env));
          const rows = Object.entries(all).map(([name, one]) => ({
            name,
            current: name === current,
            base_url: maskedProfile(one)['base_url'] ?? null,
            project: one.project ?? null,
            group: one.group ?? null,
          }));
          if (rows.length === 0) notes.say('No profiles. Create one with: svc login');
          return rows;
        }),
    }),
    command({
      name: 'show',
      args: '[name]',
      of: profileName,
      summary: 'Show a profile with its token masked',
      flags: printing,
      examples: [{ does: 'Show the current profile', run: 'profiles show' }],
      run: ({ words: [typed], options }, context) =>
        printData(options, context, () => {
          const all = readProfiles(pathsOf(context.env));
          const name = typed ?? all.current;
          if (name === undefined) throw noCurrentProfile(Object.keys(all.profiles));
          return { name, ...maskedProfile(findProfile(all, name)) };
        }),
    }),
    command({
      name: 'use',
      args: '<name>',
      of: profileName,
      summary: 'Make a profile the current one',
      flags: sharedFlags('quiet'),
      examples: [{ does: 'Use a profile by default', run: 'profiles use work' }],
      async run({ words: [name = ''], options }, context) {
        const { useProfile } = await import('../../config/store.ts');
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
        const paths = pathsOf(context.env);
        const name = options.profile ?? readProfiles(paths).current ?? 'default';
        const { saveProfile } = await import('../../config/store.ts');
        const { checkStored } = await import('../../config/settings.ts');
        const typed = profileKeys[key] === 'switch' ? value === 'true' : value;
        if (profileKeys[key] === 'switch' && !/^(true|false|)$/.test(value))
          throw usage(`${key} must be true or false`);
        // Resolved here, because commands run in other folders.
        const stored = profileKeys[key] === 'path' && value !== '' ? resolve(context.cwd, value) : typed;
        checkProfileName(name);
        checkStored(name, { [key]: stored });
        await saveProfile(paths, name, { [key]: stored });
        const done = stored === undefined ? `Removed ${key} from` : `Set ${key} in`;
        confirmChange(context, options, `${done} profile ${name}`);
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
      async run({ words: [name = ''], options }, context) {
        checkProfileName(name);
        const paths = pathsOf(context.env);
        const { base_url: url } = findProfile(readProfiles(paths), name);
        const at = url ? ` (${withoutUser(url)})` : '';
        await confirmAction(context, options, `remove profile ${name}${at} and its token`);
        const { removeProfile } = await import('../../config/store.ts');
        const left = await removeProfile(paths, name);
        const next = left.current === undefined ? chooseProfile(Object.keys(left.profiles)) : [];
        confirmChange(context, options, [`Removed profile ${name}`, ...next]);
        return 0;
      },
    }),
  ],
};

export const config: Builtin = {
  commands: [
    command({
      name: 'explain',
      args: '',
      summary: 'Show each setting in effect with its value and source',
      doc: 'The order of precedence is: flag, environment, profile, variables of a pipeline, default. Secrets are masked. No request is sent.',
      flags: { ...printing, ...connection, ...sharedFlags('sandbox') },
      examples: [
        { does: 'Show all settings', run: 'config explain' },
        {
          does: 'Print only the base URL, for a script',
          run: `config explain --jq '.[] | select(.setting == "base_url").value' -r`,
        },
      ],
      run: ({ options }, context) => printData(options, context, ({ settings }) => explain(settings)),
    }),
  ],
};
