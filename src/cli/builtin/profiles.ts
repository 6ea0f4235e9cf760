import { resolve } from 'node:path';
import { pathsOf } from '../../config/paths.ts';
import {
  findProfile,
  isProfileName,
  type Profile,
  type Profiles,
  profileKeys,
  readProfiles,
} from '../../config/profiles.ts';
import { usage } from '../../errors.ts';
import { mask } from '../../support/mask.ts';
import { withoutUser } from '../../support/url.ts';
import { type Options, sharedFlags } from '../argv/flags.ts';
import { printRows, printValue } from '../call/print.ts';
import type { Context } from '../context.ts';
import { withSession } from '../session/session.ts';
import { noteFor } from '../terminal/log.ts';
import { confirmAction } from '../terminal/prompt.ts';
import { type Builtin, command, printing } from './define.ts';

/** A profile as it may be shown. */
function shown(profile: Profile): Record<string, unknown> {
  const { token, base_url: url, origin } = profile;
  return {
    ...profile,
    ...(token === undefined ? {} : { token: mask }),
    ...(url === undefined ? {} : { base_url: withoutUser(url) }),
    ...(origin === undefined ? {} : { origin: withoutUser(origin) }),
  };
}

const load = (context: Context): Profiles => readProfiles(pathsOf(context.env));

/** `key value`, or `key=value`. */
function assignment(args: readonly string[]): [key: keyof Profile, value: string] {
  const [first = '', second] = args;
  const at = first.indexOf('=');
  const [key, value] =
    second === undefined && at > 0 ? [first.slice(0, at), first.slice(at + 1)] : [first, second];
  const name = key.replaceAll('-', '_');
  if (!Object.hasOwn(profileKeys, name))
    throw usage(
      `a profile has no setting ${JSON.stringify(withoutUser(key))}`,
      `settings: ${Object.keys(profileKeys).join(', ')}`,
    );
  if (name === 'token')
    throw usage(
      'a token is not given on the command line, where others can read it',
      'use svc auth login, or token_command, or token_env',
    );
  if (value === undefined)
    throw usage(`${key} needs a value`, `svc profiles set ${key} <value>; "" removes it`);
  return [name as keyof Profile, value];
}

function isPath(key: keyof Profile): boolean {
  return key === 'ca_file' || key === 'client_cert' || key === 'client_key';
}

function currentName(options: Options, profiles: Profiles): string {
  const name = (options.profile as string | undefined) ?? profiles.current;
  if (name === undefined)
    throw usage('there is no current profile', 'name one by --profile, or make one: svc auth login');
  return name;
}

export default {
  commands: [
    command({
      name: 'list',
      args: '',
      summary: 'List profiles; the current one is marked',
      flags: printing,
      examples: [{ does: 'Which there are', run: 'profiles list' }],
      async run({ options }, context) {
        await withSession(options, context, (session) => {
          const { profiles, current } = load(context);
          const rows = Object.entries(profiles).map(([name, one]) => ({
            name,
            current: name === current,
            base_url: shown(one)['base_url'] ?? null,
            project: one.project ?? null,
            group: one.group ?? null,
          }));
          if (rows.length === 0) session.notes.say('there are no profiles yet; svc auth login makes one');
          return printRows(session, rows);
        });
        return 0;
      },
    }),
    command({
      name: 'show',
      args: '[name]',
      summary: 'Show one profile, its token masked',
      flags: printing,
      examples: [{ does: 'The current one', run: 'profiles show' }],
      async run({ words, options }, context) {
        await withSession(options, context, async (session) => {
          const profiles = load(context);
          const name = words[0] ?? currentName(options, profiles);
          return printValue(session, { name, ...shown(findProfile(profiles, name, 'the command line')) });
        });
        return 0;
      },
    }),
    command({
      name: 'use',
      args: '<name>',
      summary: 'Make a profile the current one',
      flags: sharedFlags('quiet'),
      examples: [{ does: 'From now on', run: 'profiles use work' }],
      async run({ words, options }, context) {
        const { useProfile } = await import('../../config/store.ts');
        await useProfile(pathsOf(context.env), words[0] as string);
        noteFor(context, options, `profile ${words[0]} is the current one`);
        return 0;
      },
    }),
    command({
      name: 'set',
      args: '<setting> [value]',
      summary: 'Change a setting of a profile; an empty value removes it',
      doc: `Settings: ${Object.keys(profileKeys)
        .filter((key) => key !== 'token')
        .join(', ')}. A token is never given here: svc auth login takes it unseen.`,
      flags: sharedFlags('profile', 'quiet'),
      examples: [
        { does: 'A project that need not be named any more', run: 'profiles set project acme/rocket' },
        { does: 'A token that a password manager prints', run: 'profiles set token_command "pass show svc"' },
      ],
      async run({ words, options }, context) {
        const [key, value] = assignment(words);
        const name = (options.profile as string | undefined) ?? load(context).current ?? 'default';
        const { saveProfile } = await import('../../config/store.ts');
        const typed = profileKeys[key] === 'boolean' ? value === 'true' : value;
        if (profileKeys[key] === 'boolean' && !/^(true|false|)$/.test(value))
          throw usage(`${key} must be true or false`);
        // A path is meant from where it was typed, and read from anywhere.
        const kept = isPath(key) && value !== '' ? resolve(context.cwd, value) : typed;
        await saveProfile(pathsOf(context.env), name, { [key]: value === '' ? undefined : kept });
        noteFor(context, options, `profile ${name}: ${key} ${value === '' ? 'removed' : 'set'}`);
        return 0;
      },
    }),
    command({
      name: 'remove',
      args: '<name>',
      summary: 'Remove a profile, with its token',
      flags: sharedFlags('yes', 'no-input', 'quiet'),
      examples: [{ does: 'Without being asked', run: 'profiles remove old --yes' }],
      async run({ words, options }, context) {
        const name = words[0] as string;
        if (!isProfileName(name)) throw usage(`${JSON.stringify(name)} is no name of a profile`);
        const { base_url: url } = findProfile(load(context), name, 'the command line');
        await confirmAction(
          context,
          options,
          `remove the profile ${name}${url ? ` of ${withoutUser(url)}` : ''}, with its token`,
        );
        const { removeProfile } = await import('../../config/store.ts');
        await removeProfile(pathsOf(context.env), name);
        noteFor(context, options, `profile ${name} removed`);
        return 0;
      },
    }),
  ],
} satisfies Builtin;
