/** `svc profiles` and `svc config`. */
import { resolve } from 'node:path';
import { originOf, whyNoCredential } from '../../config/credentials.ts';
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
import { checkStored, explain } from '../../config/settings.ts';
import { usage } from '../../errors.ts';
import { choice, text } from '../../spec/field.ts';
import { apiRoot } from '../../spec/request.ts';
import { objectResult, type Result, rowsResult, sayNote } from '../../spec/result.ts';
import { mask } from '../../support/mask.ts';
import { suggest } from '../../support/suggest.ts';
import { withoutUser } from '../../support/url.ts';
import { type Options, sharedFlags } from '../argv/flags.ts';
import type { Context } from '../context.ts';
import { namedProfile } from '../session/settings.ts';
import { confirmChange } from '../terminal/log.ts';
import { confirmAction } from '../terminal/prompt.ts';
import { type Builtin, command, connection, printInSession, printing } from './define.ts';

function maskedProfile(profile: Profile): Record<string, unknown> {
  const shown = (key: string, value: unknown) =>
    key === 'token' ? mask : ['base_url', 'origin'].includes(key) ? withoutUser(String(value)) : value;
  return Object.fromEntries(Object.entries(profile).map(([key, value]) => [key, shown(key, value)]));
}

/** Keys that only login sets. A token on the command line could be read by others. */
const ofLogin = ['token', 'user', 'scopes'];
const settable = Object.keys(profileKeys).filter((key) => !ofLogin.includes(key));
const isProfileKey = (name: string): name is keyof Profile => settable.includes(name);

/** Read a setting and its value. @returns the stored value: undefined to remove the setting */
function readAssignment([typed = '', value = '']: readonly string[], cwd: string) {
  const key = typed.replaceAll('-', '_');
  if (key === 'token')
    throw usage(
      'cannot set a token on the command line, where others can read it',
      'use svc login, token_command or token_env',
    );
  if (!isProfileKey(key))
    throw usage(`unknown setting ${JSON.stringify(withoutUser(typed))}`, [
      ...suggest(key, settable),
      `settings: ${settable.join(', ')}`,
    ]);
  if (key === 'token_env' && !/^([A-Za-z_]\w*)?$/.test(value))
    throw usage('token_env must be the name of an environment variable');
  if (key === 'origin' && value !== '' && originOf(value) === undefined)
    throw usage('origin must be the URL of a server', 'for example https://host.example');
  if (key === 'base_url' && value !== '') apiRoot(value, key);
  const kind = profileKeys[key];
  if (kind === 'switch' && !/^(true|false|)$/.test(value)) throw usage(`${key} must be true or false`);
  // Resolved here, because commands run in other folders.
  const stored = kind === 'switch' ? value === 'true' : kind === 'path' ? resolve(cwd, value) : value;
  return { key, stored: value === '' ? undefined : stored };
}

/** Print a result about the profile file, also if the profile in use is not in it. */
const printProfiles = (options: Options, context: Context, use: (data: Profiles) => Result) =>
  printInSession(options, context, () => use(readProfiles(pathsOf(context.env))), { newProfile: true });

const profileName = { name: text('Name of the profile', { suggest: 'profile' }) };

export const profiles: Builtin = {
  commands: [
    command({
      name: 'list',
      summary: 'List profiles',
      flags: printing,
      examples: { 'List all profiles': 'profiles list' },
      run: ({ options }, context) =>
        printProfiles(options, context, ({ profiles: all, current }) => {
          const rows = Object.entries(all).map(([name, one]) => {
            const { base_url = null, project = null, group = null } = maskedProfile(one);
            return { name, current: name === current, base_url, project, group };
          });
          const none = rows.length > 0 ? [] : [sayNote('No profiles. Create one with: svc login')];
          return rowsResult(rows, undefined, { notes: none });
        }),
    }),
    command({
      name: 'show',
      args: '[name]',
      of: profileName,
      summary: 'Show a profile with its token masked',
      flags: printing,
      examples: { 'Show the profile in use': 'profiles show' },
      run: ({ words: [typed], options }, context) =>
        printProfiles(options, context, (all) => {
          const name = typed ?? namedProfile({}, context.env) ?? all.current;
          if (name === undefined) throw noCurrentProfile(Object.keys(all.profiles));
          return objectResult({ name, ...maskedProfile(findProfile(all, name)) });
        }),
    }),
    command({
      name: 'use',
      args: '<name>',
      of: profileName,
      summary: 'Make a profile the current one',
      flags: sharedFlags('quiet'),
      examples: { 'Use a profile by default': 'profiles use work' },
      async run({ words: [name = ''], options }, context) {
        const { useProfile } = await import('../../config/store.ts');
        await useProfile(pathsOf(context.env), name);
        return confirmChange(context, options, `Using profile ${name}`);
      },
    }),
    command({
      name: 'set',
      args: '<setting> <value>',
      of: { setting: choice(settable, 'Setting') },
      summary: 'Set a setting of a profile; an empty value removes it',
      doc: `Settings: ${settable.join(', ')}. To set a token, use svc login, which hides the input.`,
      flags: sharedFlags('profile', 'quiet'),
      examples: {
        'Set a default project': 'profiles set project acme/rocket',
        'Read the token from a password manager': 'profiles set token_command "pass show svc"',
      },
      async run({ words, options }, context) {
        const { key, stored } = readAssignment(words, context.cwd);
        const paths = pathsOf(context.env);
        const all = readProfiles(paths);
        const name = namedProfile(options, context.env) ?? all.current ?? 'default';
        checkProfileName(name);
        checkStored(name, { [key]: stored });
        const { saveProfile, tokenKeys } = await import('../../config/store.ts');
        const old: Profile = all.profiles[name] ?? {};
        await saveProfile(paths, name, { [key]: stored });
        const change = stored === undefined ? `Removed ${key} from` : `Set ${key} in`;
        const isToken = stored !== undefined && tokenKeys.some((one) => one === key);
        const replaced = tokenKeys.filter((one) => isToken && one !== key && old[one] !== undefined);
        const instead = replaced.length > 0 ? ` in place of ${replaced.join(' and ')}` : '';
        return confirmChange(context, options, `${change} profile ${name}${instead}`);
      },
    }),
    command({
      name: 'remove',
      args: '<name>',
      of: profileName,
      summary: 'Remove a profile and its token',
      flags: sharedFlags('yes', 'no-input', 'quiet'),
      examples: { 'Remove a profile without a prompt': 'profiles remove old --yes' },
      async run({ words: [name = ''], options }, context) {
        checkProfileName(name);
        const paths = pathsOf(context.env);
        const { base_url: url } = findProfile(readProfiles(paths), name);
        const at = url ? ` (${withoutUser(url)})` : '';
        await confirmAction(context, options, `remove profile ${name}${at} and its token`);
        const { removeProfile } = await import('../../config/store.ts');
        const left = await removeProfile(paths, name);
        const next = left.current === undefined ? chooseProfile(Object.keys(left.profiles)) : [];
        return confirmChange(context, options, [`Removed profile ${name}`, ...next]);
      },
    }),
  ],
};

export const config: Builtin = {
  commands: [
    command({
      name: 'explain',
      summary: 'Show each setting in effect with its value and source',
      doc: 'The order of precedence is: flag, environment, profile, variables of a pipeline, default. Secrets are masked. No request is sent.',
      flags: { ...printing, ...connection, ...sharedFlags('sandbox') },
      examples: {
        'Show all settings': 'config explain',
        'Print only the base URL, for a script': `config explain --jq '.[] | select(.setting == "base_url").value' -r`,
      },
      execute(_, { settings }) {
        const origin = originOf(settings.baseUrl?.value);
        const unsent =
          origin && settings.accessToken ? whyNoCredential(settings, { origin, only: 'access' }) : [];
        return rowsResult(explain(settings), undefined, { notes: unsent.map(sayNote) });
      },
    }),
  ],
};
